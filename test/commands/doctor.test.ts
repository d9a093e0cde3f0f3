import {chmodSync, mkdirSync, readdirSync, writeFileSync} from 'node:fs'
import {type AddressInfo, createServer} from 'node:net'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, onTestFinished, test} from 'vitest'
import {openConnection} from '../../src/api/connection.ts'
import {defaultLimits} from '../../src/api/limits.ts'
import Doctor from '../../src/commands/doctor.ts'
import {type LoadedProfile, loadProfile} from '../../src/config/load-profile.ts'
import {type Check, type CheckName, checksStatus} from '../../src/core/doctor/check.ts'
import {signFields} from '../../src/core/signing/request.ts'
import {ownedFileName} from '../../src/files/owned-database.ts'
import {openJournal} from '../../src/journal/journal.ts'
import {acquireRunLock} from '../../src/journal/lock.ts'
import {runDoctor} from '../../src/workflows/doctor/doctor.ts'
import {settingsCheck} from '../../src/workflows/doctor/settings.ts'
import {type Answering, credentials, good, json, merchantId, record, serve, text} from '../api/fixture.ts'
import {claimed, exhaustedDelivery, nightlyRun} from '../journal/sample.ts'
import {askAt, depositFields, post, signed} from '../sandbox/acting-merchant.ts'
import {openReceiver} from '../sandbox/receiver-server.ts'
import {tempDir} from '../temp-dir.ts'
import {type Ran, shellAt, shellWithSandbox} from './run-command.ts'

const html = {'content-type': 'text/html'}
const absent = json({code: 'ORDER_NOT_FOUND', message: 'no such order'}, 404)
const noPage = text('<h1>Not Found</h1>', 404, html)

/** What a service answers at its three kinds of address, and at one that cannot exist. */
interface Answers {
  readonly query?: Answering
  readonly nowhere?: Answering
  readonly list?: Answering
  readonly get?: Answering
}

async function doctorAt(answers: Answers, env: Record<string, string> = {}, ...flags: string[]) {
  const {origin, seen} = await serve((response, call, nth) => {
    const {
      query = absent,
      nowhere = noPage,
      list = json({...good.list, meta: {}}),
      get = json(good.get),
    } = answers
    const isQuery = call.path.endsWith('/query')
    const isList = call.path.includes('/webhooks?')
    const answer = isQuery ? query : isList ? list : call.method === 'GET' ? get : nowhere
    answer(response, call, nth)
  })
  const shell = shellAt(origin, env)
  return {ran: await shell.run(Doctor, '--json', ...flags), seen, shell}
}

function checkOf(ran: Ran, name: CheckName): Check {
  const {checks} = ran.json() as unknown as {checks: Check[]}
  const check = checks.find((one) => one.name === name)
  if (!check) throw new Error(`there is no check ${name}`)
  return check
}

const statuses = (ran: Ran) =>
  Object.fromEntries(
    (ran.json() as unknown as {checks: Check[]}).checks.map(({name, status}) => [name, status]),
  )

describe('against the sandbox', () => {
  test('all is well, and the machine is as it was', async () => {
    const {shell} = await shellWithSandbox()
    const before = readdirSync(shell.dataDir, {recursive: true})
    const ran = await shell.run(Doctor, '--json')
    expect(statuses(ran)).toEqual({
      ...{node: 'ok', environment: 'ok', config: 'skipped', profile: 'ok', settings: 'ok', api_secret: 'ok'},
      ...{
        api_key: 'ok',
        data: 'ok',
        journal: 'ok',
        lock: 'ok',
        events: 'ok',
        base_url: 'ok',
        apply_url: 'ok',
      },
      ...{legacy_url: 'ok', clock: 'ok', deposits: 'ok', payouts: 'ok', webhooks: 'ok', receiver: 'skipped'},
    })
    expect(ran.status).toBe(0)
    expect(readdirSync(shell.dataDir, {recursive: true})).toEqual(before)
  })

  test('the signature of webhooks is seen on one that was sent', async () => {
    const receiver = await openReceiver()
    onTestFinished(() => receiver.close())
    const {shell, sandbox} = await shellWithSandbox()
    const ask = askAt(sandbox.baseUrl)
    await post(ask, '/pay/order/create', signed(depositFields({orderNo: 'D-1', returnUrl: receiver.url})))
    await sandbox.control.payDeposit('D-1', 50_000n)
    expect(checkOf(await shell.run(Doctor, '--json'), 'receiver')).toMatchObject({
      status: 'ok',
      why: expect.stringContaining('verifies: md5-sorted'),
    })
  })

  test('a deployment without the legacy API is one, not a fault', async () => {
    const {shell} = await shellWithSandbox({isLegacyServed: false})
    const ran = await shell.run(Doctor, '--json')
    expect(statuses(ran)).toMatchObject({webhooks: 'warning', receiver: 'skipped', legacy_url: 'ok'})
    expect(ran.status).toBe(0)
  })
})

describe('"no such order" is the service’s word only where another address is answered otherwise (A5)', () => {
  const frameworkSays: Answering = (response, call, nth) =>
    json({statusCode: 404, message: `Cannot POST ${call.path}`, error: 'Not Found'}, 404)(response, call, nth)
  const bare = json({message: 'Not Found'}, 404)
  const withTime: Answering = (response, call, nth) =>
    json(
      {message: 'Not Found', timestamp: new Date().toISOString(), requestId: `${nth}abcdef0123456789`},
      404,
    )(response, call, nth)

  test.each<[what: string, answers: Answers, status: string, exitStatus: number]>([
    ['its code', {query: absent}, 'ok', 0],
    ['JSON without a code, a page elsewhere', {query: bare}, 'ok', 0],
    [
      'JSON without a code, other JSON elsewhere',
      {query: bare, nowhere: json({message: 'No route'}, 404)},
      'ok',
      0,
    ],
    ['a framework’s 404 at both', {query: frameworkSays, nowhere: frameworkSays}, 'failed', 2],
    ['the same bare 404 at both', {query: bare, nowhere: bare}, 'failed', 2],
    ['the same but for time and id', {query: withTime, nowhere: withTime}, 'failed', 2],
    ['its code at both', {query: absent, nowhere: absent}, 'failed', 2],
    ['no answer elsewhere', {query: bare, nowhere: (response) => response.destroy()}, 'unknown', 8],
    ['a page at both', {query: noPage}, 'failed', 2],
    ['a redirect', {query: text('', 302, {location: 'https://login.example/'})}, 'failed', 2],
  ])('%s', async (_what, answers, status, exitStatus) => {
    const {ran, seen} = await doctorAt(answers)
    expect(statuses(ran)).toMatchObject({deposits: status, payouts: status})
    expect(ran.status).toBe(exitStatus)
    // Nothing signed goes where nobody is.
    const elsewhere = seen.filter(({method, path}) => method === 'POST' && !path.endsWith('/query'))
    expect(elsewhere.map(({body}) => body)).toEqual(elsewhere.map(() => '{}'))
  })
})

describe('what else the service may say', () => {
  const notHere = json({code: 40_401, message: 'order does not exist'})
  test.each<
    [what: string, answers: Answers, check: CheckName, status: string, why: RegExp, exitStatus: number]
  >([
    ['HTTP 401', {query: json({message: 'no'}, 401)}, 'deposits', 'failed', /HTTP 401/, 3],
    [
      'a refusal of the signature',
      {query: json({code: 9, message: 'invalid signature'})},
      'deposits',
      'failed',
      /invalid signature/,
      3,
    ],
    ['another way of saying absent', {query: notHere}, 'payouts', 'unknown', /no such order/, 8],
    ['a refusal nobody understands', {query: json({code: 7, message: 'E7'})}, 'payouts', 'unknown', /E7/, 8],
    ['HTTP 503', {query: text('', 503)}, 'deposits', 'unknown', /503/, 8],
    ['HTTP 429', {list: text('', 429)}, 'webhooks', 'unknown', /429/, 8],
    ['a rejected key', {list: json({success: false, message: 'no'}, 401)}, 'webhooks', 'failed', /401/, 3],
    [
      'a refused key',
      {list: json({success: false, code: 'BAD_SIGN'}, 400)},
      'webhooks',
      'failed',
      /BAD_SIGN/,
      3,
    ],
    ['no legacy API', {list: noPage}, 'webhooks', 'warning', /there is no legacy API/, 0],
    ['a list of another shape', {list: json({success: true, data: []})}, 'webhooks', 'unknown', /data/, 8],
    ['a webhook without a signature', {}, 'receiver', 'warning', /carries no field "signature"/, 0],
  ])('%s', async (_what, answers, name, status, why, exitStatus) => {
    const {ran} = await doctorAt(answers)
    const check = checkOf(ran, name)
    expect(check).toMatchObject({status, why: expect.stringMatching(why)})
    expect(check.next).toBeTruthy()
    expect(ran.status).toBe(exitStatus)
  })

  test('yes to everything is believed in nothing', async () => {
    const yes: Answering = (response, {body}, nth) => {
      const {orderNo, outOrderNo} = JSON.parse(body)
      const data = {merchantId, orderNo: orderNo ?? outOrderNo, platformOrderNo: 'P', status: 'completed'}
      json({code: 0, data})(response, undefined as never, nth)
    }
    const {ran} = await doctorAt({query: yes})
    expect(checkOf(ran, 'deposits')).toMatchObject({
      status: 'unknown',
      why: expect.stringContaining('made up'),
    })
    expect(ran.status).toBe(8)
  })

  test.each([true, false])('a webhook that verifies: %s', async (isRight) => {
    const fields = {amount: '500.00', orderNo: 'D-1'}
    const signature = signFields(fields, isRight ? credentials.apiSecret : 'another')
    const payload = JSON.stringify({...fields, signature})
    const get = json({success: true, data: {...record, payload, response_body: ''}})
    const {ran} = await doctorAt({get})
    expect(checkOf(ran, 'receiver').status).toBe(isRight ? 'ok' : 'warning')
  })

  test('its words cannot drive a terminal', async () => {
    const message = 'sign\u001b[2J\u202egnp.exe'
    const {origin} = await serve(json({code: 9, message}))
    const {stdout} = await shellAt(origin).run(Doctor)
    expect(stdout).toContain('\\u{1b}[2J\\u{202e}')
    expect(stdout).not.toContain('\u001b[2J')
  })
})

test.each([
  [412, 'behind'],
  [-95, 'ahead of'],
])('a clock that is %i s off is measured and said (P19)', async (seconds, way) => {
  const dated: Answering = (response, call, nth) => {
    const date = new Date(Date.now() + seconds * 1_000).toUTCString()
    json({code: 'ORDER_NOT_FOUND'}, 404, {date})(response, call, nth)
  }
  const {ran} = await doctorAt({query: dated, list: noPage})
  const clock = checkOf(ran, 'clock')
  const why = expect.stringMatching(`^this machine’s clock is \\d+ s ${way} the service’s$`)
  expect(clock).toMatchObject({status: 'warning', why})
  expect(Math.abs(Number(ran.json().clockSkewMs) - seconds * 1_000)).toBeLessThan(3_000)
  expect(ran.status).toBe(0)
})

test('nobody at the address: 5, and nothing else is asked of it', async () => {
  const ran = await shellAt('http://127.0.0.1:9').run(Doctor, '--json')
  expect(statuses(ran)).toMatchObject({
    ...{base_url: 'failed', apply_url: 'failed', deposits: 'skipped', webhooks: 'skipped', clock: 'skipped'},
  })
  expect(ran.status).toBe(5)
})

test('a service that never answers: unknown (8), and it ends', async () => {
  const {origin} = await serve(() => undefined)
  const {checks} = await runDoctor(
    {
      ...{nodeVersion: '24', env: {}, configPath: '/nonexistent/config.toml', dataDir: tempDir()},
      load: () =>
        loadProfile({
          env: {
            ...{HISAB_MERCHANT_ID: merchantId, HISAB_BASE_URL: origin, HISAB_APPLY_URL: origin},
            ...{HISAB_API_SECRET: credentials.apiSecret, HISAB_API_KEY: credentials.apiKey},
          },
          configPath: '/nonexistent/config.toml',
          ...{profileFlag: null, needs: 'signing'},
        }),
      now: Date.now,
      madeUpNo: 'nobody-has-this',
      onSecret: () => {},
      onProgress: () => {},
      limits: {...defaultLimits, headersTimeoutMs: 100, totalTimeoutMs: 200},
    },
    false,
  )
  const online = checks.filter(({name}) => ['deposits', 'payouts', 'webhooks'].includes(name))
  expect(online.map(({status, why}) => `${status}: ${why}`)).toEqual(
    online.map(() => 'unknown: no answer in time'),
  )
  expect(checksStatus(checks)).toBe(8)
})

test('a handshake that never comes is given up, and the connection with it', async () => {
  const gone = Promise.withResolvers<void>()
  const server = createServer((socket) =>
    socket
      .resume()
      .on('close', () => gone.resolve())
      .on('error', () => {}),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const found = await openConnection(origin, {...defaultLimits, connectTimeoutMs: 100})
  expect(found.failure).toEqual({step: 'tls', reason: 'it took too long'})
  await gone.promise
})

test('--offline asks nobody, and the rest is checked', async () => {
  const {ran, seen} = await doctorAt({}, {}, '--offline')
  expect(seen).toEqual([])
  expect(statuses(ran)).toMatchObject({api_secret: 'ok', base_url: 'skipped', deposits: 'skipped'})
  expect(ran.status).toBe(0)
})

describe('what is configured', () => {
  const none = {
    ...{HISAB_MERCHANT_ID: '', HISAB_BASE_URL: '', HISAB_APPLY_URL: '', HISAB_LEGACY_URL: ''},
    ...({HISAB_API_SECRET: undefined, HISAB_API_KEY: undefined} as unknown as Record<string, string>),
  }

  test('nothing: 3, and everything else is skipped', async () => {
    const ran = await shellAt('http://127.0.0.1:9', none).run(Doctor, '--json')
    expect(checkOf(ran, 'profile')).toMatchObject({status: 'failed', code: 'credentials_missing'})
    expect(statuses(ran)).toMatchObject({node: 'ok', data: 'ok', deposits: 'skipped', journal: 'skipped'})
    expect(ran.status).toBe(3)
  })

  test('no address for payouts: 2, and what is missing is named', async () => {
    const ran = await shellAt('http://127.0.0.1:9', {HISAB_APPLY_URL: ''}).run(Doctor, '--json')
    expect(checkOf(ran, 'settings')).toMatchObject({status: 'failed', why: 'missing: apply_url'})
    expect(ran.status).toBe(2)
  })

  test('evidence that would not be there: the folder and how long it is kept', () => {
    const file = join(tempDir(), 'file')
    writeFileSync(file, '')
    const day = 86_400_000
    const usual = {keepMs: 400 * day, runs: 400, dir: null}
    const profile = {merchantId, baseUrl: 'https://pay.example', applyUrl: 'https://pay.example'}
    const settings = (evidence: object) =>
      settingsCheck({profile, warnings: [], evidence: {...usual, ...evidence}} as unknown as LoadedProfile)
    expect(settings({}).status).toBe('ok')
    expect(settings({dir: join(tempDir(), 'to', 'be', 'made')}).status).toBe('ok')
    expect(settings({dir: file})).toMatchObject({status: 'failed', code: 'storage_failed'})
    expect(settings({keepMs: null})).toMatchObject({
      status: 'warning',
      why: expect.stringContaining('no run can be proven'),
    })
    expect(settings({runs: 7})).toMatchObject({status: 'warning', why: expect.stringContaining('for 7 days')})
    expect(settings({keepMs: 30 * day})).toMatchObject({
      status: 'warning',
      why: expect.stringContaining('for 30 days'),
    })
  })

  test('no API key: the webhook log is left out, and that is said', async () => {
    const {ran} = await doctorAt({}, {HISAB_API_KEY: undefined as unknown as string})
    expect(statuses(ran)).toMatchObject({api_key: 'warning', webhooks: 'skipped', deposits: 'ok'})
    expect(ran.status).toBe(0)
  })

  test('a secret others can read: 2, with the line that mends it', async () => {
    const shell = shellAt('http://127.0.0.1:9', {HISAB_API_SECRET: ''})
    const path = join(shell.dataDir, 'secret')
    writeFileSync(path, 'canary-in-a-file')
    chmodSync(path, 0o644)
    const other = shellAt('http://127.0.0.1:9', {
      HISAB_API_SECRET: undefined as unknown as string,
      HISAB_API_SECRET_FILE: path,
    })
    const ran = await other.run(Doctor, '--json')
    expect(checkOf(ran, 'api_secret')).toMatchObject({
      status: 'failed',
      next: expect.stringContaining('chmod 600'),
    })
    expect(ran.stdout).not.toContain('canary-in-a-file')
    expect(ran.status).toBe(2)
  })

  test('of a secret: where it is from and how long it is, and a line end that was left out', async () => {
    const path = join(shellAt('http://x').dataDir, 'secret')
    writeFileSync(path, 'canary-in-a-file\n', {mode: 0o600})
    const env = {HISAB_API_SECRET: undefined as unknown as string, HISAB_API_SECRET_FILE: path}
    const {ran} = await doctorAt({}, env, '--offline')
    expect(checkOf(ran, 'api_secret').why).toBe(
      `set, from the file ${path}, 16 characters; The line end after the secret of HISAB_API_SECRET_FILE was left out; --exact-secret keeps it`,
    )
    const exact = await doctorAt({}, env, '--offline', '--exact-secret')
    expect(checkOf(exact.ran, 'api_secret').why).toContain('17 characters')
    expect(ran.stdout).not.toContain('canary-in-a-file')
  })

  test.each([
    ['HISAB_BASEURL', 'x', /did you|HISAB_BASE_URL/],
    ['NODE_TLS_REJECT_UNAUTHORIZED', '0', /checks certificates anyway/],
  ])('a variable that does not do what somebody thinks: %s', async (name, value, said) => {
    const {ran} = await doctorAt({}, {[name]: value}, '--offline')
    const {status, why, next} = checkOf(ran, 'environment')
    expect(status).toBe('warning')
    expect(`${why} ${next}`).toMatch(said)
  })

  test('an assumption that is set is told from a default', async () => {
    const path = join(tempDir(), 'config.toml')
    const toml =
      '[profiles.live.status]\ncompleted = ["PAID"]\n[profiles.live.request_signature]\nsort = "ignore_case"\n'
    writeFileSync(path, toml, {mode: 0o600})
    const shell = shellAt('http://127.0.0.1:9', {HISAB_PROFILE: 'live', HISAB_CONFIG: path})
    const ran = await shell.run(Doctor, '--json', '--offline')
    const {assumptions} = ran.json() as unknown as {
      assumptions: {id: string; isSet: boolean; value: string}[]
    }
    expect(assumptions.map(({id}) => id)).toEqual(
      Array.from({length: 13}, (_, n) => (n === 4 ? ['A5', 'A5b'] : [`A${n + 1}`])).flat(),
    )
    expect(assumptions.filter(({isSet}) => isSet).map(({id}) => id)).toEqual(['A3', 'A13'])
    expect((await shell.run(Doctor, '--offline')).stdout).toMatch(
      /A3 +set +status words +deposits: completed: PAID/,
    )
  })
})

describe('the journal and the lock', () => {
  const profile = {environment: 'sandbox', merchantId}

  test('a run at work is seen and not disturbed', async () => {
    const {origin} = await serve(absent)
    const shell = shellAt(origin)
    const lock = acquireRunLock(shell.dataDir, profile)
    onTestFinished(() => lock.release())
    expect(checkOf(await shell.run(Doctor, '--json', '--offline'), 'lock').status).toBe('warning')
    // The doctor's look must not have dropped it.
    expect(() => acquireRunLock(shell.dataDir, profile)).toThrow('is active')
    lock.release()
    expect(checkOf(await shell.run(Doctor, '--json', '--offline'), 'lock').status).toBe('ok')
  })

  test('a journal in use is read beside its writer', async () => {
    const shell = shellAt('http://127.0.0.1:9')
    const journal = openJournal(shell.dataDir, profile, {addresses: ['http://127.0.0.1:9']})
    onTestFinished(() => journal.close())
    await journal.startRun(nightlyRun)
    await claimed(journal, {...exhaustedDelivery, runId: nightlyRun.id})
    expect(checkOf(await shell.run(Doctor, '--json', '--offline'), 'journal')).toMatchObject({
      status: 'warning',
      why: expect.stringContaining('1 resend whose outcome nobody knows'),
    })
  })

  test.each([
    ['no database', (path: string) => writeFileSync(path, 'x'.repeat(5_000)), /not a database/],
    [
      'one of a newer hisab',
      (path: string) => {
        const sql = new DatabaseSync(path)
        sql.exec('PRAGMA user_version = 99')
        sql.close()
      },
      /newer hisab/,
    ],
  ])('%s is a failure (8) with what to do', async (_what, spoil, why) => {
    const shell = shellAt('http://127.0.0.1:9')
    mkdirSync(join(shell.dataDir, 'journal'), {mode: 0o700})
    spoil(join(shell.dataDir, 'journal', ownedFileName({environment: 'sandbox', merchantId})))
    const ran = await shell.run(Doctor, '--json', '--offline')
    expect(checkOf(ran, 'journal')).toMatchObject({status: 'failed', why: expect.stringMatching(why)})
    expect(ran.status).toBe(8)
  })
})

test.each([
  [['D-1']],
  [['--completed', 'D-1']],
  [['--yes']],
  [['--tries', '3']],
  [['--learn', 'D-1', '--rate', '2']],
  [['--learn', 'D-1', '--write']],
  [['--offline', '--learn', 'D-1']],
])('a flag that would do nothing is refused: %j', async (flags) => {
  const {ran, seen} = await doctorAt({}, {}, ...flags)
  expect(ran.json()).toMatchObject({error: {code: 'usage'}})
  expect({status: ran.status, seen}).toEqual({status: 2, seen: []})
})
