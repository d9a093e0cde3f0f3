import {randomFrom, shuffled} from '../random.ts'
import type {Point} from './points.ts'

/** A point of the kind; of any other where there is none. */
export function samplePoint(points: readonly Point[], kind: Point['kind'], seed: number): Point | undefined {
  const left = shuffled(points, randomFrom(seed))
  return left.find((point) => point.kind === kind) ?? left[0]
}
