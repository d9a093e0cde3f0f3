import {type Paisa, parsePaisa} from '../../core/money.ts'

export type AmountProblem =
  | {readonly kind: 'missing' | 'zero' | 'decimals' | 'large' | 'unreadable'}
  /** `12,34` may be 1234 or 12.34: the person must say which. */
  | {readonly kind: 'comma'; readonly without: string; readonly point: string}

export type TypedAmount = {readonly amount: Paisa} | {readonly problem: AmountProblem}

const bengaliZero = 0x9e6

/** Reads Bengali digits, the taka sign and grouping commas. Anything unclear is a problem. */
export function readTypedAmount(typed: string): TypedAmount {
  const text = typed
    .trim()
    .replace(/[০-৯]/g, (digit) => String(digit.charCodeAt(0) - bengaliZero))
    .replace(/^(?:৳|BDT|Tk\.?|টাকা)\s*/i, '')
    .replace(/^0+(?=[0-9])|\.$/g, '')
    .replace(/^([1-9][0-9]?(?:,[0-9]{2})*,[0-9]{3}|[1-9][0-9]{0,2}(?:,[0-9]{3})+)(?=\.|$)/, (grouped) =>
      grouped.replaceAll(',', ''),
    )
  const amount = parsePaisa(text)
  if (amount !== null && amount > 0n) return {amount}
  return {problem: problemOf(text)}
}

function problemOf(text: string): AmountProblem {
  if (text === '') return {kind: 'missing'}
  if (/^(?:-[0-9.]+|0*(?:\.0*)?)$/.test(text)) return {kind: 'zero'}
  const [, before, after] = /^([0-9]+),([0-9]{1,2})$/.exec(text) ?? []
  if (before && after) return {kind: 'comma', without: `${before}${after}`, point: `${before}.${after}`}
  if (/^[0-9]+\.[0-9]{3,}$/.test(text)) return {kind: 'decimals'}
  return {kind: /^[1-9][0-9]{15,}(?:\.[0-9]*)?$/.test(text) ? 'large' : 'unreadable'}
}
