import {spawn, spawnSync} from 'node:child_process'
import {hash} from 'node:crypto'
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {createServer, type RequestListener} from 'node:http'
import type {AddressInfo} from 'node:net'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {buffer, text} from 'node:stream/consumers'
import {pathToFileURL} from 'node:url'
import {afterAll, describe, expect, onTestFinished, test, vi} from 'vitest'

import Trigger from '../../src/commands/trigger.ts'
import {sandboxCredentials} from '../../src/core/profile.ts'
import {openForwarder} from '../../src/receiver/forwarder.ts'
import {type RunningSandbox, startSandbox} from '../../src/sandbox/library.ts'
import {rehearsedWays} from '../../src/sandbox/rehearsal.ts'
import {shellAt} from '../commands/run-command.ts'
import {runSigning} from '../commands/run-signing.ts'
import {openTestReceiver} from '../receiver/fixture.ts'
import {askAt, depositFields, legacy, payoutFields, post, signed} from '../sandbox/acting-merchant.ts'
import {tempDir} from '../temp-dir.ts'
import {listPages, readFences, root} from './pages.ts'

/** A receiver of the docs, and what its own books say at the end. */
interface Played {
  readonly url: string
  credits(): [order: string, amount: string][]
  payouts(): [orderNo: string, state: string][]
}

interface Vector {
  readonly rule: string
  readonly secret: string
  readonly params: object
  readonly signature: string
}

const {apiSecret} = sandboxCredentials

/** The code of a page, as a merchant would copy it. */
async function load(page: string, file: string): Promise<Record<string, unknown>> {
  const fence = readFences(page).find(({info}) => info === file)
  if (!fence) throw new Error(`${page} has no ${file}`)
  const path = join(tempDir(), file)
  const library = new URL('../../src/index.ts', import.meta.url).href
  writeFileSync(path, fence.lines.join('\n').replace("from 'hisab'", `from '${library}'`))
  return await import(/* @vite-ignore */ pathToFileURL(path).href)
}

async function listen(take: RequestListener): Promise<string> {
  const server = createServer(take)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

interface SigningBooks {
  readonly credits: Map<string, {readonly amount: string}>
  readonly completed: unknown[]
  readonly payouts: Map<string, string>
  readonly failedDeposits: Set<string>
  readonly setAside: unknown[]
}

const receivers: Record<string, () => Promise<Played>> = {
  'docs/signing.md: webhook.ts': async () => {
    const {acceptWebhook} = (await load('docs/signing.md', 'webhook.ts')) as {
      acceptWebhook: (body: Uint8Array, secret: string, books: SigningBooks) => number
    }
    const books = {
      credits: new Map(),
      completed: [],
      payouts: new Map(),
      failedDeposits: new Set<string>(),
      setAside: [],
    }
    const url = await listen(
      async (request, response) =>
        void response.writeHead(acceptWebhook(await buffer(request), apiSecret, books)).end(),
    )
    return {
      url,
      credits: () => [...books.credits].map(([order, {amount}]) => [order, amount]),
      payouts: () => [...books.payouts],
    }
  },
  'docs/testing.md: receiver.ts': async () => {
    const {openReceiver} = (await load('docs/testing.md', 'receiver.ts')) as {
      openReceiver: (secret: string) => Promise<{
        readonly books: Map<string, string>
        readonly payouts: Map<string, string>
        readonly url: string
        close(): void
      }>
    }
    const receiver = await openReceiver(apiSecret)
    onTestFinished(() => receiver.close())
    return {
      url: receiver.url,
      credits: () => [...receiver.books],
      payouts: () => [...receiver.payouts],
    }
  },
}

/** The programs of `sign --print`: how each is made ready, what shows that its language is here, and how it is started. */
const languages: Record<
  'node' | 'python' | 'php' | 'java',
  {
    readonly file: string
    readonly is: readonly [program: string, flag: string]
    readonly compile?: string
    readonly sign: (file: string) => readonly string[]
    readonly serve?: (file: string, port: number) => readonly string[]
  }
> = {
  node: {file: 'receiver.mjs', is: [process.execPath, '-v'], sign: (file) => [process.execPath, file]},
  python: {file: 'receiver.py', is: ['python3', '-V'], sign: (file) => ['python3', file]},
  php: {
    file: 'receiver.php',
    is: ['php', '-v'],
    sign: (file) => ['php', file],
    serve: (file, port) => ['php', '-S', `127.0.0.1:${port}`, file],
  },
  java: {
    file: 'Receiver.java',
    is: ['javac', '-version'],
    compile: 'javac',
    sign: (file) => ['java', '-XX:TieredStopAtLevel=1', '-cp', dirname(file), 'Receiver'],
  },
}
type Language = keyof typeof languages

const programs = mkdtempSync(join(tmpdir(), 'hisab-receivers-'))
afterAll(() => rmSync(programs, {recursive: true}))
const made = new Map<Language, Promise<string>>()

/** The file of a program as it was printed, made once. */
async function print(language: Language): Promise<string> {
  const file = made.get(language) ?? makeReady(language)
  made.set(language, file)
  return await file
}

async function makeReady(language: Language): Promise<string> {
  const {file: name, compile} = languages[language]
  const file = join(mkdtempSync(join(programs, language)), name)
  const {stdout, status} = await runSigning('sign', ['--print', language], {withoutSecret: true})
  expect(status).toBe(0)
  writeFileSync(file, stdout)
  if (compile && isHere(language)) expect(spawnSync(compile, [file]).status).toBe(0)
  return file
}

function isHere(language: Language): boolean {
  const [program, flag] = languages[language].is
  return spawnSync(program, [flag]).status === 0
}

/** What a printed program prints for a request, signed with this secret. */
async function signBy(command: readonly string[], secret: string, body: string): Promise<string> {
  const [program = '', ...args] = command
  const env = {PATH: process.env.PATH ?? '', HISAB_API_SECRET: secret}
  const child = spawn(program, [...args, 'sign'], {env, stdio: ['pipe', 'pipe', 'ignore']})
  child.stdin.end(body)
  return await text(child.stdout)
}

/** A printed program at work; its books are the lines it writes. */
async function startPrinted(
  language: Language,
  file: string,
  stored = '',
  books = join(tempDir(), 'books.log'),
): Promise<Played & {readonly books: string}> {
  const port = await freePort()
  writeFileSync(books, stored)
  const {sign, serve = sign} = languages[language]
  const [program = '', ...args] = serve(file, port)
  const env = {PATH: process.env.PATH ?? '', PORT: String(port), BOOKS: books, HISAB_API_SECRET: apiSecret}
  const child = spawn(program, args, {env, stdio: 'ignore'})
  onTestFinished(() => void child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}/webhook`
  await vi.waitFor(() => fetch(url), {timeout: 20_000, interval: 100})
  const lines = (kind: string) =>
    readFileSync(books, 'utf8')
      .split('\n')
      .map((line) => line.split('\t'))
      .filter(([found]) => found === kind)
  return {
    url,
    books,
    credits: () => lines('credit').map(([, order = '', , amount = '']) => [order, amount]),
    payouts: () => lines('payout').map(([, , state = '', number = '']) => [number, state]),
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const {port} = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Bodies that a careless reader takes, each with the signature it would compute. */
const careless: readonly (readonly [body: string, signed: string])[] = [
  ['"orderNo":"D-1","orderNo":"D-2"', 'orderNo=D-2'],
  ['"amount":NaN', 'amount=NaN'],
  ['"amount":01', 'amount=01'],
  ['"amount":1e2', 'amount=100'],
  ['"amount":10.00', 'amount=10'],
  ['"playerRef":"u7&status=completed"', 'playerRef=u7&status=completed'],
]

describe.each(Object.keys(languages) as Language[])('sign --print %s', (language) => {
  test('is the program of docs/receivers', async () => {
    const path = join(root, 'docs/receivers', languages[language].file)
    const {stdout} = await runSigning('sign', ['--print', language], {withoutSecret: true})
    expect(stdout).toBe(readFileSync(path, 'utf8'))
  })

  test.runIf(isHere(language))('signs as the published vectors and as hisab', {timeout: 60_000}, async () => {
    const command = languages[language].sign(await print(language))
    const vectors = JSON.parse(readFileSync(join(root, 'test/vectors/md5-sorted.json'), 'utf8')) as Vector[]
    const odd =
      '{"amount":10.00,"b":true,"n":null,"e":"","Z_":"a\\/b\\u09b0","1":"১","\uff01":"x","\u{1f600}":"রহিম & 😀","a b":-0.5e3,"signature":"x"}'
    const {stdout} = await runSigning('sign', ['--body', '-'], {stdin: odd})
    const judged = vectors.filter(({rule}) => rule === '5.1')
    const expected = [...judged.map(({signature}) => `${signature}\n`), stdout, '']
    const printed = await Promise.all([
      ...judged.map(({secret, params}) => signBy(command, secret, JSON.stringify(params))),
      signBy(command, apiSecret, odd),
      signBy(command, ' ', '{"a":1}'),
    ])
    expect(printed).toEqual(expected)
  })

  test.runIf(isHere(language))('books what the service sends, and each once', {timeout: 60_000}, async () => {
    const sandbox = await startSandbox({seed: 1})
    onTestFinished(() => sandbox.close())
    const played = await startPrinted(language, await print(language))
    await bookEverything(sandbox, played)
    for (const [fields, signed] of careless) {
      const signature = hash('md5', `${signed}&key=${apiSecret}`, 'hex')
      const {status} = await fetch(played.url, {
        method: 'POST',
        body: `{${fields},"signature":"${signature}"}`,
      })
      expect([fields, status]).toEqual([fields, 401])
    }
    const shell = shellAt('http://127.0.0.1:1', {HISAB_PROFILE: 'sandbox', HISAB_API_SECRET: apiSecret})
    for (const event of ['deposit.completed', 'deposit.unknown', 'payout.failed']) {
      const {stdout, status} = await shell.run(
        Trigger,
        event,
        '--to',
        played.url,
        '--as',
        'all',
        '--delay',
        '0s',
      )
      expect([status, stdout]).toEqual([0, expect.stringContaining('All 12 answers were right.')])
    }
    // The completed event after the unknown one is credited as well.
    expect(played.credits()).toHaveLength(5 + rehearsedWays.length + 1)
  })
})

const deposit = {
  orderNo: 'D-1',
  platformOrderNo: 'pf-1',
  playerRef: 'u7',
  amount: '500.00',
  status: 'completed',
  event: 'order.completed',
}

/** Two events of one payment, as a service may send them. */
const samePayment: readonly (readonly [what: string, first: object, second: object])[] = [
  ['the same again', {}, {}],
  ['no order number at first', {orderNo: undefined}, {}],
  ['no order number then', {}, {orderNo: undefined}],
  ['a blank behind the number', {}, {orderNo: 'D-1 '}],
  ['no platform number at first', {platformOrderNo: undefined}, {}],
  ['no platform number then', {}, {platformOrderNo: ''}],
  ['the platform number in another case', {}, {platformOrderNo: 'PF-1'}],
  ['an amount without decimals', {amount: '0500'}, {}],
  ['no name of the event', {event: undefined}, {}],
  ['failed at first', {status: 'failed', event: 'order.failed'}, {}],
  ['another amount then', {}, {amount: '900.00'}],
  ['another player then', {}, {playerRef: 'u8'}],
  ['blanks for a player at first', {playerRef: '  '}, {}],
  ['another platform number then', {}, {platformOrderNo: 'pf-2'}],
]

async function deliver(url: string, fields: object, isChunked = false): Promise<number> {
  const given = Object.entries({...deposit, ...fields}).filter(([, value]) => value !== undefined)
  const signed = given.map(([name, value]) => `${name}=${value}`).toSorted()
  const signature = hash('md5', `${signed.join('&')}&key=${apiSecret}`, 'hex')
  const body = JSON.stringify({...Object.fromEntries(given), signature})
  const sent = isChunked ? {body: new Blob([body]).stream(), duplex: 'half' as const} : {body}
  return (await fetch(url, {method: 'POST', ...sent})).status
}

/** Each payment has numbers of its own, and is credited once, whatever each of its two events lacks. */
async function creditsEachOnce(played: Played): Promise<void> {
  for (const [at, [, ...events]] of samePayment.entries())
    for (const [time, event] of [...events, events[1]].entries()) {
      const own = Object.entries({...deposit, ...event}).map(([name, value]) => {
        const isNumber = name === 'orderNo' || name === 'platformOrderNo'
        return [name, isNumber && value ? value.replace(/-(\d)/, `-${at}$1`) : value]
      })
      // Some services send a body in chunks, without its length.
      expect(await deliver(played.url, Object.fromEntries(own), (at + time) % 2 === 0)).toBe(200)
    }
  const credited = played.credits().map(([order]) => order.toLowerCase().replace(/^\D+-/, ''))
  expect(credited.toSorted()).toEqual(samePayment.map((_, at) => `${at}1`).toSorted())
  expect(played.payouts()).toEqual([])
}

describe.each(Object.keys(languages) as Language[])('sign --print %s', (language) => {
  test.runIf(isHere(language))('credits two versions of one payment once', {timeout: 60_000}, async () => {
    await creditsEachOnce(await startPrinted(language, await print(language)))
  })

  test.runIf(isHere(language))('two of them with one file erase nothing', {timeout: 120_000}, async () => {
    const file = await print(language)
    const one = await startPrinted(language, file)
    const other = await startPrinted(language, file, '', one.books)
    const orders = ['D-1', 'D-2', 'D-3', 'D-4', 'D-4']
    for (const [at, orderNo] of orders.entries())
      expect(await deliver((at % 2 === 0 ? one : other).url, {orderNo, platformOrderNo: orderNo})).toBe(200)
    expect(one.credits()).toEqual(['D-1', 'D-2', 'D-3', 'D-4'].map((order) => [order, '500.00']))
  })

  test.runIf(isHere(language))(
    'credits what a crash or a full disk cut off',
    {timeout: 120_000},
    async () => {
      const file = await print(language)
      const line = 'credit\tpf-1\tu7\t500.00\tD-1'
      for (const length of [13, 22, line.length]) {
        const played = await startPrinted(
          language,
          file,
          `deposit_failed\tpf-0\tD-0\n${line.slice(0, length)}`,
        )
        expect(await deliver(played.url, {})).toBe(200)
        expect(await deliver(played.url, {})).toBe(200)
        expect(played.credits()).toEqual([['pf-1', '500.00']])
      }
    },
  )
})

test('a profile whose webhooks are signed otherwise is told, and gets no program that would refuse them all', async () => {
  const config = join(tempDir(), 'config.toml')
  const profile =
    '[profiles.a.status]\ncompleted = ["PAID"]\n[profiles.b.webhook_signature]\nscheme = "hmac"\n'
  writeFileSync(config, profile, {mode: 0o600})
  const of = (name: string) =>
    runSigning('sign', ['--print', 'php', '--profile', name], {env: {HISAB_CONFIG: config}})
  expect((await of('a')).stderr).toContain('change COMPLETED and FAILED')
  expect(await of('b')).toMatchObject({status: 2, stdout: ''})
})

/** `webhooks listen --forward-to`, as docs/receiving.md puts it before a server of one's own. */
async function behindListener({url, ...books}: Played): Promise<Played> {
  const forwarder = openForwarder({url, timeoutMs: 5_000})
  onTestFinished(() => forwarder.close())
  const receiver = await openTestReceiver({forwarder})
  return {...books, url: receiver.url}
}

/** Everything the embedded service can send; what the merchant's books must say of it. */
async function playEverything(sandbox: RunningSandbox, returnUrl: string) {
  const ask = askAt(sandbox.url)
  const platform = new Map<string, string>()
  const create = async (path: string, fields: Parameters<typeof signed>[0]) => {
    const {body} = await post(
      askAt(path === '/apply/create' ? sandbox.applyUrl : sandbox.baseUrl),
      path,
      signed(fields),
    )
    platform.set(String(fields.orderNo ?? fields.outOrderNo), body.data.platformOrderNo)
  }
  const deposit = (orderNo: string, more = {}) =>
    create('/pay/order/create', depositFields({orderNo, returnUrl, ...more}))
  const payout = (outOrderNo: string) => create('/apply/create', payoutFields({outOrderNo, returnUrl}))

  for (const orderNo of ['paid', 'expired', 'doubled', 'forged', 'outage']) await deposit(orderNo)
  for (const outOrderNo of ['P-paid', 'P-rejected', 'P-doubled', 'P-forged']) await payout(outOrderNo)
  await sandbox.pay('paid', '500.00')
  await sandbox.expire('expired')
  await sandbox.completePayout('P-paid')
  await sandbox.rejectPayout('P-rejected')
  await deposit('test', {isTest: true})
  await sandbox.clock.advance('10m')
  sandbox.faults.set(['webhook-doubled'], 1)
  await sandbox.pay('doubled', '700.00')
  await sandbox.completePayout('P-doubled')
  sandbox.faults.set(['webhook-forged'], 1)
  await sandbox.pay('forged', '300.00')
  await sandbox.completePayout('P-forged')
  const {forgeriesTaken} = sandbox.faults.state()
  sandbox.faults.set(['receiver-outage'], 1)
  await sandbox.pay('outage', '900.00')
  sandbox.faults.clear()
  await sandbox.clock.advance('1h')
  for (const {id} of sandbox.deliveries()) {
    const {status} = await legacy(ask, 'POST', `/api/v1/merchant/webhooks/${id}/resend`)
    expect(status).toBe(200)
  }
  const testAmount = sandbox.deliveries().find(({merchant_order_id: number}) => number === 'test')?.payload
  const paid = {
    paid: '500.00',
    doubled: '700.00',
    forged: '300.00',
    outage: '900.00',
    test: amountIn(testAmount),
  }
  return {
    forgeriesTaken,
    credits: Object.entries(paid).map(([number, amount]) => [platform.get(number), amount]),
    payouts: ['P-paid', 'P-rejected', 'P-doubled', 'P-forged'].map((number) => [
      number,
      number === 'P-rejected' ? 'failed' : 'completed',
    ]),
  }
}

async function bookEverything(sandbox: RunningSandbox, played: Played): Promise<void> {
  const {forgeriesTaken, credits, payouts} = await playEverything(sandbox, played.url)
  expect(played.credits().toSorted()).toEqual(credits.toSorted())
  expect(played.payouts().toSorted()).toEqual(payouts.toSorted())
  expect(forgeriesTaken).toBe(0)
  const records = sandbox.deliveries()
  expect(records).toHaveLength(10)
  expect(records.filter(({status, response_code: code}) => status !== 'success' || code !== 200)).toEqual([])
}

function amountIn(payload: unknown): string {
  const body = typeof payload === 'string' ? JSON.parse(payload) : payload
  return (body as {amount: string}).amount
}

test('every receiver of the pages is played', () => {
  const pages = listPages().flatMap((page) =>
    readFences(page)
      .filter(({language, lines}) => language === 'ts' && lines.some((line) => /\bverify\(/.test(line)))
      .map(({info}) => `${page}: ${info}`),
  )
  expect(pages).toEqual(Object.keys(receivers))
})

describe.each(Object.entries(receivers))('%s', (_name, open) => {
  test('credits two versions of one payment once', async () => {
    await creditsEachOnce(await open())
  })

  test.each([
    ['by itself', async (played: Played) => played],
    ['behind `webhooks listen --forward-to`', behindListener],
  ])(
    '%s: each completed deposit once, each payout marked, everything genuine acknowledged',
    async (_how, place) => {
      const sandbox = await startSandbox({seed: 1})
      onTestFinished(() => sandbox.close())
      const played = await place(await open())
      await bookEverything(sandbox, played)
    },
  )
})
