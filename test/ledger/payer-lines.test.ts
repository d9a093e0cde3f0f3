import {expect, test} from 'vitest'

import {PayerLines, Payers} from '../../src/ledger/payer-lines.ts'

/** L-1 of pl-7, Rahim Uddin, and L-2 of pl-8 are about to be resent; U-1 and U-2 are not paid. */
function heldBy(...lines: readonly (readonly string[])[]): string[] {
  const payers = new Payers()
  const found = new PayerLines(payers)
  for (const [nth, line] of lines.entries()) found.take(line, nth + 1)
  payers.add('L-1', ['pl-7', 'Rahim Uddin'], '7,157.00', true)
  payers.add('L-2', ['pl-8'], '570', true)
  payers.add('U-1', ['pl-1'], '100', false)
  payers.add('U-2', ['pl-2'], '200', false)
  payers.addNumber('1f0c2f4e-9a52-4f0e-9a52-3b6a8a1f2c01')
  const held: string[] = []
  found.finish((orderNo) => held.push(orderNo))
  return held
}

test.each<[what: string, line: readonly string[], held: readonly string[]]>([
  ['player and amount', ['pl-7', '7157'], ['L-1']],
  ['in a sentence', ['Topped up PL-7 7157tk'], ['L-1']],
  ['less a fee', ['pl-7', 'BDT 7,000.00'], ['L-1']],
  ['by name', ['Rahim Uddin', '7157.00'], ['L-1']],
  ['by a part of the name', ['rahim', '৭১৫৭'], ['L-1']],
  ['with the day before it', ['22/11/2026', 'pl-7', '7157', 'karim'], ['L-1']],
  ['another amount', ['pl-7', '300'], []],
  ['another player', ['pl-9', '7157'], []],
  ['the amount in a date', ['pl-8', '22/11/570'], []],
  ['a row of another order', ['2f0c2f4e-9a52-4f0e-9a52-3b6a8a1f2c02', 'pl-7', '7157'], []],
  ['no amount', ['pl-7', ''], []],
])('a line with %s', (_, line, held) => {
  expect(heldBy(line)).toEqual(held)
})

test('a list that has the unpaid orders too is no list of bookings', () => {
  expect(heldBy(['pl-7', '7157'], ['pl-1', '100'])).toEqual([])
  expect(heldBy(['pl-7', '7157'], ['pl-9', '100'])).toEqual(['L-1'])
})
