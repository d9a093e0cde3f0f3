import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'

import {type FakeService, startFakeService} from '../fake-service/service.ts'
import {openProxy} from '../journal/postgres/proxy.ts'
import {PostgresServer, whyNoPostgres} from '../journal/postgres/server.ts'
import {minutesAgo, writeLedger} from './ledger.ts'
import {hurried, Machine} from './machine.ts'
import {killed, type Outcome, type Running} from './own-home.ts'

let server: PostgresServer
let databases = 0

const numbers = [1, 2, 3, 4].map((n) => `T-${n}`)
const payouts = `out_order_no,amount,bank_type,user_name,account
${numbers.map((no, at) => `${no},${at + 5}00.00,BKASH,Rahim Uddin,0181234567${at}\n`).join('')}`

/** A command that sends four times, one after the other, and what the service's own books say it sent. */
const jobs = {
  'webhooks resend': {
    call: 'resend',
    args: ['webhooks', 'resend', '--status', 'failed', '--yes', '--wait', '1s'],
  },
  reconcile: {call: 'resend', args: ['reconcile', 'ledger.csv', '--yes', '--wait', '1s']},
  'payout create --from': {
    call: 'payout.create',
    args: ['payout', 'create', '--from', 'payouts.csv', '--yes'],
  },
} as const
type Job = keyof typeof jobs

class Scene {
  readonly service: FakeService
  readonly laptop: Machine
  readonly nightly: Machine
  readonly proxy: Awaited<ReturnType<typeof openProxy>>
  private readonly job: (typeof jobs)[Job]
  private readonly database: string
  private readonly ids: readonly string[]

  static async begin(name: Job): Promise<Scene> {
    const database = `gone_${++databases}`
    await server.database(database)
    return new Scene(jobs[name], database, await startFakeService(), await openProxy(server.port))
  }

  private constructor(
    job: (typeof jobs)[Job],
    database: string,
    service: FakeService,
    proxy: Awaited<ReturnType<typeof openProxy>>,
  ) {
    this.job = job
    this.database = database
    this.service = service
    this.proxy = proxy
    this.laptop = new Machine(service)
    this.nightly = new Machine(service)
    Object.assign(this.laptop.env, hurried, {HISAB_JOURNAL: server.url('hisab', proxy.port, database)})
    Object.assign(this.nightly.env, hurried, {HISAB_JOURNAL: server.url('hisab', server.port, database)})
    this.ids = numbers.map((number) => {
      if (job.call === 'payout.create') return number
      const order = service.book.addOrder({kind: 'deposit', number, status: 'completed', amount: '500.00'})
      return service.book.addRecord({order, created_at: minutesAgo(900), sent_at: minutesAgo(600)}).id
    })
    for (const machine of [this.laptop, this.nightly]) {
      machine.write('payouts.csv', payouts)
      machine.write(
        'ledger.csv',
        writeLedger(
          numbers.map((no) => ({
            order_no: no,
            kind: 'deposit',
            status: 'processing',
            created_at: minutesAgo(900),
          })),
        ),
      )
    }
    onTestFinished(async () => {
      proxy.close()
      for (const end of [service, this.laptop, this.nightly]) await end[Symbol.asyncDispose]()
    })
  }

  /** At the second send, before the service acts. */
  atSecond(work: () => void): void {
    let calls = 0
    this.service.on(this.job.call, (act) => {
      calls += 1
      if (calls === 2) work()
      return act()
    })
  }

  run(machine: Machine): Promise<Outcome> {
    return machine.run(this.job.args)
  }

  start(): Running {
    return this.laptop.start(this.job.args)
  }

  /** It stops before its second send. */
  startStopping(): Running {
    const {NODE_OPTIONS = ''} = hurried
    const stop = join(import.meta.dirname, 'stop-before-send.cjs')
    return this.laptop.start(this.job.args, {
      env: {NODE_OPTIONS: `${NODE_OPTIONS} --require ${JSON.stringify(stop)}`},
    })
  }

  /** Of a run that does what one before it left: what that one delivered is not booked in this ledger. */
  get statusAtEnd(): number {
    return this.job === jobs.reconcile ? 7 : 0
  }

  /** As a minute after the machine was gone. */
  expireLease(): void {
    server.sql(
      'UPDATE hisab.lease SET expires_at = now(); UPDATE hisab.requests SET sending_until_ms = 0',
      this.database,
    )
  }

  /** How often each was sent, by what reached the service: a payout as often as its bytes differ, for its number is one (P1). */
  get sent(): number[] {
    const {call} = this.job
    return this.ids.map((id) => {
      const bodies = this.service.calls.of(call).flatMap(({target, body}) => (target === id ? body : []))
      return call === 'resend' ? bodies.length : new Set(bodies).size
    })
  }
}

const troubles: readonly (readonly [string, (scene: Scene) => void, (scene: Scene) => void])[] = [
  ['the network is cut', ({proxy}) => proxy.cutAll(true), ({proxy}) => proxy.cutAll(false)],
  ['the database is killed', () => server.down('immediate'), () => server.up()],
]

describe.skipIf(whyNoPostgres !== null)('a journal that goes away in the middle of a run', () => {
  beforeAll(async () => {
    server = await PostgresServer.start()
    await server.migrate()
  }, 60_000)
  afterAll(() => server?.stop())

  describe.each(Object.keys(jobs) as Job[])('%s', (job) => {
    test.each(job === 'reconcile' ? troubles : troubles.slice(0, 1))(
      '%s: it says what, where and what next, and the next run goes on',
      async (_, gone, back) => {
        const scene = await Scene.begin(job)
        scene.atSecond(() => gone(scene))
        const {status, stdout, stderr} = await scene.run(scene.laptop)
        expect(stdout + stderr).toMatch(/journal hisab@127\.0\.0\.1:\d+\/gone_\d+ broke/)
        expect(stdout + stderr).toMatch(
          /run the same command again|Then continue the run: hisab \S.* --resume /,
        )
        expect(stdout + stderr).not.toContain('Nothing was sent')
        expect(status).toBe(8)
        // What was not written down was not sent.
        expect(scene.sent).toEqual([1, 1, 0, 0])
        back(scene)
        scene.expireLease()
        const again = await scene.run(scene.nightly)
        expect([again.status, scene.sent]).toEqual([scene.statusAtEnd, [1, 1, 1, 1]])
      },
      90_000,
    )

    test('SIGKILL of hisab: the next run goes on, and the one in the middle is sent once', async () => {
      const scene = await Scene.begin(job)
      const running = scene.start()
      scene.atSecond(() => process.kill(running.pid, 'SIGKILL'))
      expect((await running.ended).status).toBe(killed)
      const early = await scene.run(scene.nightly)
      expect([early.status, early.stderr]).toEqual([9, expect.stringContaining('This command sent nothing')])
      scene.expireLease()
      const again = await scene.run(scene.nightly)
      expect([again.status, scene.sent]).toEqual([scene.statusAtEnd, [1, 1, 1, 1]])
    }, 90_000)

    test.each([
      ['nobody', 'takes its place', false],
      ['another machine', 'does the rest', true],
    ] as const)(
      'SIGSTOP between a claim and its send, and meanwhile %s %s: each is sent once',
      async (_, __, isOtherAtWork) => {
        const scene = await Scene.begin(job)
        const running = scene.startStopping()
        await running.says('stopped before the send')
        scene.expireLease()
        if (isOtherAtWork) await scene.run(scene.nightly)
        process.kill(running.pid, 'SIGCONT')
        const late = await running.ended
        expect([late.status, late.stdout + late.stderr]).toEqual([
          isOtherAtWork && job === 'reconcile' ? 9 : expect.toSatisfy((status) => [8, 9].includes(status)),
          expect.stringMatching(
            isOtherAtWork && job === 'webhooks resend' ? /record moved/ : /This run lost its place/,
          ),
        ])
        expect(late.stdout + late.stderr).not.toContain('Nothing was sent')
        expect(scene.sent).toEqual(isOtherAtWork ? [1, 1, 1, 1] : [1, 1, 0, 0])
        const again = await scene.run(scene.nightly)
        expect([again.status, scene.sent]).toEqual([scene.statusAtEnd, [1, 1, 1, 1]])
      },
      90_000,
    )
  })

  test('a run whose record reached the database only at the second try is recorded whole', async () => {
    const scene = await Scene.begin('reconcile')
    scene.proxy.dropCommitOf('INSERT INTO hisab.findings')
    expect((await scene.run(scene.laptop)).status).toBe(0)
    const {stdout} = await scene.nightly.run(['items', 'list', '--json'])
    expect(
      JSON.parse(stdout)
        .items.map(({orderNo}: {orderNo: string}) => orderNo)
        .sort(),
    ).toEqual(numbers)
  }, 90_000)
})
