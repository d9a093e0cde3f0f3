/** How people write the service's currency, as the source of a regular expression without regard to case. */
export const bdtWord = '(?:bdt|taka|tk\\.?|৳|টাকা)'

const bdtWords = new Set(['bdt', 'taka', 'tk', '৳', '৲', 'টাকা', 'bangladesh', 'bangladeshi', '050', '50'])

/** Whether a cell says that the currency is BDT: `Tk.`, `BDT (৳)`, `Bangladeshi Taka`, its number in ISO 4217. */
export function isBdt(text: string): boolean {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}\p{Sc}]+/gu) ?? []
  return words.length > 0 && words.every((word) => bdtWords.has(word))
}
