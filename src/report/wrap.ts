/** Text broken at blanks into lines of at most `width` characters, the later ones indented; a longer word stays whole. */
export function wrapText(text: string, width: number, indent: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1] ?? ''
    const longer = last === '' ? word : `${last} ${word}`
    if (last !== '' && indent.length + longer.length > width) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines.map((line) => indent + line).join('\n')
}
