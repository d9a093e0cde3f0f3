import {cpSync, mkdirSync, rmSync} from 'node:fs'
import {createServer as createHttpServer} from 'node:http'
import {type AddressInfo, connect, createServer} from 'node:net'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'

import type {ResendOutcome} from '../fake-service/book.ts'
import {reset} from '../fake-service/replies.ts'
import {startFakeService} from '../fake-service/service.ts'
import {signed} from '../sandbox/acting-merchant.ts'
import type {Machine} from './machine.ts'
import {expectStatus} from './outcome.ts'
import type {Outcome} from './own-home.ts'
import {findingOf} from './report.ts'
import {type Scenario, startScenario} from './scenario.ts'

/** The same merchant by other names: two profiles of a file. */
async function otherNames(
  scenario: Scenario,
  more = '',
): Promise<{one: NodeJS.ProcessEnv; other: NodeJS.ProcessEnv}> {
  const {service, machine} = scenario
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
const createsOf = ({service}: Scenario) =>
  service.calls.everSeen
    .filter(({name}) => name === 'payout.create')
    .map(({body}) => String(JSON.parse(body).outOrderNo))

describe.concurrent('one merchant has one memory, whatever it is called (P14)', () => {
  it('what was resent by one name cools down for the other', async () => {
    await using scenario = await startScenario()
    const id = scenario.addLost('D-1', [{leadsTo: 'failed', code: 502}])
    const {one, other} = await otherNames(scenario)
    await scenario.reconcile(['--yes'])
    const counts: number[] = [scenario.resendsOf(id)]
    for (const env of [one, other]) {
      await scenario.reconcile(['--yes'], {env})
      counts.push(scenario.resendsOf(id))
    }
    expect(counts).toEqual([1, 0, 0])
  })

  it('what is in doubt by one name is in doubt for the other', async () => {
    await using scenario = await startScenario()
    const id = scenario.addLost('D-1', [lost])
    const {one} = await otherNames(scenario)
    await scenario.reconcile(['--yes'])
    const second = await scenario.reconcile(['--yes', '--ignore-cooldown'], {env: one})
    expect([scenario.resendsOf(id), findingOf(second.report, 'D-1').cause]).toEqual([0, 'resend_in_doubt'])
  })

  it('while one run is at work, those by the other names are turned away with 9', async () => {
    await using scenario = await startScenario()
    const ids = [1, 2, 3, 4, 5, 6].map((n) => scenario.addLost(`D-${n}`))
    const {one, other} = await otherNames(scenario)
    const args = ['reconcile', await scenario.ledger(), '--yes', '--json']
    let queries = 0
    const held = scenario.service.calls.hold(({name}) => name === 'deposit.query' && queries++ === 0)
    const first = scenario.machine.start(args).ended
    await held.seen
    const turnedAway = await Promise.all([one, other].map((env) => scenario.machine.start(args, {env}).ended))
    held.letGo()
    expect([(await first).status, ...turnedAway.map(({status}) => status)]).toEqual([0, 9, 9])
    expect(ids.map((id) => scenario.resendsOf(id))).toEqual([1, 1, 1, 1, 1, 1])
  })

  it('payouts: one ceiling, one guard of repetitions, one set of numbers', async () => {
    await using scenario = await startScenario()
    const {one, other} = await otherNames(scenario, 'payouts = { daily_ceiling = "1500.00" }\n')
    const pay = (env: NodeJS.ProcessEnv, ...args: Parameters<typeof payout>): Promise<Outcome> =>
      scenario.machine.run(payout(...args), {env})
    expectStatus(await pay(one, 'P-1', '01712345678'), 0, 7)
    expectStatus(await pay(other, 'P-2', '01712345679'), 2)
    expectStatus(await pay(other, 'P-1', '01712345678', '400.00'), 2)
    expectStatus(await pay(other, 'P-3', '01712345678'), 2)
    expect(createsOf(scenario)).toEqual(['P-1'])
  })
})

describe.concurrent('an address that was never seen of the merchant', () => {
  const live = {HISAB_ENVIRONMENT: 'live'}
  const elsewhere = {
    HISAB_BASE_URL: 'https://pay.moved.invalid/v1',
    HISAB_APPLY_URL: 'https://pay.moved.invalid/v1',
  }

  it('is refused before any call, until it is linked or its environment is named', async () => {
    await using scenario = await startScenario()
    const {machine} = scenario
    scenario.addLost('D-1')
    expectStatus((await scenario.reconcile(['--yes'], {env: live})).outcome, 0)
    const ledger = await scenario.ledger()
    const dry = (env: NodeJS.ProcessEnv) => machine.run(['reconcile', ledger, '--dry-run', '--json'], {env})

    // The word for the journal that is there lets no address in: only one that has none yet says what an address is.
    for (const word of [undefined, 'live', 'live', undefined]) {
      const refused = await dry({...elsewhere, HISAB_ENVIRONMENT: word})
      expectStatus(refused, 2)
      expect(JSON.parse(refused.stdout).error).toMatchObject({
        message: expect.stringContaining('https://pay.moved.invalid'),
        hint: expect.stringMatching(/hisab journal link.*HISAB_ENVIRONMENT/),
      })
    }
    expect((await dry({...elsewhere, HISAB_ENVIRONMENT: 'staging'})).status).not.toBe(2)
    expectStatus(await machine.run(['journal', 'link', '--json'], {env: elsewhere}), 0)
    expect((await dry(elsewhere)).status).not.toBe(2)
  })

  it.each([undefined, 'live'])('ends no doubt of another deployment (environment %s)', async (word) => {
    await using scenario = await startScenario()
    await using other = await startFakeService()
    const {machine, service} = scenario
    Object.assign(other.merchant, service.merchant)
    service.on('payout.create', (act) => {
      act()
      return reset
    })
    service.on('payout.query', () => reset)
    const env = {HISAB_ENVIRONMENT: word}
    const moved = {...env, HISAB_BASE_URL: other.baseUrl, HISAB_APPLY_URL: other.applyUrl}
    expectStatus(await machine.run(payout('P-1', '01712345678'), {env}), 6)

    expectStatus(await machine.run(payout('P-1', '01712345678'), {env: moved}), 2)
    expectStatus(await machine.run(['payout', 'query', 'P-1', '--json'], {env: moved}), 7)
    const listed = await machine.run(['payout', 'list', '--in-doubt', '--json'], {env})
    expect(JSON.parse(listed.stdout).orders).toMatchObject([{orderNo: 'P-1', state: 'unknown'}])
    expect(other.book.orders.size).toBe(0)
  })
})

describe.concurrent('words for the environment at one address', () => {
  const words = [undefined, 'live', 'production']

  it('three that begin at once pay once, and the daily ceiling is one', async () => {
    await using scenario = await startScenario()
    const {one} = await otherNames(scenario, 'payouts = { daily_ceiling = "1500.00" }\n')
    const ended = await Promise.all(
      words.map(
        (word, n) =>
          scenario.machine.start(payout(`P-${n}`, `0171234567${n}`), {env: {...one, HISAB_ENVIRONMENT: word}})
            .ended,
      ),
    )
    expect(createsOf(scenario)).toHaveLength(1)
    expect(ended.map(({status}) => status).sort()).toEqual([0, 2, 2])
  })

  it('a second word is refused, names both, and the doctor says so; what is in doubt stays', async () => {
    await using scenario = await startScenario()
    const {machine} = scenario
    const id = scenario.addLost('D-1', [lost, lost])
    expectStatus((await scenario.reconcile(['--yes'], {env: {HISAB_ENVIRONMENT: 'live'}})).outcome, 6)
    const ledger = await scenario.ledger()
    for (const word of [undefined, 'production']) {
      const env = {HISAB_ENVIRONMENT: word}
      const commands = [
        ['reconcile', ledger, '--yes'],
        ['webhooks', 'resend', id, '--yes'],
        ['payout', 'list', '--in-doubt'],
        ['events', 'list'],
      ]
      for (const command of commands) {
        const refused = await machine.run([...command, '--json'], {env})
        expectStatus(refused, 2)
        expect(JSON.parse(refused.stdout).error).toMatchObject({
          message: expect.stringMatching(new RegExp(`"live".*"${word ?? 'sandbox'}"`)),
          hint: expect.stringMatching(/HISAB_ENVIRONMENT=live.*hisab journal link/),
        })
      }
      expectStatus(await machine.run(['doctor', '--offline'], {env}), 2)
    }
    expect(scenario.resendsOf(id)).toBe(1)
    const env = {HISAB_ENVIRONMENT: 'production'}
    const linked = await machine.run(['journal', 'link'], {env})
    expect([linked.status, linked.stderr]).toEqual([0, expect.stringContaining('"live"')])
    expectStatus(await machine.run(['payout', 'list', '--in-doubt'], {env}), 0)
  })
})

/** Another way to a service, as a tunnel is: the same books behind another address. */
async function tunnelTo(url: string): Promise<{url: string} & AsyncDisposable> {
  const {hostname, port: farPort, pathname} = new URL(url)
  const server = createServer((near) => {
    const far = connect(Number(farPort), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from
        .on('error', () => {})
        .on('close', () => to.destroy())
        .pipe(to)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const {port} = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${pathname}`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

describe.concurrent('two ways to one service, and nobody says which environment it is', () => {
  /** The first way is all on this machine, so `sandbox`; the second is `live`, because one of its addresses is not. */
  async function twoWays() {
    const scenario = await startScenario()
    const ways = await Promise.all([scenario.service.baseUrl, scenario.service.applyUrl].map(tunnelTo))
    const [base, apply] = ways.map(({url}) => url)
    const direct = {
      HISAB_BASE_URL: base,
      HISAB_APPLY_URL: apply,
      HISAB_LEGACY_URL: 'https://pay.example.invalid',
    }
    const end = () => Promise.all([scenario, ...ways].map((one) => one[Symbol.asyncDispose]()))
    return {scenario, direct, [Symbol.asyncDispose]: async () => void (await end())}
  }
  const paidAt = ({service}: Scenario) =>
    [...service.book.orders.values()].filter(({kind}) => kind === 'payout').map(({number}) => number)

  it.each(['the tunnel first', 'the tunnel last'])(
    'a payout by one is not paid again by the other: %s',
    async (order) => {
      await using ways = await twoWays()
      const {scenario, direct} = ways
      const [first, second] = order === 'the tunnel first' ? [{}, direct] : [direct, {}]
      const {machine} = scenario
      expectStatus(await machine.run(payout('P-1', '01712345678'), {env: first}), 0)
      for (const command of [payout('P-1b', '01712345678'), ['payout', 'list', '--in-doubt', '--json']]) {
        const refused = await machine.run(command, {env: second})
        expectStatus(refused, 2)
        const [theirs, ours] = order === 'the tunnel first' ? ['sandbox', 'live'] : ['live', 'sandbox']
        expect(JSON.parse(refused.stdout).error).toMatchObject({
          message: expect.stringContaining(`environment "${theirs}"`),
          hint: expect.stringMatching(
            new RegExp(`environment = "${theirs}".*hisab journal link.*HISAB_ENVIRONMENT=${ours}`),
          ),
        })
      }
      expect(paidAt(scenario)).toEqual(['P-1'])
    },
  )

  it('two that begin at once pay once', async () => {
    await using ways = await twoWays()
    const {scenario, direct} = ways
    const begun = [
      scenario.machine.start(payout('P-1', '01712345678')),
      scenario.machine.start(payout('P-2', '01712345678'), {env: direct}),
    ].map(({ended}) => ended)
    const statuses = (await Promise.all(begun)).map(({status}) => status)
    expect(statuses.sort()).toEqual([0, 2])
    expect(paidAt(scenario)).toHaveLength(1)
  })

  it('the word of the first makes one memory of them, and another word a second memory', async () => {
    await using ways = await twoWays()
    const {scenario, direct} = ways
    const {machine} = scenario
    expectStatus(await machine.run(payout('P-1', '01712345678')), 0)
    const same = {...direct, HISAB_ENVIRONMENT: 'sandbox'}
    expectStatus(await machine.run(payout('P-1b', '01712345678'), {env: same}), 2)
    expectStatus(await machine.run(['journal', 'link'], {env: same}), 0)
    const repeated = await machine.run(payout('P-1b', '01712345678'), {env: same})
    expect(JSON.parse(repeated.stdout).error.code).toBe('payout_repeated')
    expect(paidAt(scenario)).toEqual(['P-1'])

    for (const more of [[], ['--start-over', '--reason', 'moved']]) {
      const linked = await machine.run(['journal', 'link', ...more], {env: direct})
      expect([linked.status, linked.stderr]).toEqual([2, expect.stringContaining('environment = "sandbox"')])
    }
    expectStatus(await machine.run(payout('P-1b', '01712345678'), {env: direct}), 2)
    expect(paidAt(scenario)).toEqual(['P-1'])
    const named = {...direct, HISAB_ENVIRONMENT: 'live'}
    const linked = await machine.run(['journal', 'link'], {env: named})
    expect([linked.status, linked.stderr]).toEqual([0, expect.stringContaining('"sandbox"')])
    expectStatus(await machine.run(['payout', 'list', '--in-doubt'], {env: named}), 0)
  })
})

describe.concurrent('a receiver, where nothing was sent yet', () => {
  it('hands each event on once, whatever word the environment has and whichever way the service is reached', async () => {
    await using scenario = await startScenario()
    const {machine, service} = scenario
    const got: string[] = []
    const merchant = createHttpServer((request, response) => {
      got.push(request.url ?? '')
      response.end()
    })
    await new Promise<void>((resolve) => merchant.listen(0, '127.0.0.1', resolve))
    const {port} = merchant.address() as AddressInfo
    const listen = ['webhooks', 'listen', '--port', '0', '--forward-to', `http://127.0.0.1:${port}/hook`]
    const {id: merchantId, apiSecret, apiKey} = service.merchant
    const event = {event: 'order.completed', orderNo: 'D-1', platformOrderNo: 'PF-1', status: 'completed'}
    const fields = {...event, amount: '500.00', playerRef: 'u1'}
    const body = JSON.stringify(signed(fields, {merchantId, apiSecret, apiKey}))
    const words: NodeJS.ProcessEnv[] = [
      {},
      ...['prod', 'live', 'staging'].map((word) => ({HISAB_ENVIRONMENT: word})),
      {HISAB_BASE_URL: 'https://pay.example.invalid/v1'},
      {},
    ]
    const statuses: unknown[] = []
    for (const env of words) {
      const running = machine.start(listen, {env})
      const said = await running.says('Ctrl-C ends it.').catch(() => null)
      const url = said ? /Listening at (http:\S+)/.exec(said)?.[1] : undefined
      if (url === undefined) {
        statuses.push((await running.ended).status)
        continue
      }
      statuses.push(`HTTP ${(await fetch(url, {method: 'POST', body})).status}`)
      await running.end('SIGINT')
    }
    merchant.close()
    expect(got).toEqual(['/hook'])
    expect(statuses).toEqual(['HTTP 200', 2, 2, 2, 2, 'HTTP 200'])
  })
})

describe.concurrent('a journal that is gone', () => {
  it('is missed, and a resend in doubt is not sent again', async () => {
    await using scenario = await startScenario()
    const id = scenario.addLost('D-1', [lost])
    await scenario.reconcile(['--yes'])
    rmSync(join(scenario.machine.dataDir, 'journal'), {recursive: true})
    const ledger = await scenario.ledger()
    const again = await scenario.machine.run(['reconcile', ledger, '--yes', '--json'])
    expectStatus(again, 2)
    expect(JSON.parse(again.stdout).error.hint).toContain('hisab journal link --start-over')
    const doctor = await scenario.machine.run(['doctor', '--offline', '--json'])
    expectStatus(doctor, 2)
    expect(JSON.parse(doctor.stdout).checks).toContainEqual(
      expect.objectContaining({name: 'journal', status: 'failed', why: expect.stringContaining('is gone')}),
    )
    expect(scenario.resendsOf(id)).toBe(1)
    await startOver(scenario.machine)
    expect((await scenario.machine.run(['reconcile', ledger, '--dry-run', '--json'])).status).not.toBe(2)
  })

  it('is missed where a copy of journal/ is put back on another disk', async () => {
    await using scenario = await startScenario()
    const {machine, service} = scenario
    expectStatus(await machine.run(payout('P-1', '01712345678')), 0)
    const journal = join(machine.dataDir, 'journal')
    const copy = join(machine.workDir, 'copy')
    cpSync(journal, copy, {recursive: true})
    service.on('payout.create', (act) => {
      act()
      return reset
    })
    service.on('payout.query', () => reset)
    expectStatus(await machine.run(payout('P-2', '01712345679')), 6)
    service.on('payout.create', (act) => act())
    service.on('payout.query', (act) => act())

    rmSync(machine.dataDir, {recursive: true})
    mkdirSync(machine.dataDir, {mode: 0o700})
    cpSync(copy, journal, {recursive: true})
    expectStatus(await machine.run(payout('P-2b', '01712345679')), 2)
    expectStatus(await machine.run(['payout', 'list', '--in-doubt', '--json']), 2)
    expectStatus(await machine.run(['doctor', '--offline', '--json']), 2)
    expect(new Set(createsOf(scenario))).toEqual(new Set(['P-1', 'P-2']))
    await startOver(machine)
    expectStatus(await machine.run(payout('P-2', '01712345679')), 2)
    expectStatus(await machine.run(['payout', 'list', '--json']), 0)
  })
})

async function startOver(machine: Machine): Promise<void> {
  expectStatus(await machine.run(['journal', 'link', '--start-over', '--json']), 2)
  expectStatus(await machine.run(['journal', 'link', '--start-over', '--reason', 'the disk died']), 0)
}
