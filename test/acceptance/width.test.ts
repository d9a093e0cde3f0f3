import {stripVTControlCharacters} from 'node:util'

import {describe, expect} from 'vitest'

import {it} from './played-day.ts'
import {hasTerminal, openTerminal} from './terminal.ts'

const orders = [
  {orderNo: 'W-1', ending: {paid: '100.00'}},
  {orderNo: 'W-2', ending: {paid: '123456.00'}, isWebhookLost: true},
] as const

describe.skipIf(!hasTerminal).concurrent('on a terminal of', () => {
  it.for([60, 80, 120])('%i columns the table of verdicts stands within it', async (columns, {openDay}) => {
    const {home} = await openDay(orders)
    home.write('ledger.csv', 'order_no,kind,status,amount\nW-1,deposit,paid,100\nW-2,deposit,open,123456\n')
    const screen = openTerminal(home, ['reconcile', 'ledger.csv', '--dry-run'], {
      TERMINAL_COLUMNS: `${columns}`,
    })
    expect(await screen.ended).toBe(8)
    const shown = stripVTControlCharacters(screen.text).replaceAll('\r', '')
    const [, table = ''] = /^(RESULT[\s\S]*?)\n\n/m.exec(shown) ?? []
    expect(table).toMatch(/paid, not booked[\s\S]*1,23,456\.00[\s\S]*webhook failed, no retry left/)
    expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns)
  })
})
