const size = 1 << 20

/** Says quickly of most ASCII texts that they have none of many words. */
export class WordFilter {
  private readonly marks = new Uint8Array(size)

  /** `word`: letters or digits in small letters, without zeros before digits. */
  add(word: string): void {
    let hash = 0
    for (let at = 0; at < word.length; at += 1) hash = hashWith(hash, word.charCodeAt(at))
    this.marks[hash] = 1
  }

  /** True also for texts that are not ASCII, and for numbers in scientific notation. */
  mayHave(text: string): boolean {
    const {marks} = this
    let [word, part, before, isLeading] = [0, 0, other, false]
    for (let at = 0; at <= text.length; at += 1) {
      const code = at === text.length ? 0x20 : text.charCodeAt(at)
      if (code < 0x20 || code > 0x7e) return true
      const small = code | 0x20
      const is = isDigit(code) ? digit : small >= 0x61 && small <= 0x7a ? letter : other
      if (is !== before) {
        if (before !== other && (marks[part] === 1 || (is === other && marks[word] === 1))) return true
        if (small === 0x65 && before === digit && isDigit(text.charCodeAt(at + 1))) return true
        if (is === other) word = 0
        part = 0
        before = is
        isLeading = is === digit
      }
      if (is === other || (isLeading && code === 0x30 && isDigit(text.charCodeAt(at + 1)))) continue
      isLeading = false
      part = hashWith(part, small)
      word = hashWith(word, small)
    }
    return false
  }
}

const [other, letter, digit] = [0, 1, 2]

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function hashWith(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) & (size - 1)
}
