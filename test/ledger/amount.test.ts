import {describe, expect, it} from 'vitest'
import {formatPaisa} from '../../src/core/money.ts'
import {readLedgerAmount} from '../../src/ledger/amount.ts'

const readable: [text: string, amount: string][] = [
  ['500', '500.00'],
  ['500.5', '500.50'],
  ['500.00', '500.00'],
  ['0', '0.00'],
  ['0.00', '0.00'],
  ['0.01', '0.01'],
  ['999999999999999.99', '999999999999999.99'],
  ['1,500', '1500.00'],
  ['1,234,567.50', '1234567.50'],
  ['123,456', '123456.00'],
  ['12,34,567.50', '1234567.50'],
  ['1,23,456', '123456.00'],
  ['1,00,00,000', '10000000.00'],
  ['১২,৩৪,৫৬৭.৫০', '1234567.50'],
  ['৫০০', '500.00'],
  ['৳500', '500.00'],
  ['৳ ৭৫০', '750.00'],
  ['BDT 1,500.00', '1500.00'],
  ['bdt500', '500.00'],
  ['Tk 500', '500.00'],
  ['TK.500', '500.00'],
  ['500৳', '500.00'],
  ['৫০০ টাকা', '500.00'],
  ['  500.00\t', '500.00'],
  ['\u00a0500.00\u00a0', '500.00'],
  ['BDT\u00a0500', '500.00'],
  ['500/-', '500.00'],
  ['Tk. 4,891.88/-', '4891.88'],
  ['৳ ৫০০/=', '500.00'],
  ["'750.00", '750.00'],
  ['\u2019৳ 750', '750.00'],
]

const unreadable: [text: string, reason: string][] = [
  ['-', 'a dash is neither zero nor blank'],
  ['–', 'a dash is neither zero nor blank'],
  ['-500', 'it is negative'],
  ['−500', 'it is negative'],
  ['(500.00)', 'it is negative, as brackets mean'],
  ["''500", 'not digits'],
  ['/-', 'not digits'],
  ['500-', 'it is negative'],
  ['৳-500', 'it is negative'],
  ['+500', 'it has a sign'],
  ['1.2E+15', 'a spreadsheet shortened it'],
  ['1,23E+15', 'a spreadsheet shortened it'],
  ['12e3', 'a spreadsheet shortened it'],
  ['1234,50', 'a comma where the decimal point belongs'],
  ['12,5', 'a comma where the decimal point belongs'],
  ['1.234,50', 'a comma where the decimal point belongs'],
  ['১২৩৪,৫০', 'a comma where the decimal point belongs'],
  ['500.005', 'more than two decimals'],
  ['1.234', 'more than two decimals'],
  ['1.234.567', 'not digits'],
  ['1,2,345', 'do not stand where an amount has them'],
  ['1,2345', 'do not stand where an amount has them'],
  ['1234,567', 'do not stand where an amount has them'],
  ['123,45,678', 'do not stand where an amount has them'],
  ['1,23,456,789', 'do not stand where an amount has them'],
  [',500', 'do not stand where an amount has them'],
  ['500,', 'do not stand where an amount has them'],
  ['500.', 'do not stand where an amount has them'],
  ['.50', 'not digits'],
  ['0500', 'it starts with 0'],
  ['0,500', 'do not stand where an amount has them'],
  ['1000000000000000', 'more than 15 digits'],
  ['#REF!', 'a spreadsheet wrote an error there'],
  ['#N/A', 'a spreadsheet wrote an error there'],
  ['########', 'a spreadsheet wrote an error there'],
  ['=SUM(A1:A3)', 'it is a formula'],
  ['N/A', 'not digits'],
  ['NULL', 'not digits'],
  ['five hundred', 'not digits'],
  ['৳', 'not digits'],
  ['$500', 'not digits'],
  ['BDT 500 Tk', 'not digits'],
  ['1 500', 'not digits'],
  ["1'500", 'not digits'],
  ['5 00', 'not digits'],
  ['５００', 'not digits'],
  ['٥٠٠', 'not digits'],
  ['500\u200b', 'not digits'],
  ['0x1f4', 'not digits'],
  ['Infinity', 'not digits'],
]

describe('an amount in the merchant’s file', () => {
  it.each(readable)('%j is %s', (text, amount) => {
    const result = readLedgerAmount(text)
    expect(result.ok && result.paisa !== null && formatPaisa(result.paisa)).toBe(amount)
  })

  it.each(['', ' ', '\u00a0', '\t'])('%j is blank: nobody wrote an amount down', (text) => {
    expect(readLedgerAmount(text)).toEqual({ok: true, paisa: null})
  })

  it.each(unreadable)('%j is refused: %s', (text, reason) => {
    const result = readLedgerAmount(text)
    expect(result.ok ? 'read' : result.reason).toContain(reason)
  })

  it('shows neither a phone that slipped into the column nor what could drive a terminal', () => {
    const phone = readLedgerAmount('01712345678')
    expect(phone).toEqual({
      ok: false,
      reason: '"017****5678" is not an amount: it starts with 0, as a phone or an account does',
    })
    const hostile = readLedgerAmount('\u001b[31m5')
    expect(hostile.ok ? '' : hostile.reason).toContain('"\\u{1b}[31m5"')
  })
})
