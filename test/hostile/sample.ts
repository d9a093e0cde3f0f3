import {randomFrom, shuffled} from '../random.ts'
import {type Cell, cells} from './cell.ts'

/** Every fault once and every row at least once, at rows the seed chooses: what each push can afford of the matrix. */
export function sampleCells(seed: number): Cell[] {
  const random = randomFrom(seed)
  const timesOf = new Map(cells.map(({row}) => [row, 0]))
  const faults = shuffled([...new Set(cells.map(({fault}) => fault))], random)
  // What few rows can meet goes first, while their choice is free.
  faults.sort((a, b) => rowsOf(a) - rowsOf(b))
  const sample = faults.map((fault) => {
    const candidates = shuffled(
      cells.filter((cell) => cell.fault === fault),
      random,
    )
    const times = (cell: Cell) => timesOf.get(cell.row) ?? 0
    const [chosen] = candidates.sort((a, b) => times(a) - times(b))
    if (!chosen) throw new Error(`no row meets the fault "${fault.name}"`)
    timesOf.set(chosen.row, times(chosen) + 1)
    return chosen
  })
  for (const [row, times] of timesOf) {
    const cell = cells.find((candidate) => candidate.row === row)
    if (times === 0 && cell) sample.push(cell)
  }
  return sample
}

function rowsOf(fault: Cell['fault']): number {
  return cells.filter((cell) => cell.fault === fault).length
}
