import {encode} from 'uqr'

/** Light modules around a code: less than four, and some cameras do not find it. */
const quietModules = 4

/**
 * An address as a QR code of half blocks, two modules a character; the light ones are drawn, so on a dark terminal
 * it is dark on light as cameras want it. Null where the address is too long for one.
 */
export function qrText(address: string): string | null {
  let modules: readonly (readonly boolean[])[]
  try {
    modules = encode(address, {ecc: 'M', border: quietModules}).data
  } catch {
    return null
  }
  const isLight = (row: number, column: number) => !(modules[row]?.[column] ?? false)
  const lines: string[] = []
  for (let row = 0; row < modules.length; row += 2) {
    const columns = [...(modules[row] ?? []).keys()]
    lines.push(columns.map((column) => halves(isLight(row, column), isLight(row + 1, column))).join(''))
  }
  return lines.join('\n')
}

function halves(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀'
  return lower ? '▄' : ' '
}
