import {randomFrom, shuffled} from '../random.ts'
import type {Point} from './points.ts'

/** Some of a night's points: one of each sort first, so that none is left out, then what the seed chooses. */
export function samplePoints(points: readonly Point[], count: number, seed: number): Point[] {
  const left = shuffled(points, randomFrom(seed))
  const sorts = new Set(left.map(sortOf))
  const first = [...sorts].flatMap((sort) => left.find((point) => sortOf(point) === sort) ?? [])
  return [...first, ...left.filter((point) => !first.includes(point))].slice(0, count)
}

function sortOf(point: Point): string {
  return point.kind === 'call' ? point.moment : point.kind
}

/** A point of the kind; of any other where there is none. */
export function samplePoint(points: readonly Point[], kind: Point['kind'], seed: number): Point | undefined {
  const left = shuffled(points, randomFrom(seed))
  return left.find((point) => point.kind === kind) ?? left[0]
}
