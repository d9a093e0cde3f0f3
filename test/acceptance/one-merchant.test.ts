import {rmSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'

import type {ResendOutcome} from '../fake-service/book.ts'
import type {Machine, Outcome} from './machine.ts'
import {beginNight, type Night} from './night.ts'
import {expectStatus} from './outcome.ts'
import {findingOf} from './report.ts'

/** The same merchant by other names: two profiles of a file. */
async function otherNames(
  night: Night,
  more = '',
): Promise<{one: NodeJS.ProcessEnv; other: NodeJS.ProcessEnv}> {
  const {service, machine} = night
  const profile = (name: string, id: string) =>
    `[profiles.${name}]\nmerchant_id = "${id}"\nbase_url = "${service.baseUrl}"\napply_url = "${service.applyUrl}"
return_url = "https://merchant.example/webhooks"\n${more}`
  const {id} = service.merchant
  const path = await machine.write('config.toml', `${profile('live', id)}${profile('nightly', id)}`)
  const unset = {HISAB_MERCHANT_ID: undefined, HISAB_BASE_URL: undefined, HISAB_APPLY_URL: undefined}
  return {
    one: {...unset, HISAB_CONFIG: path, HISAB_PROFILE: 'live'},
    other: {...unset, HISAB_CONFIG: path, HISAB_PROFILE: 'nightly'},
  }
}

const lost: ResendOutcome = {leadsTo: 'reset', delivered: false}

const payout = (number: string, account: string, amount = '1000.00') => [
  ...[
    'payout',
    'create',
    '--order-no',
    number,
    '--amount',
    amount,
    '--bank-type',
    'BKASH',
    '--yes',
    '--json',
  ],
  ...['--user-name', 'Rahim Uddin', '--account', account],
]

/** Creates the service has seen, by the merchant's number. */
const createsOf = ({service}: Night) =>
  service.calls.everSeen
    .filter(({name}) => name === 'payout.create')
    .map(({body}) => String(JSON.parse(body).outOrderNo))

describe.concurrent('one merchant has one memory, whatever it is called (P14)', () => {
  it('what was resent by one name cools down for the other', async () => {
    await using night = await beginNight()
    const id = night.addLost('D-1', [{leadsTo: 'failed', code: 502}])
    const {one, other} = await otherNames(night)
    await night.reconcile(['--yes'])
    const counts: number[] = [night.resendsOf(id)]
    for (const env of [one, other]) {
      await night.reconcile(['--yes'], {env})
      counts.push(night.resendsOf(id))
    }
    expect(counts).toEqual([1, 0, 0])
  })

  it('what is in doubt by one name is in doubt for the other', async () => {
    await using night = await beginNight()
    const id = night.addLost('D-1', [lost])
    const {one} = await otherNames(night)
    await night.reconcile(['--yes'])
    const second = await night.reconcile(['--yes', '--ignore-cooldown'], {env: one})
    expect([night.resendsOf(id), findingOf(second.report, 'D-1').cause]).toEqual([0, 'resend_in_doubt'])
  })

  it('two runs at once: one works, the other is turned away with 9', async () => {
    await using night = await beginNight()
    const ids = [1, 2, 3, 4, 5, 6].map((n) => night.addLost(`D-${n}`))
    const {one, other} = await otherNames(night)
    const ledger = await night.ledger()
    const runs = [{}, one, other].map((env) =>
      night.machine.run(['reconcile', ledger, '--yes', '--json'], {env}),
    )
    const ended = await Promise.all(runs)
    expect(ids.map((id) => night.resendsOf(id))).toEqual([1, 1, 1, 1, 1, 1])
    expect(ended.map(({status}) => status).filter((status) => status !== 9).length).toBeGreaterThan(0)
  })

  it('payouts: one ceiling, one guard of repetitions, one set of numbers', async () => {
    await using night = await beginNight()
    const {one, other} = await otherNames(night, 'payouts = { daily_ceiling = "1500.00" }\n')
    const pay = (env: NodeJS.ProcessEnv, ...args: Parameters<typeof payout>): Promise<Outcome> =>
      night.machine.run(payout(...args), {env})
    expectStatus(await pay(one, 'P-1', '01712345678'), 0, 7)
    expectStatus(await pay(other, 'P-2', '01712345679'), 2)
    expectStatus(await pay(other, 'P-1', '01712345678', '400.00'), 2)
    expectStatus(await pay(other, 'P-3', '01712345678'), 2)
    expect(createsOf(night)).toEqual(['P-1'])
  })
})

describe.concurrent('an address that was never seen of the merchant', () => {
  const live = {HISAB_ENVIRONMENT: 'live'}
  const elsewhere = {
    HISAB_BASE_URL: 'https://pay.moved.invalid/v1',
    HISAB_APPLY_URL: 'https://pay.moved.invalid/v1',
  }

  it('is refused before any call, until it is linked or its environment is named', async () => {
    await using night = await beginNight()
    const {machine} = night
    night.addLost('D-1')
    expectStatus((await night.reconcile(['--yes'], {env: live})).outcome, 0)
    const ledger = await night.ledger()
    const dry = (env: NodeJS.ProcessEnv) => machine.run(['reconcile', ledger, '--dry-run', '--json'], {env})

    const refused = await dry(elsewhere)
    expectStatus(refused, 2)
    expect(JSON.parse(refused.stdout).error).toMatchObject({
      message: expect.stringContaining('https://pay.moved.invalid'),
      hint: expect.stringMatching(/hisab journal link.*HISAB_ENVIRONMENT/),
    })
    expect((await dry({...elsewhere, HISAB_ENVIRONMENT: 'staging'})).status).not.toBe(2)
    expectStatus(await machine.run(['journal', 'link', '--json'], {env: elsewhere}), 0)
    expect((await dry(elsewhere)).status).not.toBe(2)
  })
})

describe.concurrent('a journal that is gone', () => {
  it('is missed, and a resend in doubt is not sent again', async () => {
    await using night = await beginNight()
    const id = night.addLost('D-1', [lost])
    await night.reconcile(['--yes'])
    rmSync(join(night.machine.dataDir, 'journal'), {recursive: true})
    const ledger = await night.ledger()
    const again = await night.machine.run(['reconcile', ledger, '--yes', '--json'])
    expectStatus(again, 2)
    expect(JSON.parse(again.stdout).error.hint).toContain('hisab journal link --start-over')
    expect(night.resendsOf(id)).toBe(1)
    await startOver(night.machine)
    expect((await night.machine.run(['reconcile', ledger, '--dry-run', '--json'])).status).not.toBe(2)
  })
})

async function startOver(machine: Machine): Promise<void> {
  expectStatus(await machine.run(['journal', 'link', '--start-over', '--json']), 2)
  expectStatus(await machine.run(['journal', 'link', '--start-over', '--reason', 'the disk died']), 0)
}
