import {stripVTControlCharacters} from 'node:util'

/** A label and its text, which goes on under its own beginning where it is wider than the screen. */
export function labelled(label: string, text: string, width: number): string {
  const indent = ' '.repeat(stripVTControlCharacters(label).length)
  return label + wrapText(text, width, indent).slice(indent.length)
}

/** Text broken at blanks into lines of at most `width` characters, the later ones indented; a longer word stays whole. */
export function wrapText(text: string, width: number, indent: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1] ?? ''
    const longer = last === '' ? word : `${last} ${word}`
    if (last !== '' && indent.length + stripVTControlCharacters(longer).length > width) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines.map((line) => indent + line).join('\n')
}

/** A note or a warning for a screen: no line of it is wider than that, but for a command, which is to be copied. */
export function noteText(text: string, width: number): string {
  const lines = text.split('\n').flatMap((line) => {
    const [, label, rest = ''] = /^((?:note|warning|error): )(.+)$/.exec(line) ?? []
    if (label === undefined) return [line]
    const [sentence = '', ...command] = commandApart(rest)
    return [labelled(label, sentence, width), ...command]
  })
  return lines.join('\n')
}

/** A sentence that ends with a command, which has a line of its own: whole, to be copied. */
export function commandApart(sentence: string): string[] {
  const [, before, command] = /^(.+[:.]) (hisab .+)$/.exec(sentence) ?? []
  return before === undefined || command === undefined ? [sentence] : [before, `  ${command}`]
}
