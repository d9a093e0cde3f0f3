import {describe, expect, it} from 'vitest'
import {expectStatus, readDocument, readError} from './outcome.ts'
import {startScenario} from './scenario.ts'

const id = '0b5e55ed-0000-4000-8000-000000000001'
const yes = ['--yes']
const payout = [
  ...['payout', 'create', '--order-no', 'P-1', '--amount', '5.00', '--bank-type', 'NAGAD'],
  ...['--user-name', 'Rahim', '--account', '01711112222', '--yes'],
]

/** Every command that talks to the service, in its shortest form. */
const online: readonly (readonly string[])[] = [
  ['deposit', 'create', '--order-no', 'D-1', '--player-phone', '01711112222', '--player-ref', 'u-7'],
  ['deposit', 'query', 'D-1'],
  payout,
  ['payout', 'query', 'P-1'],
  ['webhooks', 'list'],
  ['webhooks', 'get', id],
  ['webhooks', 'resend', id, ...yes],
]

const cases = online.map((args) => ({args, name: args.slice(0, 2).join(' ')}))

/** Both ways of asking: the status is the same, and under --json stdout is the error document and nothing else. */
const asText = [[], ['--json']] as const

describe.concurrent.each(cases)('$name', ({args}) => {
  it('without credentials: 3, and no request', async () => {
    await using scenario = await startScenario()
    for (const flags of asText) {
      const env = {HISAB_API_SECRET: undefined}
      const outcome = await scenario.machine.run([...args, ...flags], {env})
      expectStatus(outcome, 3)
      if (flags.length > 0) readError(outcome)
      else expect(outcome.stdout).toBe('')
    }
    expect(scenario.service.calls.all).toEqual([])
  })

  it('with credentials the service rejects: 3', async () => {
    await using scenario = await startScenario()
    const env = {HISAB_API_SECRET: 'the-secret-of-someone-else'}
    const outcome = await scenario.machine.run([...args, '--json'], {env})
    expectStatus(outcome, 3)
    readError(outcome)
  })

  it('with nobody at the address: 5', async () => {
    await using scenario = await startScenario()
    const nobody = 'http://127.0.0.1:9'
    const env = {HISAB_BASE_URL: `${nobody}/v1`, HISAB_APPLY_URL: `${nobody}/v1`, HISAB_LEGACY_URL: nobody}
    const outcome = await scenario.machine.run([...args, '--json'], {env})
    expectStatus(outcome, 5)
    readError(outcome)
  })

  it('with a flag nobody knows: 2, and nothing of the environment is shown', async () => {
    await using scenario = await startScenario({isBuilt: true})
    const outcome = await scenario.machine.run([...args, '--no-such-flag', '--json'])
    expectStatus(outcome, 2)
    expect(readError(outcome).message).toContain('--no-such-flag')
    expect(Object.keys(readDocument<object>(outcome))).toEqual(['error'])
    expect(scenario.service.calls.all).toEqual([])
  })

  it('over plain http to another machine: refused with 2 (P21)', async () => {
    await using scenario = await startScenario()
    const far = 'http://pay.example'
    const env = {HISAB_BASE_URL: `${far}/v1`, HISAB_APPLY_URL: `${far}/v1`, HISAB_LEGACY_URL: far}
    const outcome = await scenario.machine.run([...args, '--json'], {env})
    expectStatus(outcome, 2)
    readError(outcome)
  })

  it('a redirect is not followed, and no signature goes elsewhere (P21)', async () => {
    await using scenario = await startScenario()
    await using elsewhere = await startScenario()
    const location = `${elsewhere.service.legacyUrl}/caught`
    const headers = {location}
    for (const name of [
      ...(['deposit.create', 'deposit.query', 'payout.create', 'payout.query'] as const),
      ...(['list', 'get', 'resend'] as const),
    ]) {
      scenario.service.on(name, () => ({
        sends: 'answer',
        httpStatus: 307,
        contentType: 'text/plain',
        text: '',
        headers,
      }))
    }
    const outcome = await scenario.machine.run([...args, '--json'])
    expect(outcome.status).not.toBe(0)
    expect(scenario.service.calls.all).not.toEqual([])
    expect(elsewhere.service.calls.all).toEqual([])
  })
})

const backwards = ['--since', '2026-11-21', '--until', '2026-11-20']

/** What a merchant can mistype: refused here, before anything is signed. */
const mistyped: Readonly<Record<string, readonly string[]>> = {
  'an order number of 33 characters': replaceFlag('--order-no', 'x'.repeat(33)),
  'an empty order number': replaceFlag('--order-no', ''),
  'an amount with three decimals': replaceFlag('--amount', '5.005'),
  'an amount in words': replaceFlag('--amount', 'five'),
  'an amount of nothing': replaceFlag('--amount', '0'),
  'a negative amount': replaceFlag('--amount', '-5.00'),
  'an amount with an exponent': replaceFlag('--amount', '1e3'),
  'a channel that is not there': replaceFlag('--bank-type', 'PAYPAL'),
  'a channel in small letters': replaceFlag('--bank-type', 'nagad'),
  'an account of another country': replaceFlag('--account', '+4915112345678'),
  'an account one digit short': replaceFlag('--account', '0171111222'),
  'no account': payout.filter((_, place) => place < payout.indexOf('--account')),
  'a record id that is a path': ['webhooks', 'get', '../../admin'],
  'a record id that is not one': ['webhooks', 'resend', 'D-1', ...yes],
  'a phone number of no operator': [
    ...['deposit', 'create', '--order-no', 'D-1', '--player-phone', '01211112222', '--player-ref', 'u'],
  ],
  'a player reference of 65 characters': [
    ...['deposit', 'create', '--order-no', 'D-1', '--player-phone', '01711112222'],
    ...['--player-ref', 'u'.repeat(65)],
  ],
  'a list that ends before it begins': ['webhooks', 'list', ...backwards],
  'resends that end before they begin': ['webhooks', 'resend', '--status', 'failed', ...backwards, ...yes],
  'a window that ends as it begins': [
    ...['reconcile', '/dev/null', '--since', '2026-11-20T00:00+06:00', '--until', '2026-11-19T18:00Z'],
  ],
  'no order number to query': ['deposit', 'query'],
  'a command nobody knows': ['deposit', 'destroy'],
}

describe.concurrent('mistyped: 2, and no request', () => {
  it.each(Object.entries(mistyped))('%s', async (_, args) => {
    await using scenario = await startScenario()
    const outcome = await scenario.machine.run([...args, '--json'])
    expectStatus(outcome, 2)
    expect(scenario.service.calls.all).toEqual([])
    if (args.includes('--until'))
      expect(readError(outcome).message).toMatch(/^--since .* is not before --until/)
  })
})

function replaceFlag(flag: string, value: string): string[] {
  const place = payout.indexOf(flag)
  // `--flag=value`, because a value that starts with a dash is taken for a flag otherwise.
  return [...payout.slice(0, place), `${flag}=${value}`, ...payout.slice(place + 2)]
}
