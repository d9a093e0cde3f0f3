import fs, {chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs'
import {syncBuiltinESMExports} from 'node:module'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'

import type {Connection} from '../../src/api/connection.ts'
import {defaultLimits} from '../../src/api/limits.ts'
import type {ServiceProbe} from '../../src/api/probe.ts'
import type {LoadedProfile} from '../../src/config/load-profile.ts'
import type {Check} from '../../src/core/doctor/check.ts'
import {Failure} from '../../src/core/failure.ts'
import type {JsonValue} from '../../src/core/json.ts'
import {signFields} from '../../src/core/signing/request.ts'
import type {SharedState} from '../../src/journal/postgres/inspect.ts'
import {checkAddress, checkSecrets} from '../../src/workflows/doctor/check-answer.ts'
import {configCheck, dataCheck, doubtsCheck, environmentCheck} from '../../src/workflows/doctor/machine.ts'
import {reachAll, reachCheck} from '../../src/workflows/doctor/reach.ts'
import {readSecretOf, settingsCheck} from '../../src/workflows/doctor/settings.ts'
import {checksOfState} from '../../src/workflows/doctor/shared-journal.ts'
import {receiverCheck, webhooksCheck} from '../../src/workflows/doctor/webhooks.ts'
import {credentials, good, json, profileAt, serve, text} from '../api/fixture.ts'
import {delivery} from '../core/reconcile/sample.ts'
import {tempDir} from '../temp-dir.ts'

/** A check as one line: its status, what was seen, what to do. */
function lineOf({name, status, why, next, code}: Check): string {
  return [
    `${name} ${status}${code === null ? '' : ` (${code})`}: ${why}`,
    ...(next === null ? [] : [next]),
  ].join(' → ')
}

const linesOf = (checks: readonly Check[], hide = '') =>
  checks.map((check) => lineOf(check).replaceAll(hide === '' ? /$^/g : hide, 'DIR'))

/** Node's own functions for files answer what a test says: a full disk, one that is not local, one that is not writable. */
function withFiles<T>(instead: Partial<typeof fs>, look: () => T): T {
  const {accessSync, statfsSync} = fs
  Object.assign(fs, instead)
  syncBuiltinESMExports()
  try {
    return look()
  } finally {
    Object.assign(fs, {accessSync, statfsSync})
    syncBuiltinESMExports()
  }
}

const statOf = (type: number, freeMiB: number) =>
  (() => ({type, bavail: freeMiB, bsize: 1024 * 1024})) as unknown as typeof fs.statfsSync
const notWritable = () => {
  throw new Error('EACCES')
}

test('the environment: what is unknown, what weakens certificates, a proxy that is not used', () => {
  const envs = [
    {},
    {HISAB_PROFIL: 'x', HISAB_ZZZZZZZZZ: 'x'},
    {HISAB_ZZZZZZZZZ: 'x', NODE_TLS_REJECT_UNAUTHORIZED: '0'},
    {HISAB_OWN_SECRET: 'x', HISAB_EXTRA_DIR: 'x', HISAB_AC_X: 'x', HISAB_SKIP_X: 'x', OTHER_PROFIL: 'x'},
    {NODE_TLS_REJECT_UNAUTHORIZED: '0', HTTPS_PROXY: 'x'},
    {NODE_TLS_REJECT_UNAUTHORIZED: '1', https_proxy: '', all_proxy: 'x'},
  ]
  const checks = envs.map((env) => environmentCheck(env, ['env:HISAB_OWN_SECRET']))
  expect(linesOf(checks)).toMatchInlineSnapshot(`
    [
      "environment ok: no proxy, nothing unknown",
      "environment warning: HISAB_PROFIL, HISAB_ZZZZZZZZZ: unknown variable → Is HISAB_PROFILE meant?",
      "environment warning: HISAB_ZZZZZZZZZ: unknown variable → Unset it, or correct its name.",
      "environment ok: no proxy, nothing unknown",
      "environment warning: NODE_TLS_REJECT_UNAUTHORIZED=0 is set. hisab checks certificates anyway → Unset it. Other programs obey it.",
      "environment ok: all_proxy is set, but hisab uses only the proxy of the profile or HISAB_PROXY",
    ]
  `)
})

test('every variable that the document explains is known', () => {
  const text = readFileSync('docs/configuration.md', 'utf8')
  const names = [...text.matchAll(/^\| `(HISAB_\w+)` \|/gm)].map(([, name = '']) => name)
  expect(names).toContain('HISAB_HEARTBEAT')
  expect(names.filter((name) => environmentCheck({[name]: 'x'}, []).status !== 'ok')).toEqual([])
})

test('the configuration file: none, a folder, open to others, not read', () => {
  const dir = tempDir()
  const at = (path: string, mode: number, folderMode: number, isRead = true, isNamed = false) => {
    const folder = join(dir, path)
    mkdirSync(folder, {recursive: true})
    const file = join(folder, 'config.toml')
    writeFileSync(file, '')
    chmodSync(file, mode)
    chmodSync(folder, folderMode)
    return configCheck(file, isRead, isNamed)
  }
  const checks = [
    configCheck(join(dir, 'none.toml'), true, false),
    configCheck(dir, true, false),
    at('closed', 0o600, 0o700),
    at('closed', 0o600, 0o700, false),
    at('open-file', 0o644, 0o700),
    at('open-folder', 0o600, 0o755),
    at('both', 0o644, 0o755),
    at('named', 0o600, 0o755, true, true),
    at('named-weak', 0o600, 0o777, true, true),
  ]
  expect(linesOf(checks, dir)).toMatchInlineSnapshot(`
    [
      "config skipped: none at DIR/none.toml",
      "config failed (file_unreadable): DIR is no file → Set HISAB_CONFIG to another file.",
      "config ok: DIR/closed/config.toml, mode 0600 in a folder of 0700",
      "config ok: DIR/closed/config.toml, mode 0600 in a folder of 0700; not read",
      "config warning: DIR/open-file/config.toml, mode 0644 in a folder of 0700: open to other users → Run: chmod 600 DIR/open-file/config.toml",
      "config warning: DIR/open-folder/config.toml, mode 0600 in a folder of 0755: open to other users → Run: chmod 700 DIR/open-folder",
      "config warning: DIR/both/config.toml, mode 0644 in a folder of 0755: open to other users → Run: chmod 600 DIR/both/config.toml && chmod 700 DIR/both",
      "config ok: DIR/named/config.toml, mode 0600 in a folder of 0755",
      "config warning: DIR/named-weak/config.toml, mode 0600 in a folder of 0777: open to other users → Run: chmod 700 DIR/named-weak",
    ]
  `)
})

test('the data directory: what keeps hisab from recording what it sends', () => {
  const dir = tempDir()
  const [own, open, weak, file] = ['own', 'open', 'weak', 'file'].map((name) => join(dir, name)) as [
    ...[string, string, string, string],
  ]
  for (const folder of [own, open, weak]) mkdirSync(folder)
  chmodSync(own, 0o700)
  chmodSync(open, 0o755)
  chmodSync(weak, 0o777)
  writeFileSync(file, '')
  symlinkSync(weak, join(dir, 'link'))
  const ext4 = 0xef53
  const onDisk = (path: string) => withFiles({statfsSync: statOf(ext4, 900)}, () => dataCheck(path))
  const checks = [
    ...[own, join(own, 'later'), open, weak, join(weak, 'below'), join(dir, 'link'), file].map(onDisk),
    withFiles({accessSync: notWritable}, () => dataCheck(own)),
    withFiles({accessSync: notWritable}, () => dataCheck(join(own, 'later'))),
    withFiles({statfsSync: statOf(0x6969, 900)}, () => dataCheck(own)),
    withFiles({statfsSync: statOf(ext4, 99)}, () => dataCheck(own)),
    withFiles({statfsSync: statOf(ext4, 100)}, () => dataCheck(own)),
    withFiles({statfsSync: notWritable}, () => dataCheck(own)),
  ]
  expect(linesOf(checks, dir)).toMatchInlineSnapshot(`
    [
      "data ok: DIR/own, mode 0700, writable",
      "data ok: DIR/own/later, made when first needed",
      "data warning: DIR/open, mode 0755: open to other users → Run: chmod 700 DIR/open",
      "data failed (config_invalid): DIR/weak can be changed by other users → Run: chmod go-w DIR/weak",
      "data failed (config_invalid): DIR/weak/below is not used: DIR/weak can be changed by other users → Run: chmod go-w DIR/weak",
      "data failed (config_invalid): DIR/link is not used: DIR/weak can be changed by other users → Run: chmod go-w DIR/weak",
      "data failed (storage_failed): DIR/file is no folder → Name another with HISAB_DATA_DIR.",
      "data failed (storage_failed): DIR/own cannot be written → Make it writable, or set HISAB_DATA_DIR to another folder. Until then nothing can be sent.",
      "data failed (storage_failed): DIR/own/later is not there, and DIR/own cannot be written → Make it writable, or set HISAB_DATA_DIR to another folder. Until then nothing can be sent.",
      "data warning: DIR/own is on a network file system, where locks are not safe → Set HISAB_DATA_DIR to a folder on a local disk.",
      "data warning: DIR/own: only 99 MiB free → Free some space. hisab sends nothing that it cannot record first.",
      "data ok: DIR/own, mode 0700, writable",
      "data ok: DIR/own, mode 0700, writable",
    ]
  `)
})

test('doubts are counted by what they are of', () => {
  const counts: readonly (readonly [payout: number, deposit: number, resends: number])[] = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [2, 3, 4],
  ]
  const checks = counts.map(([payout, deposit, resendsInDoubt]) =>
    doubtsCheck('j.db, 2 runs', {resendsInDoubt, createsInDoubt: {deposit, payout}}, 'j.db'),
  )
  expect(linesOf(checks)).toMatchInlineSnapshot(`
    [
      "journal ok: j.db, 2 runs",
      "journal warning: j.db: 1 payout whose outcome nobody knows → List them, with the command that ends each: hisab payout list --in-doubt.",
      "journal warning: j.db: 1 deposit whose outcome nobody knows → List them, with the command that ends each: hisab payout list --in-doubt.",
      "journal warning: j.db: 1 resend whose outcome nobody knows → List them, with the command that ends each: hisab payout list --in-doubt.",
      "journal warning: j.db: 2 payouts and 3 deposits and 4 resends whose outcome nobody knows → List them, with the command that ends each: hisab payout list --in-doubt.",
    ]
  `)
})

const sound: SharedState = {
  ...{clockBehindMs: 1_234, synchronousCommit: 'on', commitOfWrites: 'on', standbys: 0, hiddenStandbys: 0},
  ...{
    asyncStandbys: [],
    canDelete: false,
    restored: null,
    refusal: null,
    payeeKeys: new Map([['ownkey00', 3]]),
  },
  ...{holder: null, resendsInDoubt: 0, createsInDoubt: {deposit: 0, payout: 0}},
}

test('a shared journal: all that is sound, then each that is not', () => {
  const of = (state: Partial<SharedState> = {}, ownKey: string | null = 'ownkey00') =>
    checksOfState(
      {...sound, ...state},
      'u@db:5432/hisab',
      ['https://pay.example', 'https://apply.example'],
      ownKey,
    )
  const well = of()
  expect(linesOf(well)).toMatchInlineSnapshot(`
    [
      "journal ok: u@db:5432/hisab, the primary, fsync on",
      "journal_commits ok: synchronous_commit on",
      "journal_standbys ok: none",
      "journal_clock ok: within 1.2 s of the database’s",
      "journal_role ok: may read, add and change rows, and delete none",
      "journal_addresses ok: https://pay.example, https://apply.example",
      "payee_key ok: its id is ownkey00, as of all payouts",
    ]
  `)
  const others: readonly Check[][] = [
    of({restored: {text: 'It was restored', hint: 'Compare.'}, resendsInDoubt: 1}),
    of({resendsInDoubt: 1}),
    of({synchronousCommit: 'off'}),
    ...['off', 'local', 'remote_write'].map((commitOfWrites) => of({commitOfWrites})),
    of({standbys: 2}),
    of({asyncStandbys: ['b', 'c'], hiddenStandbys: 1}),
    of({hiddenStandbys: 1}),
    of({clockBehindMs: 119_999}),
    of({clockBehindMs: 120_000}),
    of({clockBehindMs: -120_000}),
    of({canDelete: true}),
    of({refusal: new Failure('config_invalid', 'It is another.', 'Name it.')}),
    of({payeeKeys: new Map()}, null),
    of({
      payeeKeys: new Map([
        ['ownkey00', 3],
        ['other000', 1],
      ]),
    }),
    of(
      {
        payeeKeys: new Map([
          ['other000', 2],
          ['third000', 3],
        ]),
      },
      null,
    ),
  ]
  const differing = others.map((checks) =>
    linesOf(checks.filter((one, at) => lineOf(one) !== lineOf(well[at] as Check))),
  )
  expect(differing).toMatchInlineSnapshot(`
    [
      [
        "journal failed (file_unreadable): u@db:5432/hisab: It was restored → Compare.",
      ],
      [
        "journal warning: u@db:5432/hisab: 1 resend whose outcome nobody knows → List them, with the command that ends each: hisab payout list --in-doubt.",
      ],
      [
        "journal_commits ok: synchronous_commit on, set by hisab; the role has off",
      ],
      [
        "journal_commits failed (storage_failed): synchronous_commit is off: a crash can lose what was acknowledged → Let the role of hisab set it, and set it to on.",
      ],
      [
        "journal_commits failed (storage_failed): synchronous_commit is local: a crash can lose what was acknowledged → Let the role of hisab set it, and set it to on.",
      ],
      [
        "journal_commits failed (storage_failed): synchronous_commit is remote_write: a crash can lose what was acknowledged → Let the role of hisab set it, and set it to on.",
      ],
      [
        "journal_standbys ok: 2, and a COMMIT waits for each",
      ],
      [
        "journal_standbys warning: b, c may lack what was acknowledged → Name it in synchronous_standby_names. Else hisab stops after a failover until a person has compared.",
      ],
      [
        "journal_standbys warning: 1 standby, and this role may not see whether a COMMIT waits for them → As an administrator, run: GRANT pg_monitor TO the role of hisab.",
      ],
      [
        "journal_clock ok: within 120.0 s of the database’s",
      ],
      [
        "journal_clock failed (config_invalid): this machine’s clock is 120.0 s behind the database’s, so nothing is sent → Correct the clock of this machine, or of the database.",
      ],
      [
        "journal_clock failed (config_invalid): this machine’s clock is 120.0 s ahead of the database’s, so nothing is sent → Correct the clock of this machine, or of the database.",
      ],
      [
        "journal_role warning: this role may delete what was sent → Connect as a role that owns no table: hisab journal migrate --grant ROLE. See docs/shared-journal.md.",
      ],
      [
        "journal_addresses failed (config_invalid): It is another → Name it.",
      ],
      [
        "payee_key ok: none yet; made with the first payout",
      ],
      [
        "payee_key warning: its id is ownkey00, and 1 payout was recorded with another: they are not compared by name → Copy payee.key of the machine that paid into the data directory of this one.",
      ],
      [
        "payee_key warning: none yet, and 5 payouts were recorded with another: they are not compared by name → Copy payee.key of the machine that paid into the data directory of this one.",
      ],
    ]
  `)
})

describe('the addresses', () => {
  const nowMs = Date.parse('2026-11-20T12:00:00Z')
  const dayMs = 86_400_000
  const reached = {
    host: 'pay.example',
    port: 443,
    address: '192.0.2.1',
    connectMs: 12,
    tls: null,
    failure: null,
  }
  const tls = (days: number | null, issuer = 'An Authority') => ({
    ...{protocol: 'TLSv1.3', issuer},
    validToMs: days === null ? null : nowMs + days * dayMs,
  })
  test('what a connection says', () => {
    const connections: readonly Connection[] = [
      reached,
      {...reached, tls: tls(90)},
      {...reached, tls: tls(90, '')},
      {...reached, tls: tls(null)},
      {...reached, tls: tls(14)},
      {...reached, tls: tls(13.9)},
      {...reached, tls: tls(1)},
      {...reached, tls: tls(-0.1), failure: {step: 'tls', reason: 'the certificate has expired'}},
      {...reached, tls: tls(0), failure: {step: 'tls', reason: 'it is self-signed'}},
      {...reached, tls: tls(90), failure: {step: 'connect', reason: 'refused'}},
      {...reached, failure: {step: 'dns', reason: 'unknown'}},
    ]
    const checks = connections.map((one) => reachCheck('base_url', 'pay.example', one, nowMs))
    expect(linesOf(checks)).toMatchInlineSnapshot(`
      [
        "base_url ok: pay.example: connected in 12 ms, without TLS on this machine",
        "base_url ok: pay.example: connected in 12 ms, TLSv1.3, certificate until 2027-02-18 (90 days) by An Authority",
        "base_url ok: pay.example: connected in 12 ms, TLSv1.3, certificate until 2027-02-18 (90 days)",
        "base_url ok: pay.example: connected in 12 ms, TLSv1.3 by An Authority",
        "base_url ok: pay.example: connected in 12 ms, TLSv1.3, certificate until 2026-12-04 (14 days) by An Authority",
        "base_url warning: pay.example: connected in 12 ms, TLSv1.3, certificate until 2026-12-04 (13 days) by An Authority → Ask the service to renew it: once it has expired, nothing is sent.",
        "base_url warning: pay.example: connected in 12 ms, TLSv1.3, certificate until 2026-11-21 (1 day) by An Authority → Ask the service to renew it: once it has expired, nothing is sent.",
        "base_url failed (service_unreachable): pay.example: the certificate has expired, certificate expired on 2026-11-20 → If the certificate is from your own authority, set NODE_EXTRA_CA_CERTS=FILE. Otherwise the service must correct it. Nothing is sent over this connection.",
        "base_url failed (service_unreachable): pay.example: it is self-signed, certificate until 2026-11-20 (0 days) → If the certificate is from your own authority, set NODE_EXTRA_CA_CERTS=FILE. Otherwise the service must correct it. Nothing is sent over this connection.",
        "base_url failed (service_unreachable): pay.example: refused → Check host and port in base_url. Then check the firewall and the service’s list of allowed addresses.",
        "base_url failed (service_unreachable): pay.example: unknown → Check the host name in base_url, and this machine’s DNS.",
      ]
    `)
  })

  test('one host is tried once, and what goes by the proxy is not tried', async () => {
    const {origin} = await serve(json({}))
    const profile = {...profileAt(origin), applyUrl: 'http://127.0.0.1:1/apply'}
    const hide = (line: string) => line.replace(/:\d{4,5}/g, ':PORT').replace(/\d+ ms/g, 'N ms')
    const direct = await reachAll(profile, defaultLimits, () => nowMs)
    expect([linesOf(direct.checks).map(hide), direct.isReached]).toMatchInlineSnapshot(`
      [
        [
          "base_url ok: 127.0.0.1:PORT: connected in N ms, without TLS on this machine",
          "apply_url failed (service_unreachable): 127.0.0.1:1: the connection was refused → Check host and port in apply_url. Then check the firewall and the service’s list of allowed addresses.",
          "legacy_url ok: the host of base_url",
        ],
        {
          "apply_url": false,
          "base_url": true,
          "legacy_url": true,
        },
      ]
    `)
    const proxied = await reachAll(
      {...profile, legacyUrl: 'https://legacy.invalid', proxy: new URL('http://127.0.0.1:1') as never},
      defaultLimits,
      () => nowMs,
    )
    expect([linesOf(proxied.checks).map(hide), proxied.isReached]).toMatchInlineSnapshot(`
      [
        [
          "base_url ok: 127.0.0.1:PORT: connected in N ms, without TLS on this machine",
          "apply_url failed (service_unreachable): 127.0.0.1:1: the connection was refused → Check host and port in apply_url. Then check the firewall and the service’s list of allowed addresses.",
          "legacy_url skipped: legacy.invalid: by the proxy, so the connection itself is not seen from here",
        ],
        {
          "apply_url": false,
          "base_url": true,
          "legacy_url": true,
        },
      ]
    `)
    expect(
      linesOf(await checkAddress('apply_url', profile, {now: () => nowMs, madeUpNo: 'N'})).map(hide),
    ).toEqual([expect.stringMatching(/^apply_url failed \(service_unreachable\)/)])
  })

  test('a secret is tried at the orders, with an API key at the list of webhooks alone', async () => {
    const {origin, seen} = await serve((response, call, nth) => {
      const isQuery = call.path.endsWith('/query')
      const answer =
        call.method === 'GET'
          ? json({...good.list, meta: {}})
          : isQuery
            ? json({code: 'ORDER_NOT_FOUND', message: 'no such order'}, 404)
            : text('<h1>Not Found</h1>', 404, {'content-type': 'text/html'})
      answer(response, call, nth)
    })
    const {apiSecret, apiKey} = credentials
    const ask = (key: string | null) =>
      checkSecrets(profileAt(origin), {apiSecret, apiKey: key}, {now: Date.now, madeUpNo: 'N-0'})
    expect((await ask(null)).map(({name, status}) => [name, status])).toEqual([
      ['deposits', 'ok'],
      ['payouts', 'ok'],
    ])
    const before = seen.length
    expect((await ask(apiKey)).map(({name, status}) => [name, status])).toEqual([['webhooks', 'ok']])
    expect(seen.slice(before).every(({method}) => method === 'GET')).toBe(true)
  })
})

describe('webhooks', () => {
  const profile = profileAt('https://pay.example')
  const probe = (listed: object, got: object = {}, skewMs: number | null = null) =>
    ({
      listOne: async () => ({seen: 'HTTP 4xx', tookMs: 5, ...listed}),
      getDelivery: async () => ({seen: 'HTTP 500', ...got}),
      skews: {legacy_url: {ms: skewMs}},
    }) as unknown as ServiceProbe
  const failing = (code: string, serviceCode?: string) => ({
    outcome: {kind: 'failed', code, what: 'said so', serviceCode},
  })

  test('the list: there, or why not', async () => {
    const done = (total: number) => ({outcome: {kind: 'done', value: {total, records: []}}})
    const rows: readonly ServiceProbe[] = [
      probe(done(0)),
      probe(done(1)),
      ...['legacy_unavailable', 'service_unreachable', 'credentials_rejected', 'service_busy'].map((code) =>
        probe(failing(code)),
      ),
      probe(failing('credentials_rejected', 'INVALID_SIGNATURE'), {}, 600_000),
      probe(failing('service_refused')),
      probe(failing('service_refused', 'NO_RIGHT')),
    ]
    const checks = await Promise.all(rows.map(async (row) => (await webhooksCheck(row)).check))
    expect(linesOf(checks)).toMatchInlineSnapshot(`
      [
        "webhooks ok: there, signature accepted: 0 delivery records, in 5 ms",
        "webhooks ok: there, signature accepted: 1 delivery record, in 5 ms",
        "webhooks warning: there is no legacy API: HTTP 4xx → Check legacy_url. The legacy API is deprecated and may be missing. Without it no webhook can be listed or resent.",
        "webhooks failed (service_unreachable): said so → Check legacy_url and the network.",
        "webhooks failed (credentials_rejected): rejected: HTTP 4xx → Check the API key. If it is right, the signature scheme (A6) is wrong. Find it offline from a captured request with \`hisab verify --discover\`, or with \`hisab doctor --find-legacy-scheme\`.",
        "webhooks unknown (incomplete): said so → Run it again; if it stays, check legacy_url.",
        "webhooks failed (credentials_rejected): rejected: HTTP 4xx (INVALID_SIGNATURE). The service's clock is 600 s ahead of this machine's → Check the API key. If it is right, the signature scheme (A6) is wrong. Find it offline from a captured request with \`hisab verify --discover\`, or with \`hisab doctor --find-legacy-scheme\`.",
        "webhooks failed (credentials_rejected): said so → Check the API key. If it is right, the signature scheme (A6) is wrong. Find it offline from a captured request with \`hisab verify --discover\`, or with \`hisab doctor --find-legacy-scheme\`.",
        "webhooks failed (credentials_rejected): said so (NO_RIGHT) → Check the API key. If it is right, the signature scheme (A6) is wrong. Find it offline from a captured request with \`hisab verify --discover\`, or with \`hisab doctor --find-legacy-scheme\`.",
      ]
    `)
  })

  test('the signature of a webhook that was sent', async () => {
    const fields = {orderNo: 'D-1', status: 'completed'}
    const signature = signFields(fields, 'secret')
    const got = (payload: JsonValue | undefined) => probe({}, {outcome: {kind: 'done', value: {payload}}})
    const record = delivery({id: 'r-1'})
    const check = (by: ServiceProbe, one: typeof record | null = record, of = profile) =>
      receiverCheck(by, one, of, 'secret')
    const {dialect} = profile
    const hmac = {
      ...dialect,
      webhookSignature: {...dialect.webhookSignature, scheme: 'hmac' as const, header: 'x-sig'},
    }
    const checks = await Promise.all([
      check(got({...fields, signature})),
      check(got(JSON.stringify({...fields, signature})), record, {...profile, returnUrl: null}),
      check(got({...fields, signature: signFields(fields, 'another')})),
      check(got(fields)),
      check(got('{')),
      check(got('[]')),
      check(got(undefined)),
      check(probe({}, {outcome: {kind: 'done', value: null}})),
      check(probe({}, failing('service_busy'))),
      check(got(fields), null),
      check(got(fields), record, {...profile, dialect: hmac}),
    ])
    expect(linesOf(checks)).toMatchInlineSnapshot(`
      [
        "receiver ok: the webhook of record r-1 verifies: md5-sorted",
        "receiver ok: the webhook of record r-1 verifies: md5-sorted",
        "receiver warning: webhooks do not verify as md5-sorted: that of record r-1 carries another signature → Find their scheme from one you received: hisab verify --scheme webhook --discover --capture FILE.",
        "receiver warning: webhooks do not verify as md5-sorted: that of record r-1 carries no field "signature" → Find their scheme from one you received: hisab verify --scheme webhook --discover --capture FILE.",
        "receiver warning: webhooks do not verify as md5-sorted: that of record r-1 cannot be read as signed fields → Find their scheme from one you received: hisab verify --scheme webhook --discover --capture FILE.",
        "receiver warning: webhooks do not verify as md5-sorted: that of record r-1 holds no JSON object → Find their scheme from one you received: hisab verify --scheme webhook --discover --capture FILE.",
        "receiver warning: webhooks do not verify as md5-sorted: that of record r-1 holds no JSON object → Find their scheme from one you received: hisab verify --scheme webhook --discover --capture FILE.",
        "receiver skipped: the record r-1 could not be read: HTTP 500 → To prove it, check a webhook you received: hisab verify --scheme webhook --body FILE.",
        "receiver skipped: the record r-1 could not be read: HTTP 500 → To prove it, check a webhook you received: hisab verify --scheme webhook --body FILE.",
        "receiver skipped: no delivery record to see a signed webhook in → To prove it, check a webhook you received: hisab verify --scheme webhook --body FILE.",
        "receiver skipped: webhooks are signed in x-sig, which no record keeps → To prove it, check a webhook you received: hisab verify --scheme webhook --body FILE.",
      ]
    `)
  })
})

describe('settings and secrets', () => {
  const dayMs = 86_400_000
  const loaded = (more: Partial<LoadedProfile> = {}) =>
    ({
      ...{profile: profileAt('https://pay.example'), warnings: [], notes: []},
      evidence: {keepMs: 400 * dayMs, runs: 400, dir: null},
      secretOrigins: {api_secret: {where: 'HISAB_API_SECRET', isPlainText: false}, api_key: null},
      ...more,
    }) as unknown as LoadedProfile

  test('what is missing, what is mixed, and evidence of less than a month', () => {
    const dir = tempDir()
    const file = join(dir, 'file')
    writeFileSync(file, '')
    const profile = {...loaded().profile, merchantId: '', applyUrl: ''}
    const evidence = (keepDays: number | null, runs: number, place: string | null = null) =>
      loaded({evidence: {keepMs: keepDays === null ? null : keepDays * dayMs, runs, dir: place}})
    const mixed = ['Something else.', 'A and B are used for the profile’s own C.']
    const checks = [
      settingsCheck(loaded()),
      settingsCheck(loaded({profile, warnings: mixed})),
      settingsCheck(loaded({warnings: mixed})),
      settingsCheck(evidence(31, 31, dir)),
      settingsCheck(evidence(30.9, 400)),
      settingsCheck(evidence(400, 30)),
      settingsCheck(evidence(null, 400)),
      settingsCheck(evidence(400, 400, join(dir, 'later'))),
      settingsCheck(evidence(400, 400, file)),
      withFiles({accessSync: notWritable}, () => settingsCheck(evidence(400, 400, dir))),
      withFiles({accessSync: notWritable}, () => settingsCheck(evidence(400, 400, join(dir, 'later')))),
    ]
    expect(linesOf(checks, dir)).toMatchInlineSnapshot(`
      [
        "settings ok: complete",
        "settings failed (config_invalid): missing: merchant_id, apply_url → Set HISAB_MERCHANT_ID, HISAB_APPLY_URL, or merchant_id, apply_url in the profile.",
        "settings warning: A and B are used for the profile’s own C → Unset them unless you mean it.",
        "settings ok: complete",
        "settings warning: the evidence of nightly runs is kept for 30 days: less than a month → Set evidence.keep to 31d or more, and evidence.runs to 31 or more.",
        "settings warning: the evidence of nightly runs is kept for 30 days: less than a month → Set evidence.keep to 31d or more, and evidence.runs to 31 or more.",
        "settings warning: evidence.keep is "off": no run can be proven → Set evidence.keep to 31d or more, and evidence.runs to 31 or more.",
        "settings ok: complete",
        "settings failed (storage_failed): evidence.dir, DIR/file, is no folder → Name a folder that hisab can write. Until then a run ends with 8.",
        "settings failed (storage_failed): evidence.dir, DIR, cannot be written → Name a folder that hisab can write. Until then a run ends with 8.",
        "settings failed (storage_failed): evidence.dir, DIR/later, cannot be written → Name a folder that hisab can write. Until then a run ends with 8.",
      ]
    `)
  })

  test('a secret is shown by its length and its source alone', async () => {
    const whole = 'x'.repeat(32)
    const read = async (
      secret: string,
      isPlainText = false,
      remarks: Partial<Record<'warnings' | 'notes', string>> = {},
    ) => {
      const [warnings, notes] = [['An older one.'], ['An older note.']]
      const secretOrigins = {api_secret: {where: 'config.toml', isPlainText}, api_key: null}
      const apiSecret = async () => {
        if (remarks.warnings) warnings.push(remarks.warnings)
        if (remarks.notes) notes.push(remarks.notes)
        if (secret === '') throw new Failure('credentials_missing', 'It is not there.', 'Set it.')
        return secret
      }
      return await readSecretOf(loaded({warnings, notes, secretOrigins, apiSecret} as never), 'api_secret')
    }
    const results = [
      await read(whole),
      await read('x'.repeat(15)),
      await read('x'.repeat(16)),
      await read(whole, true),
      await read(whole, false, {warnings: 'It ends with a space.'}),
      await read(whole, false, {notes: 'A newline was cut off.'}),
      await read(''),
      await readSecretOf(loaded(), 'api_key'),
    ]
    expect(linesOf(results.map(({check}) => check))).toMatchInlineSnapshot(`
      [
        "api_secret ok: set, from config.toml, 32 characters",
        "api_secret ok: set, from config.toml, 15 characters",
        "api_secret ok: set, from config.toml, 16 characters",
        "api_secret warning: set, from config.toml, 32 characters → Keep it apart: api_secret = { file = "…" } or { command = […] }.",
        "api_secret warning: set, from config.toml, 32 characters; It ends with a space → Compare it with the one that was issued.",
        "api_secret ok: set, from config.toml, 32 characters; A newline was cut off",
        "api_secret failed (credentials_missing): It is not there → Set it.",
        "api_key warning: not set, so webhooks cannot be listed or resent → Set HISAB_API_KEY_FILE, or api_key = { file = "…" } in the profile.",
      ]
    `)
    expect(results.map(({secret}) => secret?.length ?? null)).toEqual([32, 15, 16, 32, 32, 32, null, null])
    const defect = () =>
      readSecretOf(loaded({apiSecret: () => Promise.reject(new TypeError('x'))}), 'api_secret')
    await expect(defect()).rejects.toThrow(TypeError)
  })
})
