/**
 * Which delivery records were seen, and in which reading of the list, at 17 bytes a slot: an id that is kept as
 * text keeps the whole page it was cut from. Open addressing; at most half of the slots are taken.
 */
export class RecordIds {
  private slots = 1024
  /** Four words an id. */
  private words = new Uint32Array(this.slots * 4)
  /** 0: an empty slot. */
  private marks = new Uint8Array(this.slots)
  private taken = 0

  get size(): number {
    return this.taken
  }

  /** Puts this mark (1 to 255) on a UUID, and answers the one it had; 0 where it is new. Case does not matter. */
  mark(id: string, mark: number): number {
    if (this.taken * 2 >= this.slots) this.grow()
    const words = wordsOf(id)
    const slot = this.slotOf(words)
    const before = this.marks[slot] ?? 0
    if (before === 0) {
      this.words.set(words, slot * 4)
      this.taken += 1
    }
    this.marks[slot] = mark
    return before
  }

  /** The mark on a UUID; 0 where there is none. */
  markOf(id: string): number {
    return this.marks[this.slotOf(wordsOf(id))] ?? 0
  }

  /** How many ids carry another mark than this. */
  countOther(mark: number): number {
    return this.marks.reduce((count, other) => count + Number(other !== 0 && other !== mark), 0)
  }

  private slotOf(words: Uint32Array): number {
    for (let slot = spread(words) & (this.slots - 1); ; slot = (slot + 1) & (this.slots - 1)) {
      if (this.marks[slot] === 0 || this.isAt(slot, words)) return slot
    }
  }

  private isAt(slot: number, words: Uint32Array): boolean {
    return words.every((word, index) => this.words[slot * 4 + index] === word)
  }

  private grow(): void {
    const {slots, words, marks} = this
    this.slots = slots * 2
    this.words = new Uint32Array(this.slots * 4)
    this.marks = new Uint8Array(this.slots)
    for (let old = 0; old < slots; old++) {
      const mark = marks[old] ?? 0
      if (mark === 0) continue
      const id = words.subarray(old * 4, old * 4 + 4)
      const slot = this.slotOf(id)
      this.words.set(id, slot * 4)
      this.marks[slot] = mark
    }
  }
}

function wordsOf(id: string): Uint32Array {
  const digits = id.replaceAll('-', '')
  if (!/^[0-9a-f]{32}$/i.test(digits)) throw new Error('the id of a record is not a UUID')
  return Uint32Array.from([0, 8, 16, 24], (at) => Number.parseInt(digits.slice(at, at + 8), 16))
}

// Ids may differ in their last digits alone, so every word reaches every bit.
function spread(words: Uint32Array): number {
  let mixed = 0
  for (const word of words) mixed = Math.imul(mixed ^ word ^ (mixed >>> 15), 0x9e3779b1)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
