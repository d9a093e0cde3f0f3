import {expect, test} from 'vitest'

import {Payers} from '../../src/ledger/payer-lines.ts'
import {PlayerRemarks} from '../../src/ledger/player-remarks.ts'

/** The lost order D-9: 500.00 of Karim Uddin. */
test.each<[what: string, remark: string, ofRow: string, held: boolean]>([
  ["an agent of his first name, and the row's own amount", 'via agent Karim - 500 given', '500.00', false],
  ['his first name and his amount', 'Karim - 500 given', '300.00', true],
  ['his whole name, and the amount of both', 'Karim Uddin - 500 given', '500.00', true],
  ['his whole name and a part', 'Karim Uddin 250 given', '300.00', true],
  ['his whole name and a bonus', 'bonus 50 for Karim Uddin given', '300.00', false],
])('a remark beside the row of another player has %s', (_what, remark, ofRow, held) => {
  const payers = new Payers()
  const lost = {orderNo: 'D-9', platformOrderNo: 'p-9', amount: 50_000n, playerRef: 'Karim Uddin'}
  expect([...payers.taking([lost])]).toEqual([lost])
  const remarks = new PlayerRemarks(['no', 'amount', 'player', 'Remarks'], (at) => at === 3, {
    playerAt: 2,
    left: new Set(),
  })
  const row = {player: 'Mina Begum', amount: ofRow, line: 2, isBooked: true}
  remarks.take(row, ['D-1', ofRow, row.player, remark], [])
  const found = new Set<string>()
  const take = (orderNo: string) => void found.add(orderNo)
  remarks.finish(payers, take, take, () => void found.add('all'))
  expect([...found]).toEqual(held ? ['D-9'] : [])
})
