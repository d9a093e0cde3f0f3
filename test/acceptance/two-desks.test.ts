import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {cpSync, readFileSync, rmSync, utimesSync} from 'node:fs'
import {hostname} from 'node:os'
import {join} from 'node:path'
import {text} from 'node:stream/consumers'
import {afterAll, beforeAll, describe, expect, onTestFinished} from 'vitest'

import {sandboxMerchantId} from '../../src/core/profile.ts'
import {formatInstant} from '../../src/core/time.ts'
import {openSharedJournal, type SharedJournal} from '../../src/journal/postgres/journal.ts'
import {readAddress} from '../../src/journal/postgres/settings.ts'
import type {NewResend} from '../../src/journal/rows.ts'
import type {VerifiedEvidence} from '../../src/workflows/evidence/verify.ts'
import {PostgresServer, whyNoPostgres} from '../journal/postgres/server.ts'
import {claimed, exhaustedDelivery, nightlyRun, payout} from '../journal/sample.ts'
import {tempDir} from '../temp-dir.ts'
import {binary, OwnHome, root} from './own-home.ts'
import {it as dayIt} from './played-day.ts'
import type {PlayedOrder, PlayedService} from './played-service.ts'
import {hasTerminal, keys, openTerminal, type Screen} from './terminal.ts'

const orders: PlayedOrder[] = [
  {orderNo: 'T-1', ending: {paid: '100.00'}},
  {orderNo: 'T-2', ending: {paid: '200.00'}, isWebhookLost: true},
  {orderNo: 'T-3', ending: {paid: '300.00'}, isWebhookLost: true},
  {orderNo: 'T-4', ending: {paid: '400.00'}, isWebhookLost: true},
]
const ledger = `order_no,kind,status,amount,created_at
T-1,deposit,completed,100.00,2026-11-20T00:00:00+06:00
${['T-2', 'T-3', 'T-4'].map((no) => `${no},deposit,open,,2026-11-20T00:00:00+06:00\n`).join('')}`
const payouts = `out_order_no,amount,bank_type,user_name,account
P-1,500.00,BKASH,Rahim Uddin,01812345678
P-2,700.00,BKASH,Karim Uddin,01812345679
`

let server: PostgresServer
let databases = 0

interface Desks {
  readonly service: PlayedService
  readonly url: string
  readonly laptop: OwnHome
  readonly nightly: OwnHome
}

/** Two machines with folders of their own, one service in trouble, and one shared journal. */
const it = dayIt.extend<{desks: Desks}>({
  desks: async ({openDay}, use) => {
    const {service} = await openDay(orders)
    const name = `desks_${++databases}`
    server.sql(`CREATE DATABASE ${name}`)
    const url = server.url('hisab').replace(/hisab$/, name)
    const home = (user: string) =>
      new OwnHome({
        ...service.env,
        ...{HISAB_PROFILE: 'shop', HISAB_JOURNAL: url.replace('hisab@', `${user}@`)},
      })
    const [owner, laptop, nightly] = [home('owner'), home('hisab'), home('hisab')]
    for (const one of [owner, laptop, nightly]) {
      one.writeShop(service.env.HISAB_BASE_URL)
      one.write('ledger.csv', ledger)
      one.write('payouts.csv', payouts)
    }
    const migrated = await owner.runHere(['journal', 'migrate', '--grant', 'hisab'])
    expect(migrated.status, migrated.stderr).toBe(0)
    await use({service, url, laptop, nightly})
    for (const one of [owner, laptop, nightly]) one.remove()
  },
})

/** Karim's nightly job has the lease, until it is released. */
async function atWork({service, url}: Desks): Promise<{journal: SharedJournal; release(): Promise<void>}> {
  const dataDir = tempDir()
  const account = {merchantId: sandboxMerchantId, environment: 'sandbox'}
  const addresses = Object.values(service.env).flatMap((text) => URL.parse(text)?.origin ?? [])
  const user = {dataDir, account, addresses, profileName: 'shop', isEnvironmentNamed: false}
  const journal = await openSharedJournal(dataDir, readAddress(url, 'HISAB_JOURNAL'), user, {
    ...{author: 'karim', doing: 'hisab reconcile', timeZone: 'Asia/Dhaka'},
  })
  onTestFinished(() => journal.close())
  return {journal, ...(await journal.takeLease())}
}

const resendAll = ['webhooks', 'resend', '--status', 'failed']
const yes = async (screen: Screen, question: string) => {
  await screen.shows(question)
  return () => screen.type(`y${keys.enter}`)
}
const plain = ({text}: Screen) => text.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replaceAll(/\s+/g, ' ')

describe.skipIf(whyNoPostgres !== null)('two desks and one merchant', () => {
  beforeAll(async () => {
    server = await PostgresServer.start()
  }, 60_000)
  afterAll(() => server?.stop())

  it('who is refused reads who is at work, where, at what and since when; looking goes on', async ({
    desks,
  }) => {
    const {laptop, service} = desks
    const lease = await atWork(desks)
    const who = `karim@${hostname()}`
    for (const args of [
      [...resendAll, '--yes'],
      ['reconcile', 'ledger.csv', '--yes'],
      ['payout', 'create', '--from', 'payouts.csv', '--yes'],
      ['payout', 'resolve', 'P-1', '--paid', '--reason', 'seen at the bank'],
    ]) {
      const {status, stderr} = await laptop.runHere(args)
      expect(stderr).toMatch(
        new RegExp(
          `${who} is at work for merchant ${sandboxMerchantId} \\(sandbox\\): hisab reconcile, since 20.* \\(\\d+ s\\)\\. It has sent nothing yet\\. This command sent nothing\\.`,
        ),
      )
      expect([args[0], status]).toEqual([args[0], 9])
    }
    for (const args of [
      [...resendAll, '--dry-run'],
      ['reconcile', 'ledger.csv', '--dry-run'],
      ['items', 'list'],
      ['runs', 'list'],
      ['find', 'T-2'],
      ['doctor', '--offline'],
      ['journal', 'status'],
    ])
      expect([args[0], (await laptop.runHere(args)).stderr]).toEqual([
        args[0],
        expect.not.stringMatching(/^error/m),
      ])
    const {stdout} = await laptop.runHere(['journal', 'status'])
    expect(stdout).toContain(`at work   ${who}: hisab reconcile, since `)
    const {stdout: checked} = await laptop.runHere(['doctor', '--offline'])
    for (const line of [
      /ok +journal +hisab@.*, the primary, fsync on/,
      // What an administrator set for the role, and no write of hisab rests on.
      /ok +commits +synchronous_commit on, set by hisab; the role has off/,
      /ok +standbys +none/,
      /ok +its clock +within \d\.\d s/,
      /ok +its role +may read, add and change rows, and delete none/,
      /ok +addresses +http:/,
      /ok +payee\.key +none yet/,
      new RegExp(`ok +lock +${who}: hisab reconcile, since `),
    ])
      expect(checked).toMatch(line)
    expect(service.delivered).toEqual([])
    await lease.release()
    expect((await laptop.runHere(['journal', 'status'])).stdout).toContain('at work   nobody')
  })

  it('the evidence of both desks is one chain, whoever ends first; each proves its own, a copy of both proves all', async ({
    desks: {laptop, nightly},
  }) => {
    const look = ['reconcile', 'ledger.csv', '--dry-run', '--json']
    const ended = [await laptop.runHere(look), await nightly.runHere(look), await laptop.runHere(look)]
    ended.push(...(await Promise.all([laptop, nightly, nightly].map((desk) => desk.run(look)))))
    expect(ended.map(({status}) => status)).toEqual(Array(6).fill(7))
    const proven = async (desk: OwnHome, ...args: string[]) => {
      const {stdout, status} = await desk.runHere(['runs', 'verify', ...args, '--json'])
      return {...(JSON.parse(stdout) as VerifiedEvidence), status}
    }
    const [ofLaptop, ofNightly] = [await proven(laptop), await proven(nightly)]
    for (const [own, other] of [
      [ofLaptop, ofNightly],
      [ofNightly, ofLaptop],
    ] as const) {
      expect(own).toMatchObject({runs: 3, problems: [], status: 0, comparedWithJournal: true})
      expect(own.elsewhere.map(({dir}) => dir)).toEqual(Array(3).fill(other.dir))
    }

    const both = join(tempDir(), 'both')
    for (const {dir} of [ofLaptop, ofNightly]) cpSync(dir, both, {recursive: true})
    expect(await proven(nightly, both)).toMatchObject({runs: 6, problems: [], beginsWith: null, status: 0})
    expect(await proven(nightly, both, '--profile', 'shop')).toMatchObject({runs: 6, problems: [], status: 0})
    const gone = ofLaptop.elsewhere[0]?.runId ?? ''
    rmSync(join(both, gone), {recursive: true})
    expect(await proven(nightly, both)).toMatchObject({problems: [{what: 'gap'}], status: 7})
    expect(await proven(nightly, both, '--profile', 'shop')).toMatchObject({
      problems: [{run: gone, what: 'gone'}],
      status: 7,
    })
    expect(await proven(laptop)).toMatchObject({problems: [], status: 0})
  })

  it('what the other desk is sending now is on its way, and a doubt once that desk is gone', async ({
    desks,
  }) => {
    const {laptop, url} = desks
    const {journal} = await atWork(desks)
    const [who, nowMs] = [`karim@${hostname()}`, Date.now()]
    const {records} = JSON.parse((await laptop.runHere(['webhooks', 'list', '--all', '--json'])).stdout)
    const record = (asked: string): NewResend => {
      const isOf = ({merchant_order_id: orderNo, event}: Record<string, unknown>) =>
        orderNo === asked && event === 'order.completed'
      const {id: deliveryId, order_id: orderId, attempts, sent_at: baselineSentAt} = records.find(isOf)
      const baseline = {baselineAttempts: attempts, baselineSentAt}
      return {...exhaustedDelivery, ...baseline, deliveryId, orderId, orderNo: asked, intentAtMs: nowMs}
    }
    await journal.startRun(nightlyRun)
    const first = await claimed(journal, record('T-2'))
    await journal.recordResendOutcome(first, 'accepted', {sentAtMs: nowMs})
    await claimed(journal, record('T-3'))
    await journal.claimNumber({...payout, orderNo: 'P-9', intentAtMs: nowMs})
    const said = async (...args: string[]) => {
      const {stdout, stderr} = await laptop.runHere(args)
      return (stdout + stderr).replaceAll(/\s+/g, ' ')
    }
    const sent = /It has sent 1 webhook \(the last of T-2 at 20\S+ \S+\)\. It is sending now: P-9, T-3\./
    expect(await said(...resendAll, '--yes')).toMatch(new RegExp(`${sent.source} This command sent nothing`))
    expect(await said('journal', 'status')).toMatch(new RegExp(`since 20.*${sent.source} in doubt 0`))
    expect(await said('doctor', '--offline')).toMatch(sent)
    expect(await said('doctor', '--offline')).not.toContain('nobody knows')
    expect(await said('runs', 'list')).toContain(
      `On its way: ${who} is sending 1 payout and 1 resend now (T-3, P-9)`,
    )
    expect(await said('runs', 'list')).not.toContain('In doubt')
    expect(await said('payout', 'list', '--in-doubt')).toMatch(/T-3 .*being sent now .*P-9 .*being sent now/)
    expect(await said(...resendAll, '--dry-run')).toContain(`${who} is resending it now, since 20`)
    expect(await said('find', 'T-3')).toContain(`On its way: ${who} is sending it now`)
    // Of its own a run never thinks so.
    expect(await journal.resendsInDoubt()).toMatchObject([{orderNo: 'T-3', isOnItsWay: false}])
    const gone = 'UPDATE hisab.lease SET expires_at = now(); UPDATE hisab.requests SET sending_until_ms = 0'
    server.sql(gone, new URL(url).pathname.slice(1))
    expect(await said('runs', 'list')).toMatch(/In doubt: the outcome of 1 payout and 1 resend is unknown/)
    expect(JSON.parse((await laptop.runHere(['journal', 'status', '--json'])).stdout)).toMatchObject({
      ...{activeRun: null, inDoubt: 2, onItsWay: 0},
    })
  })

  it('what the other desk sent is shown with who and when, and is not sent again', async ({desks}) => {
    const {laptop, nightly, service} = desks
    expect((await nightly.runHere(['reconcile', 'ledger.csv', '--yes'])).status).toBe(0)
    expect(service.delivered).toEqual(['T-2', 'T-3', 'T-4'])
    const by = new RegExp(`\\w+@${hostname()}`)
    const again = await laptop.runHere([...resendAll.slice(0, 2), '--order-no', 'T-2', '--yes'])
    expect(again.stdout).toMatch(new RegExp(`already accepted it: ${by.source} resent it at 20`))
    for (const args of [
      ['find', 'T-2'],
      ['runs', 'list'],
      ['webhooks', 'get', '--order-no', 'T-2'],
    ])
      expect((await laptop.runHere(args)).stdout).toMatch(by)
    expect((await laptop.runHere(['payout', 'create', '--from', 'payouts.csv', '--yes'])).status).toBe(0)
    expect((await nightly.runHere(['payout', 'list'])).stdout).toMatch(by)
    expect((await nightly.runHere(['find', 'P-1'])).stdout).toMatch(by)
    const doubled = await nightly.runHere(['payout', 'create', '--from', 'payouts.csv', '--yes'])
    expect(doubled.stdout).toContain('accepted')
    const all = JSON.parse((await laptop.runHere(['runs', 'list', '--all-merchants', '--json'])).stdout)
    expect(all.merchants).toMatchObject([
      {merchantId: sandboxMerchantId, lastRun: {status: 'finished', exitStatus: 0}, breaks: 0, atWork: null},
    ])
    expect([service.door.count('/apply/create'), service.delivered.length]).toEqual([2, 3])
  })

  it('what a machine remembered alone is merged, and moves into the shared journal', async ({desks}) => {
    const {laptop, nightly, service} = desks
    expect((await laptop.runHere(['journal', 'merge'])).stdout).toContain('no journal of its own')
    const {HISAB_JOURNAL = ''} = laptop.env
    delete laptop.env.HISAB_JOURNAL
    expect((await laptop.runHere(['reconcile', 'ledger.csv', '--yes'])).status).toBe(0)
    laptop.env.HISAB_JOURNAL = HISAB_JOURNAL
    const refused = await laptop.runHere(['runs', 'list'])
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('hisab journal import')])
    const merged = await laptop.runHere(['journal', 'merge'])
    expect([merged.stdout, merged.stderr]).toEqual([
      expect.stringContaining('there is one journal'),
      expect.stringContaining('Next: hisab journal import --profile shop'),
    ])
    expect((await laptop.runHere(['journal', 'import'])).stdout).toMatch(/^Imported \d+ rows/)
    expect((await nightly.runHere(['find', 'T-2'])).stdout).toContain(`@${hostname()}`)
    expect((await nightly.runHere([...resendAll, '--dry-run'])).stdout).not.toContain('planned')
    expect(service.delivered).toEqual(['T-2', 'T-3', 'T-4'])
  })

  it('a nightly job that finds another machine at work tries again within its window', async ({desks}) => {
    const {laptop, service} = desks
    // A zone in which it is morning, and midnight is far, whenever this runs.
    const east = (30 - new Date().getUTCHours()) % 24
    const zone = east > 14 ? `Etc/GMT+${24 - east}` : `Etc/GMT-${east}`
    const path = join(laptop.dir, '.config/hisab/config.toml')
    laptop.write(path, `${readFileSync(path, 'utf8')}\n[profiles.shop.ledger]\ntimezone = "${zone}"\n`)
    const noon = formatInstant(Date.now() - 24 * 3_600_000, zone).replace(/T\d\d:\d\d:\d\d/, 'T12:00:00')
    const file = laptop.write(
      `exports/${noon.slice(0, 10)}.csv`,
      ledger.replaceAll('2026-11-20T00:00:00+06:00', noon),
    )
    utimesSync(file, 1, 1)
    const job = ['nightly', '--ledger', join(laptop.workDir, 'exports/{date}.csv')]
    const lease = await atWork(desks)
    const once = await laptop.runHere(job)
    expect([once.status, once.stderr]).toEqual([9, expect.stringContaining(`karim@${hostname()} is at work`)])
    const untilTonight = await laptop.runHere(
      [...job, '--until', '23:59'],
      {},
      {
        sleep: async (ms) => {
          if (ms >= 60_000) await lease.release()
          await new Promise((resolve) => setTimeout(resolve, ms / 50))
        },
      },
    )
    expect(untilTonight.stderr).toMatch(/Try 1 ended with 9: karim@\S+ is at work for merchant/)
    expect(untilTonight.stderr).toContain('The next try is in 1 min')
    expect([untilTonight.status, service.delivered]).toEqual([0, ['T-2', 'T-3', 'T-4']])
  })

  const deployed = (name: string) => readFileSync(join(root, 'docs/deploy', name), 'utf8')
  const words: Readonly<Record<string, string>> = {
    'the line of cron': /^(?:\S+ ){5}hisab \S+ (nightly.*)$/m.exec(deployed('hisab.cron'))?.[1] ?? '',
    'the container of Kubernetes': (/^ +args:\n((?: +- .*\n)+)/m.exec(deployed('kubernetes.yaml'))?.[1] ?? '')
      .replaceAll(/^ +- /gm, '')
      .replaceAll('\n', ' '),
    'the unit of systemd': /^ExecStart=\S+ (.*)$/m.exec(deployed('hisab-nightly@.service'))?.[1] ?? '',
  }

  // Each waits for its webhooks in processes of its own.
  it.for(Object.entries(words))(
    '%s, by sh with an empty environment, twice at once: each webhook once',
    {concurrent: true},
    async ([, line], {desks: {laptop, nightly, service, url}}) => {
      expect(line).toMatch(/^nightly .*--ledger/)
      const started = await Promise.all(
        [laptop, nightly].map(async (home) => {
          home.write('exports/2026-11-20.csv', ledger)
          const args = line
            .replace(/--profile \S+/, '')
            .replace(/\/exports\/[^/]*/, join(home.workDir, 'exports'))
          const {
            HISAB_PROFILE = '',
            HISAB_BASE_URL = '',
            HISAB_APPLY_URL = '',
            HISAB_LEGACY_URL = '',
          } = home.env
          const child = spawn('sh', ['-c', `'${process.execPath}' '${binary}' ${args} --day 2026-11-20`], {
            env: {
              ...{HISAB_PROFILE, HISAB_BASE_URL, HISAB_APPLY_URL, HISAB_LEGACY_URL},
              HISAB_CONFIG: join(home.dir, '.config/hisab/config.toml'),
              HISAB_DATA_DIR: home.dataDir,
              HISAB_JOURNAL_FILE: home.write('journal-url', url),
            },
            stdio: ['ignore', 'ignore', 'pipe'],
          })
          const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
          return {status: Number(status), stderr}
        }),
      )
      const statuses = started.map(({status}) => status).sort()
      expect([statuses[0], started.map(({stderr}) => stderr).join('')]).toEqual([0, expect.anything()])
      expect(service.delivered).toEqual(['T-2', 'T-3', 'T-4'])
      if (statuses[1] === 9)
        expect(started.map(({stderr}) => stderr).join('')).toContain(`@${hostname()} is at work`)
    },
  )

  describe.skipIf(!hasTerminal)('a person at a question (skipped where python3 has no pty)', () => {
    it.for([
      ['webhooks resend', resendAll, 'Resend 3 now?', 'Planned again: 2 of 3 are left to send.'],
      ['reconcile', ['reconcile', 'ledger.csv'], 'Resend 3 now?', 'It is planned again.'],
    ] as const)('%s turns nobody away, and is planned again', async ([, args, question, note], {desks}) => {
      const {laptop, nightly, service} = desks
      const screen = openTerminal(laptop, args)
      const agree = await yes(screen, question)
      const one = await nightly.runHere([...resendAll.slice(0, 2), '--order-no', 'T-3', '--yes'])
      expect([one.status, one.stderr]).toEqual([0, expect.stringContaining('delivered')])
      expect(service.delivered).toEqual(['T-3'])
      agree()
      await screen.ended
      expect(plain(screen)).toContain(note)
      expect(service.delivered).toEqual(['T-2', 'T-3', 'T-4'])
    })

    it('a file of payouts that the other desk paid meanwhile is paid once', async ({desks}) => {
      const {laptop, nightly, service} = desks
      const screen = openTerminal(laptop, ['payout', 'create', '--from', 'payouts.csv'])
      const agree = await yes(screen, 'Pay 2 payouts, BDT 1,200.00?')
      expect((await nightly.runHere(['payout', 'create', '--from', 'payouts.csv', '--yes'])).status).toBe(0)
      agree()
      expect(await screen.ended).toBe(0)
      expect(plain(screen)).toContain('Planned again: 0 of 2 are left to pay.')
      expect(service.door.count('/apply/create')).toBe(2)
    })

    it('who answers while another is at work is told so, and can go on afterwards', async ({desks}) => {
      const {laptop, service} = desks
      const lease = await atWork(desks)
      const screen = openTerminal(laptop, ['reconcile', 'ledger.csv'])
      const agree = await yes(screen, 'Resend 3 now?')
      expect(plain(screen)).toContain(`note: at work now: karim@${hostname()}: hisab reconcile, since`)
      agree()
      expect(await screen.ended).toBe(9)
      const [, runId = ''] = /reconcile --resume (\S+)/.exec(plain(screen)) ?? []
      await lease.release()
      expect((await laptop.runHere(['reconcile', '--resume', runId, '--yes'])).status).toBe(0)
      expect(service.delivered).toEqual(['T-2', 'T-3', 'T-4'])
    })
  })
})
