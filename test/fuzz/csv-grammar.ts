/** One record of a CSV file, and the line it starts on. */
export interface CsvRecord {
  readonly line: number
  readonly cells: readonly string[]
}

/**
 * The records of a CSV text by RFC 4180, a character at a time and sharing nothing with the reader that is tried:
 * a quote opens at the start of a field only, and after the one that closes comes a delimiter or a line end. Null
 * where the quoting is broken. LF, CRLF and CR end a line each.
 */
export function splitCsv(text: string, delimiter: string): CsvRecord[] | null {
  const records: CsvRecord[] = []
  let cells: string[] = []
  let cell = ''
  let line = 1
  let startsOn = 1
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start'
  const endCell = () => {
    cells.push(cell)
    cell = ''
    state = 'start'
  }
  const endRecord = () => {
    endCell()
    records.push({line: startsOn, cells})
    cells = []
    startsOn = line
  }
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? ''
    const isLineEnd = char === '\n' || char === '\r'
    const isPair = char === '\r' && text[at + 1] === '\n'
    if (isLineEnd) line += 1
    if (isPair) at += 1
    if (state === 'quoted') {
      if (char !== '"') cell += isPair ? '\r\n' : char
      else if (text[at + 1] === '"') {
        cell += '"'
        at += 1
      } else state = 'closed'
    } else if (isLineEnd) endRecord()
    else if (char === delimiter) endCell()
    else if (state === 'closed' || (char === '"' && state === 'plain')) return null
    else if (char === '"') state = 'quoted'
    else {
      cell += char
      state = 'plain'
    }
  }
  if (state === 'quoted') return null
  if (cells.length > 0 || state !== 'start') endRecord()
  return records
}

export function isBlankRecord({cells}: CsvRecord): boolean {
  return cells.every((cell) => cell.trim() === '')
}
