import {ZipProblem} from './zip.ts'

/** A million order numbers would fill the memory of a run, so their bytes are in one block outside of the heap. */
export class SharedStrings {
  private bytes = Buffer.allocUnsafe(64 * 1024)
  private ends = new Uint32Array(4096)
  private size = 0
  private count = 0
  /** Words such as a status repeat often, and stand early in the table. */
  private readonly often: (string | undefined)[] = []

  add(text: string): void {
    const most = text.length * 3
    if (this.size + most > this.bytes.length) this.grow(most)
    this.size += this.bytes.write(text, this.size, 'utf8')
    if (this.count === this.ends.length) {
      const ends = new Uint32Array(this.count * 2)
      ends.set(this.ends)
      this.ends = ends
    }
    this.ends[this.count++] = this.size
  }

  /** Throws `ZipProblem` for an unknown index. */
  at(index: number): string {
    const known = index < oftenMax ? this.often[index] : undefined
    if (known !== undefined) return known
    if (!(index >= 0 && index < this.count)) throw new ZipProblem('a cell names a text that is not there')
    const text = this.bytes.toString('utf8', index === 0 ? 0 : this.ends[index - 1], this.ends[index])
    if (index < oftenMax) this.often[index] = text
    return text
  }

  private grow(most: number): void {
    const length = Math.max(this.bytes.length * 2, this.size + most)
    if (length > bytesMax) throw new ZipProblem('its texts are larger than 512 MiB')
    const more = Buffer.allocUnsafe(length)
    this.bytes.copy(more, 0, 0, this.size)
    this.bytes = more
  }
}

const oftenMax = 2048
const bytesMax = 512 * 1024 ** 2
