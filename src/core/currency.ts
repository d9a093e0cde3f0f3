/** Spellings of the currency, as the source of a case-insensitive regular expression. */
export const bdtWord = '(?:bdt|taka|tk\\.?|৳|টাকা)'

const bdtWords = new Set(['bdt', 'taka', 'tk', '৳', '৲', 'টাকা', 'bangladesh', 'bangladeshi', '050', '50'])

/** Whether a cell means BDT: `Tk.`, `BDT (৳)`, `Bangladeshi Taka`, its ISO 4217 number. */
export function isBdt(text: string): boolean {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}\p{Sc}]+/gu) ?? []
  return words.length > 0 && words.every((word) => bdtWords.has(word))
}
