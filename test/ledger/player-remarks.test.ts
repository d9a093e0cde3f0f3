import {expect, test} from 'vitest'

import {Payers} from '../../src/ledger/payer-lines.ts'
import {PlayerRemarks} from '../../src/ledger/player-remarks.ts'

const ofLedger = () =>
  new PlayerRemarks(['no', 'amount', 'player', 'Remarks'], (at) => at === 3, {playerAt: 2, left: new Set()})

/** The orders that the remark beside the row of a player holds; `all` if it may be any. */
function heldBy(remark: string, player: string, amount: string, payers: Payers): string[] {
  const remarks = ofLedger()
  remarks.take({player, amount, line: 2, isBooked: true}, ['D-1', amount, player, remark], [])
  const found = new Set<string>()
  const take = (orderNo: string) => void found.add(orderNo)
  remarks.finish(payers, take, take, () => void found.add('all'))
  return [...found]
}

/** The lost order D-9: 500.00 of Karim Uddin. */
test.each<[what: string, remark: string, ofRow: string, held: boolean]>([
  ["an agent of his first name, and the row's own amount", 'via agent Karim - 500 given', '500.00', false],
  ['his first name and his amount', 'Karim - 500 given', '300.00', true],
  ['his whole name, and the amount of both', 'Karim Uddin - 500 given', '500.00', true],
  ['his whole name and a part', 'Karim Uddin 250 given', '300.00', true],
  ['his whole name and a bonus', 'bonus 50 for Karim Uddin given', '300.00', false],
  ['his first name', 'Karim er ta o dilam', '300.00', true],
  ['his first name and bhai', 'Karim bhai er ta clear', '300.00', true],
  ['his last name and an initial', 'K. Uddin given', '300.00', true],
  ['his first name, as of a friend', 'friend of Karim', '300.00', false],
  ['a telephone that no row has, by hand', '01911000111 credited by hand', '300.00', true],
  ['a telephone that no row has', 'called 01911000111', '300.00', false],
  ['his first name, as of an agent', 'agent Karim done', '300.00', false],
])('a remark beside the row of another player has %s', (_what, remark, ofRow, held) => {
  const payers = new Payers()
  const lost = {orderNo: 'D-9', platformOrderNo: 'p-9', amount: 50_000n, playerRef: 'Karim Uddin'}
  expect([...payers.taking([lost])]).toEqual([lost])
  expect(heldBy(remark, 'Mina Begum', ofRow, payers)).toEqual(held ? ['D-9'] : [])
})

/** D-9 is lost, of the player pl-4821 with the telephone 01711225678. */
test.each<[remark: string, held: boolean]>([
  ['4821 er ta dewa', true],
  ['4821, 5310 booked by hand', true],
  ['017****5678 booked by hand', true],
  ['01711xxx678 done', true],
  ['...678 number er ta dewa', true],
  ['018****5678 booked by hand', false],
  ['***5679 credited', false],
  ['01911000111 credited by hand', false],
  ['bal 4821', false],
])('a remark beside the row of another player: %s', (remark, held) => {
  const payers = new Payers()
  payers.add('D-9', ['pl-4821'], '500.00', true, ['01711225678'])
  expect(heldBy(remark, 'pl-1000', '300.00', payers)).toEqual(held ? ['D-9'] : [])
})

/** PL-1001 has a booked row with the remark, and an order of 500.00 that is lost. */
test.each<[remark: string, held: boolean]>([
  ['2 ta eksathe', true],
  ['2ta', true],
  ['x2', true],
  ['dui ta mila', true],
  ['night one as well', true],
  ['19:45 er ta o', true],
  ['total 800', true],
  ['total 900', false],
  ['2 bar dise', true],
  ['double checked with bKash', false],
  ['bonus dilam', false],
  ['welcome bonus hate disi', false],
  ['ref dise', false],
])('a remark beside the own row of 300.00: %s', (remark, held) => {
  const payers = new Payers()
  payers.add('D-9', ['PL-1001'], '500.00', true)
  expect(heldBy(remark, 'PL-1001', '300.00', payers)).toEqual(held ? ['D-9'] : [])
})

/** A row whose number the service does not know. */
test.each<[cells: readonly string[], held: boolean]>([
  [['RUBEL-BATCH', '4500.00', '', ''], true],
  [['AGENT CREDIT', '4500.00', '', 'Rubel er 6 customer'], true],
  [['ADJ-7', '4500.00', '', 'booked by hand, 6 players'], true],
  [['ADJ-7', '4500.00', '', 'checked'], false],
])('a booked row that is nobody’s: %j', (cells, held) => {
  const remarks = ofLedger()
  remarks.takeNoRow({player: '', amount: '4500.00', line: 2, isBooked: true}, cells, false)
  let isAll = false
  const take = () => undefined
  remarks.finish(new Payers(), take, take, () => {
    isAll = true
  })
  expect(isAll).toBe(held)
})
