import {getHeapSpaceStatistics, setFlagsFromString} from 'node:v8'

/** Two halves of 8 MiB; V8 begins with two of one, and counts only one of them until it has cleared it once. */
const nurseryMib = 16
const startMib = 2
const triesMax = 500
const keptMax = 50

/**
 * Keeps memory from growing with the rows that pass through. V8 lets the part of its heap where it puts what is new grow
 * to 128 MiB where much is made and thrown away; at the size it begins with a tenth of the time goes into clearing it. In
 * a process that runs nothing can set that size, only how it grows: so it is made to grow once, by objects that live for
 * a moment, and held there. The rest is cleared when it is half as large again as what is kept of it, not four times
 * (docs/decisions/0011-staging.md).
 */
export function holdHeap(): void {
  const factor = nurseryMib / Math.max(sizeOfNurseryMib(), startMib)
  if (factor > 1) setFlagsFromString(`--semi-space-growth-factor=${Math.ceil(factor)}`)
  const kept: object[][] = []
  for (let tries = 0; sizeOfNurseryMib() < nurseryMib && tries < triesMax; tries++) {
    kept[tries % keptMax] = Array.from({length: 1_000}, () => ({}))
  }
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=50')
}

function sizeOfNurseryMib(): number {
  const nursery = getHeapSpaceStatistics().find(({space_name: name}) => name === 'new_space')
  return (nursery?.space_size ?? nurseryMib * 2 ** 20) / 2 ** 20
}
