import type {Follower, Note} from './part-texts.ts'
import type {MergedCell} from './rows.ts'
import {attributeOf} from './xml.ts'

const cellParts = new Set(['sheetData', 'strCache', 'numCache', 'multiLvlStrCache'])

/** Follows the row that a part is about, by the cell reference of its elements. */
export class PartFollower implements Follower {
  private readonly sheet: number | null
  private readonly links: Map<string, string>
  private readonly merged: MergedCell[]
  private readonly rows: (number | null)[] = []
  private cellDepth = 0

  constructor(sheet: number | null, links: Map<string, string>, merged: MergedCell[]) {
    this.sheet = sheet
    this.links = links
    this.merged = merged
  }

  get isCell(): boolean {
    return this.cellDepth > 0
  }

  get at(): Note['at'] {
    const row = this.rows.at(-1) ?? null
    return this.sheet === null || row === null ? null : {sheet: this.sheet, row}
  }

  open(name: string, attributes: string): string | null {
    if (cellParts.has(name)) this.cellDepth += 1
    if (this.isCell) return null
    const ref = attributeOf(attributes, 'ref') ?? attributeOf(attributes, 'sqref')
    this.rows.push(ref === null ? (this.rows.at(-1) ?? null) : rowOf(ref))
    if (name === 'mergeCell') this.takeMerged(ref ?? '')
    const id = name === 'hyperlink' ? (attributeOf(attributes, 'id') ?? '') : ''
    const link = this.links.get(id) ?? null
    this.links.delete(id)
    return link
  }

  private takeMerged(ref: string): void {
    const [, first = '', from, to] = /^([A-Z]+)(\d+):[A-Z]+(\d+)$/.exec(ref) ?? []
    if (this.sheet !== null && from !== to)
      this.merged.push({sheet: this.sheet, column: columnOf(first), from: Number(from), to: Number(to)})
  }

  close(name: string): void {
    if (!this.isCell) this.rows.pop()
    else if (cellParts.has(name)) this.cellDepth -= 1
  }
}

/** The row of `B5` or `A5:D5`; null for several rows. */
function rowOf(ref: string): number | null {
  const [, row, last = row] = /^\$?[A-Z]+\$?(\d+)(?::\$?[A-Z]+\$?(\d+))?$/i.exec(ref) ?? []
  return row === undefined || row !== last ? null : Number(row)
}

/** 27 for `AB12`: the column, counted from 0. */
export function columnOf(place: string): number {
  let column = 0
  for (let at = 0; at < place.length; at++) {
    const letter = (place.charCodeAt(at) | 0x20) - 0x60
    if (letter < 1 || letter > 26) return at === 0 ? -1 : column - 1
    column = column * 26 + letter
  }
  return column - 1
}
