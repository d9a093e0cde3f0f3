import {mkdtempSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'

import {describe, expect, test} from 'vitest'

import {loadProfile} from '../../src/config/load-profile.ts'
import {defaultDialect, documentedWords, readStatus} from '../../src/core/dialect.ts'
import {nearest} from '../../src/core/nearest.ts'
import {tempDir} from '../temp-dir.ts'
import {canary, failureOf, liveToml, load} from './load.ts'

describe('what a file may say', () => {
  test('every setting of A1 to A13 arrives where it belongs', async () => {
    const {profile} = await load({
      toml: `${liveToml}
        [profiles.live.deposit_query]
        order_no = "outOrderNo"
        [profiles.live.response]
        order_no = "merchantOrderNo"
        platform_order_no = "platformId"
        status = "state"
        amount = "money"
        [profiles.live.status]
        completed = ["PAID", "completed"]
        open = ["NEW"]
        failed = []
        [profiles.live.error]
        code = ["err.code"]
        message = ["err.text"]
        [profiles.live.not_found]
        http = [404, 410]
        codes = ["NO_SUCH"]
        [profiles.live.legacy_signature]
        input = "{method}\\n{path}\\n{timestamp}\\n{bodySha256}"
        hash = "sha512"
        encoding = "base64"
        key = "api_key"
        key_encoding = "hex"
        [profiles.live.webhook_signature]
        scheme = "hmac"
        header = "X-Sig"
        timestamp_header = "X-Time"
        max_age = "30s"
        input = "{timestamp}.{body}"
        [profiles.live.delivery_join]
        by = ["order_id"]
        [profiles.live.request_signature]
        empty_strings = "dropped"
        sort = "ignore_case"`,
    })
    expect(profile.dialect).toEqual({
      ...defaultDialect,
      depositQuery: {orderNo: 'outOrderNo'},
      response: {
        orderNo: ['merchantOrderNo'],
        platformOrderNo: 'platformId',
        status: 'state',
        amount: 'money',
      },
      status: {
        deposit: {completed: ['PAID', 'completed'], open: ['NEW'], failed: []},
        payout: {completed: ['completed'], open: [], failed: []},
      },
      error: {code: ['err.code'], message: ['err.text']},
      notFound: {http: [404, 410], codes: ['NO_SUCH']},
      legacySignature: {
        input: '{method}\n{path}\n{timestamp}\n{bodySha256}',
        hash: 'sha512',
        encoding: 'base64',
        key: 'api_key',
        keyEncoding: 'hex',
      },
      webhookSignature: {
        ...defaultDialect.webhookSignature,
        scheme: 'hmac',
        header: 'X-Sig',
        timestampHeader: 'X-Time',
        maxAgeMs: 30_000,
        recipe: {...defaultDialect.webhookSignature.recipe, input: '{timestamp}.{body}'},
      },
      deliveryJoin: ['order_id'],
      requestSignature: {emptyStrings: 'dropped', sort: 'ignore_case'},
    })
  })

  test('a setting that is not given keeps its default', async () => {
    const {profile} = await load({toml: `${liveToml}\n[profiles.live.status]\ncompleted = ["PAID"]`})
    expect(profile.dialect).toEqual({
      ...defaultDialect,
      status: {
        deposit: {...documentedWords, completed: ['PAID']},
        payout: {...documentedWords, completed: []},
      },
    })
  })

  test('a word that may have been learned from deposits alone decides no payout', async () => {
    const toml = `${liveToml}\n[profiles.live.status]\ncompleted = ["completed", "SUCCESS"]\nfailed = ["CLOSED"]`
    const {profile} = await load({toml})
    const read = (kind: 'deposit' | 'payout') =>
      ['SUCCESS', 'CLOSED', 'completed', 'pending'].map((word) => readStatus(profile.dialect, kind, word))
    expect(read('deposit')).toEqual(['completed', 'failed', 'completed', 'open'])
    expect(read('payout')).toEqual(['unknown_status', 'unknown_status', 'completed', 'open'])
  })

  test('a word of one kind is not one of the other; a list of the kind replaces that of both', async () => {
    const {profile} = await load({
      toml: `${liveToml}
        [profiles.live.status]
        completed = ["PAID"]
        failed = ["CLOSED"]
        payout = { completed = ["CLOSED"], failed = ["DEAD"] }`,
    })
    expect(profile.dialect.status).toEqual({
      deposit: {...documentedWords, completed: ['PAID'], failed: ['CLOSED']},
      payout: {...documentedWords, completed: ['CLOSED'], failed: ['DEAD']},
    })
  })

  test('ledger: columns, zone, and words that add to the defaults and leave the other states', async () => {
    const {profile} = await load({
      toml: `${liveToml}
        [profiles.live.ledger]
        timezone = "Asia/Kolkata"
        dates = "day_first"
        columns = { order_no = "Order ID", amount = "Amount (BDT)" }
        import = { columns = { status = "State" }, sheet = "Orders" }
        status = { open = ["Paid", "Waiting"] }
        kind = { deposit = ["Recharge"], other = ["Bonus"] }`,
    })
    expect(profile.ledger).toEqual({
      timeZone: 'Asia/Kolkata',
      holds: null,
      ignoredColumns: [],
      ignoredTexts: [],
      dates: 'day_first',
      columns: {order_no: 'Order ID', amount: 'Amount (BDT)'},
      import: {columns: {status: 'State'}, sheet: 'Orders'},
      status: {
        completed: ['completed', 'credited', 'success'],
        open: ['pending', 'open', 'processing', 'created', 'Paid', 'Waiting'],
        failed: ['failed', 'cancelled', 'canceled', 'expired', 'rejected'],
      },
      kinds: {deposit: ['deposit', 'Recharge'], payout: ['payout'], other: ['Bonus']},
    })
  })
})

test('timeouts in words a person writes; what is not given is left to the defaults', async () => {
  const {profile} = await load({toml: `${liveToml}\ntimeouts = { connect = "800ms", total = "2m" }`})
  expect(profile.timeouts).toEqual({connectMs: 800, answerMs: null, totalMs: 120_000})
})

test.each(['5', '0s', '11m', '-1s', '1h', ' 5s'])('"%s" is no timeout', async (text) => {
  const failure = await failureOf(load({toml: `${liveToml}\ntimeouts = { answer = "${text}" }`}))
  expect(failure).toMatchObject({code: 'config_invalid'})
  expect(failure.message).toMatch(/profiles\.live\.timeouts\.answer in .*: "/)
})

test('a proxy is used where it is named, in the profile or by HISAB_PROXY, and nowhere else', async () => {
  const toml = `${liveToml}\nproxy = "http://proxy.example.com:3128/"`
  expect((await load({toml})).profile.proxy).toBe('http://proxy.example.com:3128')
  const env = {HISAB_PROXY: 'http://other:3128', HTTPS_PROXY: 'http://third:3128'}
  expect((await load({toml, env})).profile.proxy).toBe('http://other:3128')
  expect((await load({toml: liveToml, env: {HTTPS_PROXY: 'http://third:3128'}})).profile).not.toHaveProperty(
    'proxy',
  )
})

test.each([
  'proxy.example.com:3128',
  'socks5://p:1',
  'http://u:canary@p:3128',
  'http://p/x',
  'http://p/?a=1',
])('"%s" is no proxy', async (text) => {
  const failure = await failureOf(load({toml: `${liveToml}\nproxy = "${text}"`}))
  expect(failure.code).toBe('config_invalid')
  expect(failure.message).toMatch(/^profiles\.live\.proxy in /)
  expect(failure.message).not.toContain('canary')
})

describe('a bad file is refused: file, key and what was meant', () => {
  const rows: [name: string, below: string, message: RegExp][] = [
    [
      'a mistyped table',
      '[profiles.live.statsu]\nopen = []',
      /unknown key profiles\.live\.statsu: did you mean "status"\?/,
    ],
    [
      'a mistyped key',
      'retrun_url = "https://a.example"',
      /unknown key profiles\.live\.retrun_url: did you mean "return_url"/,
    ],
    [
      'a mistyped column',
      '[profiles.live.ledger]\ncolumns = { oder_no = "x" }',
      /ledger\.columns\.oder_no: did you mean "order_no"/,
    ],
    ['a key nobody knows', 'x = 1', /unknown key profiles\.live\.x: known are merchant_id, environment/],
    ['a mistyped top table', '[profile.live2]\nx = 1', /unknown key profile: did you mean "profiles"/],
    ['a number for text', 'return_url = 7', /profiles\.live\.return_url must be text in quotes/],
    ['text for a list', '[profiles.live.status]\nopen = "x"', /profiles\.live\.status\.open must be a list/],
    ['text for a table', 'status = "x"', /profiles\.live\.status must be a table/],
    ['an empty word', '[profiles.live.status]\nopen = ["a", ""]', /status\.open\[1\] must not be empty/],
    [
      'an unknown hash',
      '[profiles.live.legacy_signature]\nhash = "sha3"',
      /legacy_signature\.hash must be one of "md5", "sha1", "sha256", "sha512"/,
    ],
    [
      'a wild HTTP status',
      '[profiles.live.not_found]\nhttp = [200]',
      /not_found\.http\[0\] must be an HTTP status from 400/,
    ],
    [
      'a name of the wrong type',
      '[profiles.live.response]\norder_no = 3',
      /response\.order_no must be a name, or a list of names/,
    ],
    ['a bad profile name', '[profiles."a b"]\nbase_url = "x"', /profiles\.a b: a profile’s name is made of/],
    [
      'an unknown part',
      '[profiles.live.legacy_signature]\ninput = "{timestmp}{body}"',
      /legacy_signature\.input in .*asks for \{timestmp\}.*did you mean \{timestamp\}\?/,
    ],
    [
      'a part with an underscore',
      '[profiles.live.legacy_signature]\ninput = "{body_sha256}"',
      /\{body_sha256\}.*\{bodySha256\}/,
    ],
    ['no part at all', '[profiles.live.legacy_signature]\ninput = "x"', /names no part/],
    [
      'a webhook without its body',
      '[profiles.live.webhook_signature]\ninput = "{timestamp}"',
      /leaves the body out/,
    ],
    [
      'a header that is none',
      '[profiles.live.webhook_signature]\nheader = "X Sig:"',
      /header in .* is not the name/,
    ],
    [
      'an age that is none',
      '[profiles.live.webhook_signature]\nmax_age = "soon"',
      /max_age in .* is no time/,
    ],
    [
      'one word, two states',
      '[profiles.live.status]\ncompleted = ["DONE"]\nfailed = ["DONE"]',
      /"DONE" is both under completed and under failed/,
    ],
    [
      'one word, two states of payouts',
      '[profiles.live.status.payout]\nfailed = ["CLOSED"]\ncompleted = ["CLOSED"]',
      /profiles\.live\.status\.payout.*"CLOSED" is both under completed and under failed/,
    ],
    [
      'a word of a default state',
      '[profiles.live.status]\ncompleted = ["pending"]',
      /"pending" is both under completed and under open/,
    ],
    ['nothing ever completed', '[profiles.live.status]\ncompleted = []', /completed is empty/],
    [
      'one ledger word, two states',
      '[profiles.live.ledger]\nstatus = { open = ["X"], failed = ["x"] }',
      /"x" is both under open and under failed/,
    ],
    [
      'one ledger word, two kinds',
      '[profiles.live.ledger]\nkind = { other = ["Deposit"], deposit = ["deposit"] }',
      /ledger\.kind .*"Deposit" is both under deposit and under other/,
    ],
    [
      'a column named twice',
      '[profiles.live.ledger]\ncolumns = { order_no = "ID", amount = "ID" }',
      /"ID" was given for both order_no and amount/,
    ],
    ['no such time zone', '[profiles.live.ledger]\ntimezone = "Asia/Daka"', /no time zone "Asia\/Daka"/],
    [
      'a field twice',
      '[profiles.live.delivery_join]\nby = ["order_id", "order_id"]',
      /names one field twice/,
    ],
  ]
  test.each(rows)('%s', async (_, below, message) => {
    const failure = await failureOf(load({toml: `${liveToml}${below}`}))
    expect(failure).toMatchObject({code: 'config_invalid', exitStatus: 2, hint: expect.stringMatching(/./)})
    expect(failure.message).toMatch(message)
    expect(failure.message).toContain('config.toml')
  })

  test('several problems are told together, and not without end', async () => {
    const {message} = await failureOf(load({toml: `${liveToml}a=1\nb=1\nc=1\nd=1\ne=1\nf=1\ng=1`}))
    expect(message).toMatch(/live\.a: .*; unknown key profiles\.live\.e: .*; and 2 more\.$/)
  })

  test('hostile names are made visible (P24)', async () => {
    const {message} = await failureOf(load({toml: `${liveToml}"\\u001b[31m" = 1`}))
    expect(message).toContain('\\u{1b}[31m')
    expect(message).not.toContain('\u001b')
  })

  test('broken TOML: file, line and column, and nothing of what stands there', async () => {
    const {message} = await failureOf(load({toml: `${liveToml}api_key_2 = ${canary}`}))
    expect(message).toMatch(/config\.toml, line 9, column \d+: /)
    expect(message).not.toContain(canary)
  })

  test('a folder in its place, and bytes that are not UTF-8', async () => {
    const folder = mkdtempSync(join(tempDir(), 'config-'))
    const request = {env: {}, configPath: folder, profileFlag: null, needs: 'service'} as const
    expect(await failureOf(loadProfile(request))).toMatchObject({code: 'file_unreadable'})
    const configPath = join(folder, 'config.toml')
    writeFileSync(configPath, Uint8Array.from([0x23, 0xff, 0x0a]))
    const {message} = await failureOf(loadProfile({...request, configPath}))
    expect(message).toMatch(/config\.toml cannot be read: it is not valid UTF-8/)
  })
})

test.each([
  ['statsu', 'status'],
  ['BASE_URL', 'base_url'],
  ['completely different', null],
  ['', null],
])('nearest(%j) is %j', (word, expected) => {
  expect(nearest(word, ['base_url', 'status', 'response'])).toBe(expected)
})
