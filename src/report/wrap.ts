import {stripVTControlCharacters} from 'node:util'

/** A label and its text, continued under its own beginning if it is too wide. */
export function labelled(label: string, text: string, width: number): string {
  const indent = ' '.repeat(stripVTControlCharacters(label).length)
  return label + wrapText(text, width, indent).slice(indent.length)
}

/** Text broken at spaces into lines of at most `width` characters, later ones indented; a longer word stays whole. */
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

/** A note within the screen's width; a command in it is not broken, so that it can be copied. */
export function noteText(text: string, width: number): string {
  const lines = text.split('\n').flatMap((line) => {
    const [, label, rest = ''] = /^((?:note|warning|error): )(.+)$/.exec(line) ?? []
    if (label === undefined) return [line]
    const [sentence = '', ...command] = commandApart(rest)
    return [labelled(label, sentence, width), ...command]
  })
  return lines.join('\n')
}

/** The sentence, and the command at its end on a line of its own. */
export function commandApart(sentence: string): string[] {
  const [, before, command] = /^(.+[:.]) (hisab .+)$/.exec(sentence) ?? []
  return before === undefined || command === undefined ? [sentence] : [before, `  ${command}`]
}
