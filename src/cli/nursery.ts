import {getHeapSpaceStatistics, setFlagsFromString} from 'node:v8'

/** Two halves of 8 MiB; V8 begins with two of one, and counts only one of them until it has cleared it once. */
const nurseryMib = 16
const startMib = 2
const triesMax = 500
const keptMax = 50

/**
 * Gives the part of the heap where V8 puts what is new a size, and holds it there. Left alone it grows to 128 MiB where
 * much is made and thrown away, as a million rows are; at the size it begins with a tenth of the time goes into clearing
 * it (docs/decisions/0011-worksheet.md). In a process that runs nothing can set the size, only how it grows: so it is
 * made to grow once, by objects that live for a moment.
 */
export function holdNursery(): void {
  const factor = nurseryMib / Math.max(sizeOfNurseryMib(), startMib)
  if (factor > 1) setFlagsFromString(`--semi-space-growth-factor=${Math.ceil(factor)}`)
  const kept: object[][] = []
  for (let tries = 0; sizeOfNurseryMib() < nurseryMib && tries < triesMax; tries++) {
    kept[tries % keptMax] = Array.from({length: 1_000}, () => ({}))
  }
  setFlagsFromString('--semi-space-growth-factor=1')
}

function sizeOfNurseryMib(): number {
  const nursery = getHeapSpaceStatistics().find(({space_name: name}) => name === 'new_space')
  return (nursery?.space_size ?? nurseryMib * 2 ** 20) / 2 ** 20
}
