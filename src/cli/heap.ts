import {getHeapSpaceStatistics, setFlagsFromString} from 'node:v8'

const nurseryMib = 16
const startMib = 2
const triesMax = 500
const keptMax = 50

/**
 * Keeps memory from growing with the rows that pass through. Under many short-lived objects V8 lets the young
 * generation grow to 128 MiB; at its first size, a tenth of the time goes into clearing it. A running process can
 * only change how it grows: so we make it grow once, with short-lived objects, and then fix its size.
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
