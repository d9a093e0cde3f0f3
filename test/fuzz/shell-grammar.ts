/**
 * The words of a command line as a POSIX shell splits it: single and double quotes, backslashes, a backslash at the
 * end of a line. Throws for anything a shell would act on or replace outside of single quotes, `$NAME` in double quotes
 * excepted, which stays as it is written.
 */
export function shellWords(line: string): string[] {
  const words: string[] = []
  let word: string | null = null
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? ''
    if (char === "'") {
      const end = line.indexOf("'", at + 1)
      if (end < 0) throw new Error('a single quote that is not closed')
      word = (word ?? '') + line.slice(at + 1, end)
      at = end
    } else if (char === '"') {
      const end = line.indexOf('"', at + 1)
      const inside = line.slice(at + 1, end)
      if (end < 0 || /[`\\!]|\$(?![A-Z])/.test(inside)) throw new Error(`in double quotes: ${inside}`)
      word = (word ?? '') + inside
      at = end
    } else if (char === '\\') {
      at += 1
      if (line[at] !== '\n') word = (word ?? '') + (line[at] ?? '')
    } else if (char === ' ' || char === '\t') {
      if (word !== null) words.push(word)
      word = null
    } else if (/[\n;&|<>()$`*?[\]#~{}!^]/.test(char)) {
      throw new Error(`a shell would act on "${char}" of: ${line}`)
    } else word = (word ?? '') + char
  }
  return word === null ? words : [...words, word]
}
