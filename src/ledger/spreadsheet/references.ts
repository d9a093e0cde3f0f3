/** `Orders!A8`, `'My orders'!$A$8`, `[$Orders.A8]`; not a part of a range. */
const reference =
  /(?<![\p{L}\p{N}_.!:])\$?(?:'((?:[^']|'')+)'|([\p{L}\p{N}_]+))[!.]\$?[A-Z]{1,3}\$?(\d+)(?![\d:(]|\]?:)/gu

/**
 * Formulas of other sheets that name rows of the ledger's sheet and have no result, because the program that wrote them does not
 * calculate: read as the order numbers of those rows.
 */
export class References {
  private readonly sheet: string | null
  private readonly orderNos = new Map<number, string>()

  constructor(sheet: string | null) {
    this.sheet = sheet
  }

  keep(line: number, orderNo: string): void {
    this.orderNos.set(line, orderNo)
  }

  read(cells: readonly string[]): readonly string[] {
    return cells.some((cell) => cell.startsWith('='))
      ? cells.map((cell) => (cell.startsWith('=') ? this.resultOf(cell) : cell))
      : cells
  }

  private resultOf(formula: string): string {
    const named = [...formula.matchAll(reference)].flatMap(([, quoted, plain, line]) => {
      const isOfSheet = (quoted?.replaceAll("''", "'") ?? plain) === this.sheet
      return (isOfSheet && this.orderNos.get(Number(line))) || []
    })
    return named.join(' ') || formula
  }
}
