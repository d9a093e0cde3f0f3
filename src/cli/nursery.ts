import {setFlagsFromString} from 'node:v8'

/**
 * Keeps the part of the heap where V8 puts what is new at the size it has. Left alone it grows to 128 MiB where much is
 * made and thrown away, as a million rows are; kept small a night takes half the memory and no more time
 * (docs/decisions/0011-worksheet.md). A process can be told so only when it starts, or like this.
 */
export function keepNurserySmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
