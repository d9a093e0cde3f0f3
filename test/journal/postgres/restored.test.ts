import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'

import {minutesAgo} from '../../acceptance/ledger.ts'
import {hurried, Machine} from '../../acceptance/machine.ts'
import {startFakeService} from '../../fake-service/service.ts'
import {PostgresServer, whyNoPostgres} from './server.ts'

let server: PostgresServer
let databases = 0

const yesterday = {created_at: minutesAgo(900), sent_at: minutesAgo(600)}
const resendAll = ['webhooks', 'resend', '--status', 'failed', '--yes', '--wait', '1s', '--json']
const pay = (number: string, account: string, name = 'Rahim Uddin') => [
  ...[
    'payout',
    'create',
    '--order-no',
    number,
    '--amount',
    '500.00',
    '--bank-type',
    'BKASH',
    '--yes',
    '--json',
  ],
  ...['--user-name', name, '--account', account],
]
const accept = ['journal', 'link', '--start-over', '--reason', 'compared with the service']

/** A service whose books judge, and machines of one merchant that share a database. */
async function outage() {
  const name = `outage_${++databases}`
  await server.database(name)
  const service = await startFakeService()
  onTestFinished(() => service[Symbol.asyncDispose]())
  const records: string[] = []
  /** A webhook that the merchant's server takes at no time: what is forgotten of it would be sent again. */
  const lose = (orderNo: string, sentAt = yesterday) => {
    const order = service.book.addOrder({
      kind: 'deposit',
      number: orderNo,
      status: 'completed',
      amount: '500.00',
    })
    const {id} = service.book.addRecord({order, ...sentAt, onResend: [{leadsTo: 'failed', code: 502}]})
    records.push(id)
    return id
  }
  const machines: Machine[] = []
  const lead = (to: PostgresServer) => {
    for (const {env} of machines) env.HISAB_JOURNAL = to.url('hisab', to.port, name)
  }
  const machine = async (): Promise<Machine> => {
    const one = new Machine(service)
    onTestFinished(() => one[Symbol.asyncDispose]())
    Object.assign(one.env, hurried, {HISAB_JOURNAL: machines[0]?.env.HISAB_JOURNAL})
    machines.push(one)
    if (machines.length === 1) lead(server)
    return one
  }
  const creates = () =>
    service.calls.everSeen
      .filter(({name}) => name === 'payout.create')
      .map(({body}) => JSON.parse(body).outOrderNo)
  const resends = () => records.map((id) => service.calls.resendsOf(id))
  return {name, lose, machine, lead, creates, resends}
}

/** Nothing is sent there, and each says what it is and what next. */
async function expectStopped(machine: Machine, what: RegExp): Promise<void> {
  const resent = await machine.run(resendAll)
  expect(resent.status).not.toBe(0)
  const paid = await machine.run(pay('P-9', '01812345699'))
  expect(JSON.parse(paid.stdout).error).toMatchObject({
    code: 'file_unreadable',
    message: expect.stringMatching(what),
    hint: expect.stringContaining('hisab journal link --start-over'),
  })
  const status = await machine.run(['journal', 'status'])
  expect(status.stderr).toMatch(what)
}

describe.skipIf(whyNoPostgres !== null)('a database that may have forgotten what was sent', () => {
  beforeAll(async () => {
    server = await PostgresServer.start()
  }, 60_000)
  afterAll(() => server?.stop())

  type Backup = (name: string) => Promise<() => PostgresServer> | (() => PostgresServer)
  const then = (putBack: () => void) => () => {
    putBack()
    return server
  }
  const dumped: Backup = (name) => then(server.dump(name))
  const copied: Backup = () => then(server.snapshot())
  const failsOver: Backup = async () => {
    const standby = await server.standby()
    onTestFinished(() => standby.stop())
    standby.down('fast')
    return () => {
      server.down('immediate')
      onTestFinished(() => server.up())
      standby.up()
      standby.promote()
      return standby
    }
  }
  const ways: readonly (readonly [string, Backup, 'A' | 'B' | 'new', RegExp])[] = [
    ['restored from a dump', dumped, 'A', /restored from a copy, or moved .* lacks what this machine/],
    ['restored from a dump', dumped, 'B', /restored from a copy, or moved .* lacks what this machine/],
    ['restored from a dump', dumped, 'new', /was restored from a copy, or moved/],
    ['restored in place', (name) => then(server.dump(name, true)), 'new', /was restored from a copy/],
    ['put back as files', copied, 'A', /older copy .* lacks what this machine/],
    ['put back as files', copied, 'B', /older copy .* lacks what this machine/],
    ['failed over to a standby that lagged', failsOver, 'A', /failed over .* lacks what this machine/],
    ['failed over to a standby that lagged', failsOver, 'new', /failed over to another server/],
  ]
  test.each(ways)(
    '%s: nothing is sent twice, whoever comes first (%#)',
    async (_, backup, first, what) => {
      const {name, lose, machine, lead, creates, resends} = await outage()
      const [a, b] = [await machine(), await machine()]
      for (const n of [1, 2, 3]) lose(`D-${n}`)
      expect((await a.run([...resendAll, '--order-no', 'D-1'])).status).not.toBe(2)
      const putBack = await backup(name)
      await a.run(resendAll)
      expect((await b.run(pay('P-1', '01812345678'))).status).toBe(0)
      expect(resends()).toEqual([1, 1, 1])
      lead(putBack())

      const one = first === 'A' ? a : first === 'B' ? b : await machine()
      await expectStopped(one, what)
      await expectStopped(
        first === 'A' ? b : a,
        /shared journal (?:is an older copy|was restored|failed over)/,
      )
      expect([resends(), creates()]).toEqual([[1, 1, 1], ['P-1']])

      expect((await one.run([...accept])).status).toBe(0)
      lose('D-4')
      for (const next of [a, b, one]) {
        const again = await next.run(resendAll)
        expect(again.stderr).toMatch(/accepted a restored journal .* ceiling may be counted too low/)
        await next.run(pay('P-1', '01812345678'))
      }
      // By the record's own times for 8 hours; what is older than that is free. A number is asked for before it is sent.
      expect([resends(), creates()]).toEqual([[1, 1, 1, 1], ['P-1']])
      expect((await b.run(pay('P-2', '01812345600', 'Karim'))).status).toBe(0)
      expect(creates()).toEqual(['P-1', 'P-2'])
    },
    60_000,
  )

  test('a machine that never sent cannot tell that files were put back; once another one looked, it is told', async () => {
    const {machine, lose, resends} = await outage()
    const a = await machine()
    lose('D-1')
    const putBack = server.snapshot()
    await a.run(resendAll)
    putBack()
    expect((await a.run(['journal', 'status'])).stderr).toMatch(/Nothing is sent/)
    await expectStopped(await machine(), /older copy .* lacks what another machine/)
    expect(resends()).toEqual([1])
  }, 60_000)
})
