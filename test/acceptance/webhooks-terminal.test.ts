import {describe, expect} from 'vitest'

import {it as dayIt, type PlayedDay} from './played-day.ts'
import type {PlayedOrder} from './played-service.ts'
import {hasTerminal, keys, openTerminal} from './terminal.ts'

const orders: PlayedOrder[] = [
  {orderNo: 'T-1', ending: {paid: '100.00'}},
  {orderNo: 'T-2', ending: {paid: '200.00'}, isWebhookLost: true},
  {orderNo: 'T-3', ending: {paid: '300.00'}, isWebhookLost: true},
  {orderNo: 'T-4', ending: {paid: '400.00'}, isWebhookLost: true},
]
const it = dayIt.extend<{day: PlayedDay}>({day: async ({openDay}, use) => use(await openDay(orders))})

/** Cursor movements and colours, taken out of what a screen shows. */
const codes = /\u001b\[[0-9;?]*[A-Za-z]/g
const colour = /\u001b\[[0-9;]*m/
const space = ' '
const down = '\u001b[B'

describe.skipIf(!hasTerminal).concurrent('in a terminal (skipped where python3 has no pty)', () => {
  it('--pick: what is marked is shown again, asked for, and sent; the others are not', async ({
    day: {service, home},
  }) => {
    const screen = openTerminal(home, ['webhooks', 'resend', '--pick'])
    await screen.shows('Which to resend?')
    await screen.shows('T-2')
    screen.type(`${down}${space}`)
    screen.type(keys.enter)
    await screen.shows('Resend 1 now?')
    expect(screen.text.replaceAll(codes, '')).toMatch(
      /Plan: resend 1 webhook \(order\.completed\) to 127\.0\.0\.1:\d+, once\s+each\./,
    )
    expect(service.delivered).toEqual([])
    screen.type(`y${keys.enter}`)
    expect(await screen.ended).toBe(0)
    // Three records of one moment: the list says which one is the second.
    const [, , second] = /Which to resend\?.*?(T-\d).*?(T-\d)/s.exec(screen.text) ?? []
    expect(service.delivered).toEqual([second])
  })

  it.for([
    ['Ctrl-C in the list', keys.ctrlC, 130],
    ['nothing marked', keys.enter, 0],
  ] as const)('--pick and %s: nothing is sent', async ([, answer, status], {day: {service, home}}) => {
    const screen = openTerminal(home, ['webhooks', 'resend', '--pick'])
    await screen.shows('T-2')
    screen.type(answer)
    expect(await screen.ended).toBe(status)
    expect(service.door.count('/resend')).toBe(0)
  })

  const narrow = {TERMINAL_COLUMNS: '80'}
  const listings: string[][] = [
    ['webhooks', 'list', '--all'],
    ['webhooks', 'resend', '--status', 'failed', '--dry-run'],
  ]

  it.for(listings)('%s %s: of 80 columns: no line is wider', async (args, {day: {home}}) => {
    const screen = openTerminal(home, args, narrow)
    await screen.ended
    const lines = screen.text.replaceAll(codes, '').split(/[\r\n]+/)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(screen.text).toContain('T-3')
  })

  it.for([...listings, ['webhooks', 'list', '--outages']])(
    '%s %s %s: colour, and with NO_COLOR none',
    async (args, {day: {home}}) => {
      const styled = openTerminal(home, args)
      const plain = openTerminal(home, args, {NO_COLOR: '1'})
      await Promise.all([styled.ended, plain.ended])
      expect(styled.text).toMatch(colour)
      expect(plain.text).not.toMatch(colour)
      expect(plain.text).toMatch(/T-3|3 orders/)
    },
  )
})
