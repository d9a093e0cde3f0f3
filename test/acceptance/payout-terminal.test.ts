import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'

import {type FakeService, startFakeService} from '../fake-service/service.ts'
import {homeAt} from './home-at.ts'
import type {OwnHome} from './own-home.ts'
import {hasTerminal, keys, openTerminal} from './terminal.ts'

const payout = (number: string) => [
  ...['payout', 'create', '--out-order-no', number, '--amount', '120450.50', '--bank-type', 'BKASH'],
  ...['--user-name', 'Rahim Uddin', '--account', '01812345678'],
]
const creates = (service: FakeService) => service.calls.of('payout.create').map(({target}) => target)

async function at(work: (service: FakeService, home: OwnHome) => Promise<void>): Promise<void> {
  await using service = await startFakeService()
  const home = homeAt(service)
  await work(service, home)
  home.remove()
}

describe.skipIf(!hasTerminal).concurrent('a payout in a terminal (skipped where python3 has no pty)', () => {
  it.each([
    ['Enter alone', keys.enter, 2],
    ['n', `n${keys.enter}`, 2],
    ['Ctrl-C', keys.ctrlC, 130],
  ])('%s pays nobody', (_what, answer, status) =>
    at(async (service, home) => {
      const screen = openTerminal(home, payout('P-1'))
      await screen.shows('Pay BDT 1,20,450.50 to 018****5678 now?')
      expect(screen.text).toContain('one lakh twenty thousand four hundred fifty taka and fifty paisa')
      expect(screen.text).toMatch(/018\*\*\*\*5678 {2}Rahim Uddin.*BKASH.*environment, at 127\.0\.0\.1:\d+/s)
      expect(screen.text).not.toContain('01812345678')
      screen.type(answer)
      expect(await screen.ended).toBe(status)
      expect(service.calls.all).toEqual([])
    }),
  )

  it('y pays, and the same to the same again says so in the question', () =>
    at(async (service, home) => {
      const first = openTerminal(home, payout('P-1'))
      await first.shows('now?')
      first.type(`y${keys.enter}`)
      expect(await first.ended).toBe(0)
      const second = openTerminal(home, payout('P-2'))
      await second.shows('AGAIN, under another number?')
      expect(second.text).toContain('already sent as P-1 at')
      second.type(`y${keys.enter}`)
      expect(await second.ended).toBe(0)
      expect(creates(service)).toEqual(['P-1', 'P-2'])
    }))

  it('--yes alone does not answer for a repetition, in a terminal neither', () =>
    at(async (service, home) => {
      expect((await home.run([...payout('P-1'), '--yes'])).status).toBe(0)
      const screen = openTerminal(home, [...payout('P-2'), '--yes'])
      expect(await screen.ended).toBe(2)
      expect(screen.text).toContain('--allow-repeat')
      expect(creates(service)).toEqual(['P-1'])
    }))

  it('a file is asked for once, with its sums by channel; no sends nothing and writes nothing', () =>
    at(async (service, home) => {
      home.write(
        'payouts.csv',
        `out_order_no,amount,bank_type,user_name,account
P-1,100000,BKASH,Rahim,01812345678
P-2,20000.50,NAGAD,Karim,01912345678
`,
      )
      const pay = ['payout', 'create', '--from', 'payouts.csv']
      const refused = openTerminal(home, pay)
      await refused.shows('Pay 2 payouts, BDT 1,20,000.50?')
      expect(refused.text).toMatch(
        /BKASH +1 +1,00,000\.00.*NAGAD +1 +20,000\.50.*one lakh twenty thousand taka/s,
      )
      refused.type(keys.enter)
      expect(await refused.ended).toBe(2)
      expect(service.calls.all).toEqual([])
      expect(existsSync(join(home.workDir, 'payouts.result.csv'))).toBe(false)

      const paid = openTerminal(home, pay)
      await paid.shows('Pay 2 payouts')
      paid.type(`y${keys.enter}`)
      expect(await paid.ended).toBe(0)
      expect(creates(service)).toEqual(['P-1', 'P-2'])
    }))
})
