import {existsSync, readdirSync, readFileSync, rmSync} from 'node:fs'

import {dirname, join} from 'node:path'

import {
  close,
  day,
  exportOf,
  hour,
  ignore,
  minute,
  nightly,
  pay,
  payFile,
  payoutFile,
  payTyped,
  reconcileOnce,
  resend,
  second,
  seed,
  wish,
} from './actors.ts'
import {answerFaults, type Deed, type Fault} from './faults.ts'
import {type Corruption, plainStyle, timeShapes} from './ledger-file.ts'
import {fair} from './network.ts'
import type {Ended, Scene, SceneOptions} from './scene.ts'
import type {OperationName, Request} from './service.ts'
import {type Kind, keyOf, taka} from './world.ts'

/** One small history that shows one way to lose money. */
export interface Item {
  /** What is lost, as in the table of README.md; several histories may show one thing. */
  readonly id: string
  readonly what: string
  readonly scene?: SceneOptions
  readonly play: (scene: Scene) => Promise<void>
}

/** A fault of this name, with this deed. */
function fault(name: string, deed: Deed = 'done'): Fault {
  const answer = answerFaults.find((one) => one.name === name)
  if (!answer) throw new Error(`no fault is called ${name}`)
  return {answer, deed}
}

/** Every call of an operation meets a fault, or the first so many. */
function trouble(scene: Scene, name: OperationName, what: Fault, times = Number.POSITIVE_INFINITY): void {
  let left = times
  scene.network.weather = {
    ...fair,
    directed: (request) => (request.name === name && left-- > 0 ? what : null),
  }
}

function calm(scene: Scene): void {
  scene.network.weather = fair
}

/** Something happens once, just before the service answers such a request. */
function meanwhile(scene: Scene, when: (request: Request) => boolean, run: () => void): void {
  let isDone = false
  scene.network.weather = {
    ...fair,
    meanwhile: (request) => {
      if (isDone || !when(request)) return
      isDone = true
      run()
    },
  }
}

/** What a report must have named is not in it, and its exit status claims to have looked. */
function expectNamed(scene: Scene, ended: Ended, orderNo: string): void {
  const isNamed = JSON.stringify(ended.json?.findings ?? '').includes(`"${orderNo}"`)
  if (!isNamed && ended.status !== null && [0, 7].includes(ended.status))
    scene.judge.blame(`exit ${ended.status}, and ${orderNo} is named nowhere`)
}

function expectNot(scene: Scene, ended: Ended, status: number, why: string): void {
  if (ended.status === status) scene.judge.blame(`exit ${status}, and ${why}`)
}

function expectExit(scene: Scene, ended: Ended, statuses: readonly (number | null)[], why: string): void {
  if (!statuses.includes(ended.status))
    scene.judge.blame(`exit ${ended.status} and not ${statuses.join(' or ')}: ${why} ${ended.stderr}`)
}

function reportOf(scene: Scene, name: string): Record<string, unknown> | null {
  const path = join(scene.path(name), 'report.json')
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>) : null
}

const falseNos = [
  '200 with code 500',
  '200 with an unknown code',
  '200 with an unheard-of number',
  'HTTP 400 with an unknown code',
  'HTTP 303',
  'HTTP 409',
  '404 of a gateway',
] as const

const damages: readonly (readonly [Corruption, string])[] = [
  ['zeros lost', '0001001'],
  ['Bengali digits', 'D-1001'],
  ['a blank inside', 'D-1001'],
  ['no-break space', 'D-1001'],
  ['zero-width space', 'D-1001'],
  ['other case', 'AB-1001'],
  ['leading apostrophe', '1001'],
  ['scientific', '1234567890123456'],
  ['rounded to 15 digits', '1234567890123456'],
]

/** A second row, later and in agreement, so that the window has a beginning and an end around what it is about. */
function frame(scene: Scene): void {
  seed(scene, {orderNo: 'D-first', agoMs: 20 * hour, entry: 'completed', webhook: 'taken'})
  seed(scene, {orderNo: 'D-last', agoMs: hour, entry: 'completed', webhook: 'taken'})
}

function turnX(word: string, amount?: bigint): (scene: Scene) => void {
  return ({world}) => {
    const order = world.order('deposit', 'X-1') ?? world.order('payout', 'X-1')
    if (order) world.turn(order, word, amount)
  }
}

/** What stood in the ledger and at the service (null: unknown there) when it was closed, and what became of it. */
const closedThenWorse: readonly (readonly [
  what: string,
  kind: Kind,
  entry: 'completed' | 'open' | 'failed',
  word: string | null,
  change: (scene: Scene) => void,
])[] = [
  ['a payout that was to be paid failed', 'payout', 'completed', 'processing', turnX('failed')],
  ['a payout whose money went back is paid', 'payout', 'failed', 'processing', turnX('completed')],
  ['a failed payout is paid with more', 'payout', 'completed', 'failed', turnX('completed', 5_000_000n)],
  ['a booked deposit failed', 'deposit', 'completed', 'processing', turnX('failed')],
  [
    'a deposit of another amount has a third',
    'deposit',
    'completed',
    'completed',
    turnX('completed', 9_000_000n),
  ],
  ['an unknown word became failed', 'deposit', 'completed', 'refunded', turnX('failed')],
  ['a failed deposit that was open again is paid', 'deposit', 'failed', 'processing', turnX('completed')],
  [
    'an order that the service did not know is paid',
    'deposit',
    'open',
    null,
    (scene) => void seed(scene, {orderNo: 'X-1', agoMs: 50 * hour, entry: null, webhook: 'none'}),
  ],
]

export const items: readonly Item[] = [
  ...(
    ['200 success false', 'HTTP 409', '200 with an unknown code', 'HTTP 400 with an unknown code'] as const
  ).map(
    (no): Item => ({
      id: 'C1',
      what: `a resend is delivered and answered "${no}", four runs in a second`,
      play: async (scene) => {
        const {record} = seed(scene, {orderNo: 'D-1', entry: 'open'})
        scene.world.poisoned.add(record?.orderKey ?? '')
        trouble(scene, 'resend', fault(no))
        for (let times = 0; times < 4; times++) {
          const ended = await reconcileOnce(scene, [exportOf(scene)], ['--yes', '--wait', '5s'])
          expectNot(scene, ended, 0, 'the order was resent and not taken')
          scene.wait(250)
        }
      },
    }),
  ),
  {
    id: 'C1',
    what: 'webhooks resend, delivered and answered "no", again at once',
    play: async (scene) => {
      const {record} = seed(scene, {orderNo: 'D-1', entry: 'open'})
      scene.world.poisoned.add(record?.orderKey ?? '')
      trouble(scene, 'resend', fault('200 success false'))
      for (let times = 0; times < 3; times++) await resend(scene, [record?.id ?? '', '--yes', '--wait', '5s'])
    },
  },
  ...falseNos.map(
    (no): Item => ({
      id: 'C2',
      what: `a payout is made and answered "${no}", then wanted under the next number`,
      scene: {ceiling: '1500.00'},
      play: async (scene) => {
        const intent = wish(100_000n)
        trouble(scene, 'create', fault(no))
        const first = await pay(scene, intent, 'P-1')
        calm(scene)
        // Nothing was done, so a person gives it the next number.
        if ([2, 4, 5].includes(first.status ?? -1)) await pay(scene, intent, 'P-2')
        scene.judge.judgePayouts([intent])
        if (first.status === 4) scene.judge.blame('exit 4 "refused", and the payout is made')
      },
    }),
  ),
  ...damages.map(
    ([corruption, orderNo]): Item => ({
      id: 'C3',
      what: `a credited order stands in the ledger with ${corruption}`,
      play: async (scene) => {
        frame(scene)
        seed(scene, {orderNo, entry: 'completed', webhook: 'exhausted'})
        for (const holds of ['orders', 'credits'] as const) {
          const ledger = exportOf(
            scene,
            {...plainStyle, holds},
            {
              corruption: (entry) => (entry.orderNo === orderNo ? corruption : null),
            },
          )
          await reconcileOnce(scene, [ledger], ['--yes', '--wait', '5s'])
        }
      },
    }),
  ),
  ...(['orders', 'credits'] as const).map(
    (holds): Item => ({
      id: 'C4',
      what: `created before midnight, paid after it, booked by hand; a ledger of ${holds} a day`,
      play: async (scene) => {
        const atMs = scene.time.nowMs
        // 03:00 UTC is 09:00 in Dhaka: midnight there was nine hours ago.
        seed(scene, {orderNo: 'D-first', agoMs: 30 * hour, entry: 'completed', webhook: 'taken'})
        const {record} = seed(scene, {orderNo: 'D-1', agoMs: 9 * hour + 2 * minute, entry: 'completed'})
        Object.assign(record ?? {}, {createdMs: atMs - 9 * hour + 4 * minute})
        seed(scene, {orderNo: 'D-next', agoMs: 9 * hour - 2 * minute, entry: 'completed', webhook: 'taken'})
        seed(scene, {orderNo: 'D-last', agoMs: hour, entry: 'completed', webhook: 'taken'})
        const midnight = atMs - 9 * hour
        const style = {...plainStyle, holds}
        const before = exportOf(scene, style, {only: ({createdMs}) => createdMs < midnight})
        const after = exportOf(scene, style, {only: ({createdMs}) => createdMs >= midnight})
        await reconcileOnce(scene, [before], nightly('--wait', '5s'))
        scene.wait(day - 8 * hour)
        await reconcileOnce(scene, [after], nightly('--wait', '5s'))
      },
    }),
  ),
  {
    id: 'C4',
    what: 'the same, booked by its webhook: the next run calls it missing',
    play: async (scene) => {
      const atMs = scene.time.nowMs
      const midnight = atMs - 9 * hour
      seed(scene, {orderNo: 'D-first', agoMs: 30 * hour, entry: 'completed', webhook: 'taken'})
      const {record} = seed(scene, {
        orderNo: 'D-1',
        agoMs: 9 * hour + 2 * minute,
        entry: 'completed',
        webhook: 'taken',
      })
      Object.assign(record ?? {}, {createdMs: midnight + 4 * minute, sentMs: midnight + 4 * minute})
      seed(scene, {orderNo: 'D-next', agoMs: 9 * hour - 2 * minute, entry: 'completed', webhook: 'taken'})
      seed(scene, {orderNo: 'D-last', agoMs: hour, entry: 'completed', webhook: 'taken'})
      await reconcileOnce(
        scene,
        [exportOf(scene, plainStyle, {only: ({createdMs}) => createdMs < midnight})],
        nightly(),
      )
      const second = await reconcileOnce(
        scene,
        [exportOf(scene, plainStyle, {only: ({createdMs}) => createdMs >= midnight})],
        nightly(),
      )
      expectExit(scene, second, [0], 'everything was paid and credited')
    },
  },
  ...(['no number', 'a shortened number', 'too long a number'] as const).flatMap((corruption) =>
    (['both in one run', 'that ledger first'] as const).map(
      (how): Item => ({
        id: 'C5',
        what: `booked by hand with ${corruption} in the ledger of the next day, ${how}`,
        play: async (scene) => {
          const atMs = scene.time.nowMs
          frame(scene)
          const {order} = seed(scene, {orderNo: 'D-1', agoMs: 15 * hour})
          const isOld = ({createdMs}: {readonly createdMs: number}) => createdMs < atMs - 9 * hour
          const first = exportOf(scene, plainStyle, {only: isOld})
          const amount = order.versions[0]?.amount ?? null
          scene.world.enter({
            kind: 'deposit',
            orderNo: 'D-1',
            state: 'completed',
            amount,
            createdMs: atMs - 2 * hour,
          })
          const second = exportOf(scene, plainStyle, {
            only: (entry) => !isOld(entry),
            corruption: ({orderNo}) => (orderNo === 'D-1' ? corruption : null),
          })
          const runs = how === 'both in one run' ? [[first, second]] : [[second], [first]]
          for (const ledgers of runs) await reconcileOnce(scene, ledgers, ['--yes', '--wait', '5s'])
        },
      }),
    ),
  ),
  {
    id: 'H1',
    what: 'a number of an older, completed payout of the same amount, tried twice',
    play: async (scene) => {
      const intent = wish(100_000n)
      seed(scene, {
        kind: 'payout',
        orderNo: 'P-1',
        word: 'completed',
        amount: 100_000n,
        payee: 'BKASH 01712345678',
        agoMs: 3 * day,
      })
      await pay(scene, intent, 'P-1')
      await pay(scene, intent, 'P-1')
      const path = payoutFile(scene, 'payouts.csv', [{orderNo: 'P-1', intent}])
      const filed = await payFile(scene, path)
      expectNot(scene, filed, 0, 'nobody was paid by the file')
    },
  },
  {
    id: 'H2',
    what: 'a capped list, oldest first: an arrival pushes the oldest out while it is read',
    scene: {deployment: {listOrder: 'oldest_first', pageSize: 5, cap: 15}},
    play: async (scene) => {
      frame(scene)
      const lost: string[] = []
      for (let nth = 0; nth < 13; nth++) {
        const orderNo = `D-${nth}`
        const isLost = nth === 4
        if (isLost) lost.push(orderNo)
        seed(scene, {
          orderNo,
          agoMs: (19 - nth) * hour,
          entry: isLost ? null : 'completed',
          webhook: isLost ? 'exhausted' : 'taken',
        })
      }
      scene.world.records.sort((a, b) => a.createdMs - b.createdMs)
      meanwhile(
        scene,
        ({name, page}) => name === 'list' && page === 2,
        () => {
          const order = scene.world.addOrder({
            kind: 'deposit',
            orderNo: 'D-new',
            createdMs: scene.time.nowMs,
            word: 'completed',
            amount: 100n,
            payee: 'p',
          })
          scene.world.addRecord(scene.world.completion(order))
        },
      )
      const last = scene.world.records[5]?.orderNo ?? ''
      const entry = scene.world.entries.get(keyOf('deposit', last))
      if (entry) scene.world.entries.delete(keyOf('deposit', last))
      const ended = await reconcileOnce(scene, [exportOf(scene)], ['--dry-run'])
      expectNamed(scene, ended, last)
    },
  },
  {
    id: 'H2',
    what: 'webhooks resend --status failed, where one record leaves the filter and another enters',
    scene: {deployment: {listOrder: 'newest_first', pageSize: 3}},
    play: async (scene) => {
      const waits = seed(scene, {orderNo: 'D-late', agoMs: 21 * hour, webhook: {dueInMs: hour}})
      Object.assign(waits.record ?? {}, {status: 'pending'})
      for (let nth = 0; nth < 8; nth++) seed(scene, {orderNo: `D-${nth}`, agoMs: (20 - nth) * hour})
      meanwhile(
        scene,
        ({name, page}) => name === 'list' && page === 2,
        () => {
          Object.assign(scene.world.records[0] ?? {}, {status: 'success'})
          Object.assign(waits.record ?? {}, {status: 'failed', nextRetryMs: null})
        },
      )
      const ended = await resend(scene, ['--status', 'failed', '--dry-run'])
      const named = new Set((ended.json?.records ?? []).map(({id}: {id: string}) => id))
      const missed = scene.world.records.filter(({id, status}) => status === 'failed' && !named.has(id))
      if ([0, 7].includes(ended.status ?? -1) && missed.length > 0)
        scene.judge.blame(
          `exit 0, and ${missed.map(({orderNo}) => orderNo).join(', ')} failed and are not in the list`,
        )
    },
  },
  {
    id: 'H2b',
    what: 'a list that only grows, a record or two a page, is read whole',
    scene: {deployment: {pageSize: 20}},
    play: async (scene) => {
      frame(scene)
      for (let nth = 0; nth < 90; nth++)
        seed(scene, {
          orderNo: `D-${nth}`,
          agoMs: (19 * 60 - nth) * minute,
          entry: 'completed',
          webhook: 'taken',
        })
      let arrivals = 0
      const arrive = () => {
        const {world} = scene
        const orderNo = `D-new-${++arrivals}`
        const order = world.addOrder({
          kind: 'deposit',
          orderNo,
          createdMs: world.nowMs,
          word: 'processing',
          amount: 100n,
          payee: 'p',
        })
        world.addRecord({
          ...world.completion(order),
          event: 'order.created',
          status: 'success',
          attempts: 1,
          responseCode: 200,
        })
        if (arrivals < 300) world.at(world.nowMs + 30, arrive)
      }
      arrive()
      const ended = await reconcileOnce(scene, [exportOf(scene)], ['--yes'])
      expectExit(scene, ended, [0], 'a live service has arrivals')
    },
  },
  {
    id: 'H3',
    what: 'records carry a foreign order_id, and an order’s retry is due in an hour',
    scene: {deployment: {isOrderIdForeign: true, pageSize: 2}},
    play: async (scene) => {
      for (let nth = 0; nth < 12; nth++)
        seed(scene, {orderNo: `D-${nth}`, agoMs: 10 * hour, entry: 'completed', webhook: 'taken'})
      seed(scene, {orderNo: 'D-due', agoMs: 2 * hour, entry: 'open', webhook: {dueInMs: hour}})
      // Without times there is no window, and looking up the one order is cheaper than the list.
      const ended = await reconcileOnce(scene, [exportOf(scene, {...plainStyle, hasTimes: false})], ['--yes'])
      const finding = (ended.json?.findings ?? []).find(({orderNo}: {orderNo: string}) => orderNo === 'D-due')
      if (finding && finding.delivery === null && [0, 7].includes(ended.status ?? -1))
        scene.judge.blame('D-due is said to have no delivery record, and its retry is due in an hour')
    },
  },
  ...(['environment variables', 'another profile'] as const).map(
    (name): Item => ({
      id: 'H4',
      what: `the same merchant under ${name}, a second later`,
      scene: {ceiling: '1500.00'},
      play: async (scene) => {
        const {record} = seed(scene, {orderNo: 'D-1', entry: 'open'})
        scene.world.poisoned.add(record?.orderKey ?? '')
        const isByProfile = name === 'another profile'
        const [argv, env] = [
          isByProfile ? ['--profile', 'other'] : [],
          isByProfile ? {} : scene.environmentOnly,
        ]
        await reconcileOnce(scene, [exportOf(scene)], ['--yes', '--wait', '5s'])
        scene.wait(second)
        await reconcileOnce(scene, [exportOf(scene)], ['--yes', '--wait', '5s', ...argv], {env})
        const [one, other] = [wish(100_000n), wish(100_000n)]
        await pay(scene, one, 'P-1')
        // The same wish again, by another name: nobody said that both are meant.
        one.orderNos.add('P-2')
        await scene.hisab(payTyped(other, 'P-2', {argv: [...argv], env}))
        scene.judge.judgePayouts([one])
      },
    }),
  ),
  {
    id: 'H4',
    what: 'the ceiling holds under a name whose settings do not state it',
    scene: {ceiling: '1500.00'},
    play: async (scene) => {
      const [one, other] = [wish(100_000n), wish(100_000n, {channel: 'NAGAD', account: '01812345678'})]
      await pay(scene, one, 'P-1')
      await pay(scene, other, 'P-2', {env: scene.environmentOnly})
      scene.judge.judgePayouts([one, other])
    },
  },
  {
    id: 'H4',
    what: 'both names at the same moment',
    play: async (scene) => {
      for (let nth = 0; nth < 6; nth++) seed(scene, {orderNo: `D-${nth}`, entry: 'open'})
      const ledger = exportOf(scene)
      const path = scene.write('ledger.csv', ledger.text)
      for (const run of ['one', 'two'])
        scene.judge.beginRun({
          run,
          ledgers: [ledger],
          window: null,
          words: {},
          isDry: false,
          mayBeOld: false,
        })
      await scene.together([
        {command: 'reconcile', run: 'one', argv: [path, '--yes', '--json', '--profile', 'live']},
        {command: 'reconcile', run: 'two', argv: [path, '--yes', '--json'], env: scene.environmentOnly},
      ])
      scene.judge.judgeDeliveries()
    },
  },
  ...(
    [
      [
        'credited and still open becomes credited and failed',
        'completed',
        'processing',
        (scene: Scene) => worse(scene, 'failed'),
      ],
      [
        'an amount 100 over becomes 100 under',
        'completed',
        'completed',
        (scene: Scene) => otherAmount(scene),
      ],
    ] as const
  ).map(
    ([what, entry, word, change]): Item => ({
      id: 'H5',
      what: `an ignore, and then worse news: ${what}`,
      play: async (scene) => {
        const entryAmount = word === 'completed' ? 60_000n : 50_000n
        seed(scene, {orderNo: 'D-1', entry, word, entryAmount, webhook: 'taken'})
        await reconcileOnce(scene, [exportOf(scene)], ['--yes'])
        await ignore(scene, 'deposit', 'D-1')
        scene.wait(day)
        change(scene)
        scene.wait(minute)
        await reconcileOnce(scene, [exportOf(scene)], ['--yes'])
      },
    }),
  ),
  {
    id: 'H5',
    what: 'a payout that was open, ignored, is failed in the ledger and paid out',
    play: async (scene) => {
      seed(scene, {kind: 'payout', orderNo: 'P-1', entry: 'open', webhook: 'taken'})
      await reconcileOnce(scene, [exportOf(scene)], ['--yes'])
      await ignore(scene, 'payout', 'P-1')
      scene.wait(day)
      scene.world.enter({
        kind: 'payout',
        orderNo: 'P-1',
        state: 'failed',
        amount: 50_000n,
        createdMs: scene.time.nowMs - 29 * hour,
      })
      await reconcileOnce(scene, [exportOf(scene)], ['--yes'])
    },
  },
  {
    id: 'H5',
    what: '--since-last lists what became worse: credited and open becomes credited and failed',
    play: async (scene) => {
      const {order} = seed(scene, {orderNo: 'D-1', entry: 'completed', word: 'processing'})
      await reconcileOnce(scene, [exportOf(scene)], ['--yes'])
      scene.wait(day)
      scene.world.turn(order, 'failed')
      scene.wait(minute)
      const ended = await reconcileOnce(scene, [exportOf(scene)], ['--yes', '--since-last'])
      expectNamed(scene, ended, 'D-1')
    },
  },
  ...closedThenWorse.map(
    ([what, kind, entry, word, change]): Item => ({
      id: 'N7L',
      what: `a closed item, and then worse news, with a ledger a day: ${what}`,
      play: async (scene) => {
        const entryAmount = word === 'completed' ? 49_000n : 50_000n
        if (word !== null) seed(scene, {kind, orderNo: 'X-1', entry, word, entryAmount, webhook: 'none'})
        else
          scene.world.enter({
            ...{kind, orderNo: 'X-1', state: entry, amount: entryAmount},
            createdMs: scene.time.nowMs - 5 * hour,
          })
        // The service must have been seen to know an order.
        seed(scene, {kind, orderNo: 'X-0', agoMs: 6 * hour, entry: 'completed', webhook: 'taken'})
        await reconcileOnce(scene, [exportOf(scene)], nightly())
        await close(scene, kind, 'X-1')
        for (const night of [1, 2, 3, 4]) {
          const sinceMs = scene.time.nowMs
          scene.wait(day)
          if (night === 3) change(scene)
          seed(scene, {kind, orderNo: `X-n${night}`, entry: 'completed', webhook: 'taken'})
          const today = exportOf(scene, plainStyle, {only: ({createdMs}) => createdMs > sinceMs})
          scene.wait(minute)
          scene.judge.judgeClosings(await reconcileOnce(scene, [today], nightly()))
        }
      },
    }),
  ),
  {
    id: 'H6',
    what: 'a payout in doubt, and two days later the same payee and amount under another number',
    play: async (scene) => {
      const intent = wish(100_000n)
      scene.network.weather = {
        ...fair,
        // The question before it is answered; what comes after it is not.
        directed: ({name}) =>
          name === 'create' || scene.world.order('payout', 'P-1') ? fault('no answer in time') : null,
      }
      await pay(scene, intent, 'P-1')
      calm(scene)
      scene.wait(2 * day)
      await pay(scene, intent, 'P-2')
      scene.judge.judgePayouts([intent])
    },
  },
  {
    id: 'H6',
    what: 'the same after a kill in the middle of the send',
    play: async (scene) => {
      const intent = wish(100_000n)
      await pay(scene, intent, 'P-1', {interruption: {diesOn: {what: 'the service had create', times: 1}}})
      scene.wait(2 * day)
      await pay(scene, intent, 'P-2')
      scene.judge.judgePayouts([intent])
    },
  },
  {
    id: 'P6',
    what: 'an accepted payout that is tried again, and answered badly, is not called a doubt',
    play: async (scene) => {
      const intent = wish(100_000n)
      await pay(scene, intent, 'P-1')
      scene.network.weather = {...fair, directed: () => fault('HTTP 409', 'not done')}
      const again = await pay(scene, intent, 'P-1')
      calm(scene)
      expectNot(scene, again, 6, 'the journal has it as accepted')
      scene.wait(2 * day)
      // It may have happened, and somebody pays under another number.
      if (again.status === 6) await pay(scene, intent, 'P-2')
      scene.judge.judgePayouts([intent])
    },
  },
  ...(['database', 'plain', 'minutes'] as const).map(
    (shape): Item => ({
      id: 'H7',
      what: `times as ${timeShapes[shape](Date.UTC(2026, 10, 18, 3))}: the search for missing orders still takes place`,
      play: async (scene) => {
        frame(scene)
        seed(scene, {orderNo: 'D-lost', entry: null})
        const style = {...plainStyle, time: timeShapes[shape]}
        const ledger = exportOf(scene, style)
        await reconcileOnce(scene, [ledger], ['--dry-run'])
      },
    }),
  ),
  {
    id: 'H7',
    what: 'one cell that is no time turns the search for missing orders off',
    play: async (scene) => {
      frame(scene)
      seed(scene, {orderNo: 'D-lost', entry: null})
      const style = {...plainStyle, time: (ms: number) => (ms % 7 === 0 ? 'yesterday' : timeShapes.iso(ms))}
      seed(scene, {
        orderNo: 'D-odd',
        entry: 'completed',
        webhook: 'taken',
        agoMs: 3 * hour + ((scene.time.nowMs - 3 * hour) % 7),
      })
      await reconcileOnce(scene, [exportOf(scene, style)], ['--dry-run'])
    },
  },
  {
    id: 'H7',
    what: 'headers are renamed overnight',
    play: async (scene) => {
      frame(scene)
      seed(scene, {
        orderNo: 'D-open',
        entry: 'completed',
        word: 'completed',
        entryAmount: 70_000n,
        webhook: 'taken',
      })
      seed(scene, {orderNo: 'D-2', entry: 'open', webhook: 'none'})
      await reconcileOnce(scene, [exportOf(scene)], ['--dry-run'])
      scene.wait(day)
      const headers = {status: 'Order Status', amount: 'Amount (BDT)', created_at: 'Created'}
      await reconcileOnce(scene, [exportOf(scene, {...plainStyle, headers})], ['--yes'])
    },
  },
  {
    id: 'H7',
    what: 'a ledger of credits a day, and an outage over midnight',
    play: async (scene) => {
      const midnight = scene.time.nowMs - 9 * hour
      const credits = {...plainStyle, holds: 'credits'} as const
      seed(scene, {orderNo: 'D-0', agoMs: 30 * hour, entry: 'completed', webhook: 'taken'})
      seed(scene, {orderNo: 'D-1', agoMs: 10 * hour + 5 * minute, entry: 'completed', webhook: 'taken'})
      for (let nth = 0; nth < 4; nth++)
        seed(scene, {orderNo: `D-lost-${nth}`, agoMs: (9 * 60 + 40 - nth * 20) * minute, entry: null})
      seed(scene, {orderNo: 'D-2', agoMs: 7 * hour, entry: 'completed', webhook: 'taken'})
      seed(scene, {orderNo: 'D-3', agoMs: 2 * hour, entry: 'completed', webhook: 'taken'})
      const ledgers = [
        exportOf(scene, credits, {only: ({createdMs}) => createdMs < midnight}),
        exportOf(scene, credits, {only: ({createdMs}) => createdMs >= midnight}),
      ]
      const ended: Ended[] = []
      for (const ledger of ledgers) {
        ended.push(await reconcileOnce(scene, [ledger], nightly('--wait', '5s')))
        scene.wait(hour)
      }
      const named = JSON.stringify(ended.map(({json}) => json?.findings))
      const isUnchecked = ended.some(({status}) => status !== 0 && status !== 7)
      if (!isUnchecked && !named.includes('"D-lost-1"'))
        scene.judge.blame('four paid orders between the two windows are named by neither run')
    },
  },
  {
    id: 'H8',
    what: 'five failures in a row; the server is mended; --resume goes on',
    play: async (scene) => {
      for (let nth = 0; nth < 9; nth++)
        seed(scene, {orderNo: `D-${nth}`, entry: 'open', agoMs: (9 + nth / 10) * hour})
      scene.world.outages.push({fromMs: 0, toMs: scene.time.nowMs + 30 * minute})
      const first = await resend(scene, ['--status', 'failed', '--yes', '--no-canary', '--wait', '5s'], {
        run: 'R',
      })
      const runId = /--resume (\S+?)["\s.`]/.exec(`${first.stdout} ${first.stderr}`)?.[1] ?? ''
      scene.wait(9 * hour)
      for (let again = 0; again < 3; again++)
        await resend(scene, ['--resume', runId, '--yes', '--wait', '5s'], {run: 'R'})
      const left = [...scene.world.entries.values()].filter(({state}) => state !== 'completed')
      // Those of the first five may not be sent twice in one run.
      if (left.length > 6)
        scene.judge.blame(`${left.length} of 9 orders are still not delivered after three times --resume`)
    },
  },
  ...([36 * minute, 2 * hour] as const).map(
    (lag): Item => ({
      id: 'M1',
      what: `the service’s clock is ${lag / minute} minutes behind, and a retry is scheduled`,
      scene: {deployment: {skewMs: -lag}},
      play: async (scene) => {
        seed(scene, {orderNo: 'D-1', entry: 'open', webhook: {dueInMs: 4 * minute}})
        Object.assign(scene.world.records[0] ?? {}, {status: 'pending'})
        await reconcileOnce(scene, [exportOf(scene)], ['--yes', '--wait', '5s'])
      },
    }),
  ),
  {
    id: 'M2',
    what: 'the machine’s clock is set back an hour while a resend is waited for',
    scene: {deployment: {recordLagsMs: [Number.POSITIVE_INFINITY]}},
    play: async (scene) => {
      seed(scene, {orderNo: 'D-1', entry: 'open'})
      seed(scene, {orderNo: 'D-2', entry: 'open'})
      meanwhile(
        scene,
        ({name}) => name === 'resend',
        () => {
          scene.machine.wallMs -= hour
        },
      )
      const ended = await reconcileOnce(scene, [exportOf(scene)], ['--yes', '--wait', '5s'])
      scene.judge.judgeDuration(ended, 30 * second)
    },
  },
  ...([6 * hour, 16 * hour, day] as const).map(
    (aheadMs): Item => ({
      id: 'N8C',
      what: `a ledger of dates, its day not over, and the machine’s clock is ${aheadMs / hour} hours fast`,
      play: async (scene) => {
        scene.wait(10 * hour)
        frame(scene)
        seed(scene, {orderNo: 'D-1', agoMs: 5 * hour, entry: null})
        scene.machine.wallMs = aheadMs
        const dates = (ms: number) => timeShapes.iso(ms).slice(0, 10)
        const style = {...plainStyle, holds: 'credits', time: dates} as const
        await reconcileOnce(scene, [exportOf(scene, style)], ['--yes', '--wait', '5s'], {run: 'R'})
        if (scene.world.deliveries.some(({run}) => run === 'R'))
          scene.judge.blame('D-1 was resent in the evening, and is booked by hand before midnight')
      },
    }),
  ),
  ...([0, 3 * hour, 2 * day] as const).map(
    (aheadMs): Item => ({
      id: 'N8D',
      what: `the first run with --since, the machine’s clock ${aheadMs / hour} hours fast; an order is lost in the hours after it`,
      play: async (scene) => {
        frame(scene)
        const credits = {...plainStyle, holds: 'credits'} as const
        scene.machine.wallMs = aheadMs
        await reconcileOnce(scene, [exportOf(scene, credits)], ['--yes', '--since', '2026-11-20'])
        const endMs = scene.time.nowMs
        scene.wait(day)
        scene.machine.wallMs = 0
        seed(scene, {orderNo: 'D-lost', agoMs: day - hour, entry: null})
        seed(scene, {orderNo: 'D-2', agoMs: day - 4 * hour, entry: 'completed', webhook: 'taken'})
        seed(scene, {orderNo: 'D-3', agoMs: hour, entry: 'completed', webhook: 'taken'})
        const today = exportOf(scene, credits, {only: ({createdMs}) => createdMs > endMs})
        expectNamed(scene, await reconcileOnce(scene, [today], nightly()), 'D-lost')
      },
    }),
  ),
  ...([false, true] as const).map(
    (isLate): Item => ({
      id: 'N8E',
      what: `a resend while the machine’s clock is 10 hours slow and the service shows no time; its record ${isLate ? 'never moves' : 'fails'}`,
      scene: {deployment: {recordLagsMs: [isLate ? Number.POSITIVE_INFINITY : 0]}},
      play: async (scene) => {
        frame(scene)
        const {record} = seed(scene, {orderNo: 'D-1', entry: 'open'})
        const key = record?.orderKey ?? ''
        scene.world[isLate ? 'slept' : 'poisoned'].add(key)
        scene.machine.wallMs = -10 * hour
        scene.world.showsTime = false
        await reconcileOnce(scene, [exportOf(scene)], ['--yes', '--wait', '5s'])
        scene.wait(10 * minute)
        scene.machine.wallMs = 0
        scene.world.showsTime = true
        seed(scene, {orderNo: 'D-2', agoMs: minute, entry: 'completed', webhook: 'taken'})
        await reconcileOnce(scene, [exportOf(scene)], ['--yes', '--wait', '5s'])
      },
    }),
  ),
  ...(['failed', 'refunded'] as const).map(
    (word): Item => ({
      id: 'M3',
      what: `the order turns ${word} between its query and the resend`,
      play: async (scene) => {
        const {order} = seed(scene, {orderNo: 'D-1', entry: 'open'})
        let movedMs = 0
        meanwhile(
          scene,
          ({name}) => name === 'list' || name === 'get',
          () => {
            scene.world.turn(order, word)
            movedMs = scene.time.nowMs
          },
        )
        const ended = await reconcileOnce(scene, [exportOf(scene)], ['--yes', '--wait', '5s'], {run: 'R'})
        if (ended.run === 'R' && scene.world.deliveries.some(({run}) => run === 'R') && movedMs > 0)
          scene.judge.blame(`D-1 was resent although it was ${word} before that`)
      },
    }),
  ),
  {
    id: 'M4',
    what: 'a run with --max-resends 2 over two resumes',
    play: async (scene) => {
      for (let nth = 0; nth < 6; nth++) {
        const webhook = nth < 2 ? 'exhausted' : ({dueInMs: (nth < 4 ? 1 : 3) * hour} as const)
        const {record} = seed(scene, {orderNo: `D-${nth}`, entry: 'open', webhook})
        scene.world.poisoned.add(record?.orderKey ?? '')
      }
      const ledger = exportOf(scene)
      const argv = ['--yes', '--max-resends', '2', '--wait', '5s', '--report', scene.path('r')]
      const interruption = {diesOn: {what: 'the service had resend', times: 2}}
      await reconcileOnce(scene, [ledger], argv, {run: 'R', interruption})
      const runId = String(reportOf(scene, 'r')?.runId ?? '')
      for (let again = 0; again < 2; again++) {
        scene.wait(2 * hour)
        await reconcileOnce(scene, [ledger], ['--yes', '--wait', '5s'], {
          run: 'R',
          mayBeOld: true,
          resume: runId,
          interruption,
        })
      }
      const sent = scene.world.deliveries.filter(({run}) => run === 'R').length
      if (sent > 2) scene.judge.blame(`${sent} resends of a run that was allowed 2`)
    },
  },
  {
    id: 'M5',
    what: 'a dry run is cut off; the order is reversed; two days later it is resumed',
    play: async (scene) => {
      const {order} = seed(scene, {orderNo: 'D-1', entry: 'completed', webhook: 'taken'})
      seed(scene, {orderNo: 'D-2', entry: 'completed', webhook: 'taken'})
      const ledger = exportOf(scene)
      await reconcileOnce(scene, [ledger], ['--dry-run', '--report', scene.path('r'), '--concurrency', '1'], {
        run: 'R',
        interruption: {interruptedOn: 'before list'},
      })
      const runId = String(reportOf(scene, 'r')?.runId ?? '')
      scene.wait(2 * day)
      scene.world.turn(order, 'failed')
      scene.wait(hour)
      await reconcileOnce(scene, [ledger], ['--dry-run'], {run: 'R', resume: runId})
    },
  },
  {
    id: 'M6',
    what: 'one odd record on the first page, and everything else is looked up all the same',
    play: async (scene) => {
      frame(scene)
      const odd = seed(scene, {orderNo: 'D-odd', entry: 'completed', webhook: 'taken'})
      Object.assign(odd.record ?? {}, {isOdd: true})
      seed(scene, {orderNo: 'D-1', entry: 'open'})
      const ended = await reconcileOnce(scene, [exportOf(scene)], ['--yes', '--wait', '5s'])
      const entry = scene.world.entries.get(keyOf('deposit', 'D-1'))
      if (entry?.state !== 'completed')
        scene.judge.blame(
          `exit ${ended.status}, and D-1 was not looked up for an odd record of another order`,
        )
    },
  },
  {
    id: 'M7',
    what: 'a resend that failed again: the same command is no success',
    play: async (scene) => {
      const {record} = seed(scene, {orderNo: 'D-1', entry: 'open'})
      scene.world.poisoned.add(record?.orderKey ?? '')
      for (let times = 0; times < 2; times++) {
        const ended = await reconcileOnce(scene, [exportOf(scene)], ['--yes', '--wait', '5s'])
        expectNot(scene, ended, 0, 'BDT 500.00 are not credited')
        scene.wait(minute)
      }
      const again = await resend(scene, [record?.id ?? '', '--yes'])
      expectNot(scene, again, 0, 'its last resend was not taken')
    },
  },
  ...(['deposit', 'payout'] as const).map(
    (kind): Item => ({
      id: 'M8',
      what: `a gateway without a route to ${kind}s answers 404 in JSON`,
      scene: {deployment: {noRoute: kind}},
      play: async (scene) => {
        seed(scene, {kind, orderNo: 'D-1', entry: 'failed', webhook: 'none'})
        await reconcileOnce(scene, [exportOf(scene)], ['--yes'])
        const queried = await scene.hisab({command: `${kind} query`, argv: ['D-1', '--json']})
        scene.judge.judgeQuery(kind, queried)
      },
    }),
  ),
  {
    id: 'M9',
    what: 'the journal is removed after a resend whose answer was lost',
    play: async (scene) => {
      const {record} = seed(scene, {orderNo: 'D-1', entry: 'open'})
      scene.world.poisoned.add(record?.orderKey ?? '')
      trouble(scene, 'resend', fault('connection reset'))
      await reconcileOnce(scene, [exportOf(scene)], ['--yes', '--wait', '5s'])
      calm(scene)
      rmSync(join(scene.dir, 'data', 'journal'), {recursive: true})
      scene.wait(minute)
      await reconcileOnce(scene, [exportOf(scene)], ['--yes', '--wait', '5s'])
    },
  },
  {
    id: 'M10',
    what: 'a footer row is no deposit',
    play: async (scene) => {
      frame(scene)
      const ledger = exportOf(scene)
      const total = ledger.rows.reduce((sum, {amount}) => sum + (amount ?? 0n), 0n)
      const text = `${ledger.text}Total,,,${taka(total)},\n`
      const ended = await reconcileOnce(scene, [{...ledger, text}], ['--dry-run'])
      const said = ended.json?.tieOutByKind?.deposit?.ledgerCompleted ?? ended.json?.tieOut?.ledgerCompleted
      if (said !== undefined && said !== taka(total))
        scene.judge.blame(`the ledger comes to ${taka(total)}, the report says ${said}`)
    },
  },
  {
    id: 'M10',
    what: 'a footer row of a ledger of credits',
    play: async (scene) => {
      frame(scene)
      const ledger = exportOf(scene, {...plainStyle, holds: 'credits'})
      const total = ledger.rows.reduce((sum, {amount}) => sum + (amount ?? 0n), 0n)
      const text = `${ledger.text}Total,deposit,${taka(total)},\n`
      const ended = await reconcileOnce(scene, [{...ledger, text}], ['--dry-run'])
      const said = ended.json?.tieOutByKind?.deposit?.ledgerCompleted ?? ended.json?.tieOut?.ledgerCompleted
      if (said !== undefined && said !== taka(total))
        scene.judge.blame(`the ledger comes to ${taka(total)}, the report says ${said}`)
    },
  },
  {
    id: 'M10',
    what: 'an interrupted run says that sums are not known',
    play: async (scene) => {
      for (let nth = 0; nth < 20; nth++)
        seed(scene, {orderNo: `D-${nth}`, entry: 'completed', webhook: 'taken', agoMs: (20 - nth / 2) * hour})
      const ended = await reconcileOnce(
        scene,
        [exportOf(scene)],
        ['--yes', '--report', scene.path('r'), '--concurrency', '1'],
        {
          interruption: {interruptedOn: 'before query deposit D-12'},
        },
      )
      const report = ended.json?.findings ? ended.json : reportOf(scene, 'r')
      const asked = scene.network.calls.filter(({request}) => request.name === 'query').length
      if (report?.tieOut?.unexplained === '0.00' && asked < 20)
        scene.judge.blame(`${20 - asked} orders were never asked for, and the report says unexplained 0.00`)
    },
  },
  {
    id: 'M10',
    what: 'a hundred rows of one 15-digit number do not end in a defect',
    play: async (scene) => {
      frame(scene)
      const {order} = seed(scene, {
        orderNo: '1234567890123456',
        entry: 'completed',
        webhook: 'taken',
        entryAmount: 99_999_999_999_999_900n,
      })
      const ledger = exportOf(scene)
      const row = ledger.rows.find(({orderNo}) => orderNo === order.orderNo)
      const line = ledger.text.split('\n')[(row?.line ?? 2) - 1] ?? ''
      const text = `${ledger.text}${`${line}\n`.repeat(100)}`
      await reconcileOnce(scene, [{...ledger, text}], ['--yes'], {window: null})
    },
  },
  {
    id: 'M11',
    what: 'the ledger’s platform_order_no is another order’s',
    play: async (scene) => {
      seed(scene, {orderNo: 'D-1', entry: 'completed', webhook: 'taken'})
      const ledger = exportOf(scene)
      const lines = ledger.text.trim().split('\n')
      const text = `${lines[0]},platform_order_no\n${lines
        .slice(1)
        .map((line) => `${line},11111111-0000-4000-8000-000000000000`)
        .join('\n')}\n`
      const ended = await reconcileOnce(scene, [{...ledger, text}], ['--yes'])
      expectNot(scene, ended, 0, 'the row names another order of the service')
    },
  },
  {
    id: 'M13',
    what: 'an order that got no answer in three tries is asked once more at the end',
    play: async (scene) => {
      frame(scene)
      for (let nth = 0; nth < 6; nth++)
        seed(scene, {orderNo: `D-${nth}`, entry: 'completed', webhook: 'taken'})
      let left = 3
      scene.network.weather = {
        ...fair,
        directed: ({name, subject}) =>
          name === 'query' && subject === 'D-3' && left-- > 0
            ? fault('HTTP 502 of a proxy', 'not done')
            : null,
      }
      const ended = await reconcileOnce(scene, [exportOf(scene)], ['--yes'])
      expectExit(scene, ended, [0], 'the service answers well by then')
    },
  },
  {
    id: 'M13',
    what: '2% of sporadic 429s cost at most half as much again',
    play: async (scene) => {
      for (let nth = 0; nth < 334; nth++)
        seed(scene, {
          orderNo: `D-${nth}`,
          entry: 'completed',
          webhook: 'taken',
          agoMs: (20 * 60 - nth) * minute,
        })
      const ledger = exportOf(scene)
      const calmRun = await reconcileOnce(scene, [ledger], ['--dry-run', '--no-deliveries'])
      const {prng} = scene
      const slow = fault('HTTP 429, Retry-After 1', 'not done')
      scene.network.weather = {
        ...fair,
        directed: ({name}) => (name === 'query' && prng.chance(0.02) ? slow : null),
      }
      const ended = await reconcileOnce(scene, [ledger], ['--dry-run', '--no-deliveries'])
      const calmMs = calmRun.endedMs - calmRun.startedMs
      // Each 429 may cost the wait it asks for, one after the other; not the speed of all that follows.
      scene.judge.judgeDuration(ended, 1.5 * calmMs + 10 * second)
    },
  },
  {
    id: 'N3',
    what: 'a number that belongs to an older, open payout to another account',
    play: async (scene) => {
      seed(scene, {
        kind: 'payout',
        orderNo: 'P-1',
        word: 'processing',
        amount: 100_000n,
        payee: 'NAGAD 01899999999',
        entry: null,
      })
      await pay(scene, wish(100_000n), 'P-1')
    },
  },
  {
    id: 'N3',
    what: 'a deposit’s number that belongs to another player’s order',
    play: async (scene) => {
      seed(scene, {orderNo: 'D-1', word: 'processing', payee: 'player-9', entry: null})
      await createDeposit(scene, 'D-1', 'player-1', [])
    },
  },
  {
    id: 'N8',
    what: 'deposit create --wait on a number of another player’s order, which is paid meanwhile',
    play: async (scene) => {
      const {order} = seed(scene, {
        orderNo: 'D-1',
        word: 'processing',
        payee: 'player-9',
        amount: 90_000n,
        entry: null,
      })
      order.completesMs = scene.time.nowMs + 20 * second
      await createDeposit(scene, 'D-1', 'player-1', ['--wait', '--wait-for', '1m'])
    },
  },
  ...(
    [
      ['zeros lost', '00', ''],
      ['other case', 'AB-', 'ab-'],
      ['a blank', 'P-', 'P- '],
    ] as const
  ).map(
    ([what, before, after]): Item => ({
      id: 'N4',
      what: `a file of payouts, re-saved with ${what} two days later`,
      play: async (scene) => {
        const intents = Array.from({length: 4}, (_none, nth) => wish(100_000n + BigInt(nth) * 100n))
        const rows = intents.map((intent, nth) => ({
          intent,
          orderNo: `${before}100${nth}`,
          cell: `${before}100${nth}`,
        }))
        await payFile(scene, payoutFile(scene, 'payouts.csv', rows))
        scene.wait(2 * day)
        const again = rows.map((row) => ({...row, cell: row.cell.replace(before, after)}))
        await payFile(scene, payoutFile(scene, 'payouts.csv', again))
        scene.judge.judgePayouts(intents)
      },
    }),
  ),
  {
    id: 'N5',
    what: 'payouts.result.csv after a kill says of no paid row that it was not sent',
    play: async (scene) => {
      const intents = Array.from({length: 6}, (_none, nth) => wish(100_000n + BigInt(nth) * 100n))
      const rows = intents.map((intent, nth) => ({intent, orderNo: `P-${nth}`}))
      const path = payoutFile(scene, 'payouts.csv', rows)
      await payFile(scene, path, [], {interruption: {diesOn: {what: 'the service had create', times: 4}}})
      judgeResultFiles(scene, 'payouts.csv')
      scene.judge.judgePayouts(intents)
    },
  },
  {
    id: 'N6',
    what: 'report.json after a kill among the resends does not look final',
    play: async (scene) => {
      for (let nth = 0; nth < 6; nth++) seed(scene, {orderNo: `D-${nth}`, entry: 'open'})
      await reconcileOnce(scene, [exportOf(scene)], ['--yes', '--report', scene.path('r')], {
        run: 'R',
        interruption: {diesOn: {what: 'the service had resend', times: 4}},
      })
      const report = reportOf(scene, 'r')
      const sent = scene.world.deliveries.filter(({run}) => run === 'R').length
      const resends = report?.resends as {sent?: number} | undefined
      if (report?.complete === true && report.finishedAt != null && (resends?.sent ?? 0) < sent)
        scene.judge.blame(
          `the report is complete, finished and says sent ${resends?.sent}; ${sent} were sent`,
        )
    },
  },
  {
    id: 'N7',
    what: 'two overlapping files, and the service gives no answer at all',
    play: async (scene) => {
      frame(scene)
      trouble(scene, 'query', fault('HTTP 502 of a proxy', 'not done'))
      const ledger = exportOf(scene)
      const ended = await reconcileOnce(scene, [ledger, ledger], ['--dry-run', '--no-deliveries'], {
        window: null,
      })
      if (ended.json?.findings && (ended.json.complete === true || ended.status === 7))
        scene.judge.blame(`exit ${ended.status}, complete ${ended.json.complete}, and no order got an answer`)
    },
  },
  {
    id: 'N10',
    what: 'times in minutes: an order in the last minute is inside the window',
    play: async (scene) => {
      const lastMs = Math.floor((scene.time.nowMs - hour) / minute) * minute
      seed(scene, {orderNo: 'D-first', agoMs: 20 * hour, entry: 'completed', webhook: 'taken'})
      seed(scene, {orderNo: 'D-last', agoMs: scene.time.nowMs - lastMs, entry: 'completed', webhook: 'taken'})
      const {record} = seed(scene, {
        orderNo: 'D-lost',
        agoMs: scene.time.nowMs - lastMs - 30 * second,
        entry: null,
      })
      Object.assign(record ?? {}, {createdMs: lastMs + 40 * second})
      const ended = await reconcileOnce(
        scene,
        [exportOf(scene, {...plainStyle, time: timeShapes.minutes})],
        ['--dry-run'],
      )
      expectNamed(scene, ended, 'D-lost')
    },
  },
  {
    id: 'N10',
    what: 'blank cells of created_at are not silent',
    play: async (scene) => {
      frame(scene)
      seed(scene, {orderNo: 'D-early', entry: 'completed', webhook: 'taken', agoMs: 30 * hour})
      const blankMs = scene.time.nowMs - 30 * hour
      const style = {...plainStyle, time: (ms: number) => (ms === blankMs ? '' : timeShapes.iso(ms))}
      const ended = await reconcileOnce(scene, [exportOf(scene, style)], ['--dry-run'])
      const isSaid = /line 4\b.*blank/.test(JSON.stringify(ended.json))
      if (ended.status === 0 && !isSaid)
        scene.judge.blame('exit 0, and the report does not say that a row has no time')
    },
  },
  {
    id: 'N10',
    what: 'orders missing in the ledger are looked for where no row of it has a readable number',
    play: async (scene) => {
      frame(scene)
      seed(scene, {orderNo: 'D-lost', entry: null})
      await reconcileOnce(
        scene,
        [exportOf(scene, plainStyle, {corruption: () => 'blanks around'})],
        ['--dry-run'],
      )
    },
  },
  {
    id: 'N11',
    what: 'a contradicted payout does not keep its replacement from being paid',
    play: async (scene) => {
      // Another system's number: nobody was paid by this wish yet.
      seed(scene, {
        kind: 'payout',
        orderNo: 'P-1',
        word: 'completed',
        amount: 77_700n,
        payee: 'NAGAD 01899999999',
        entry: null,
      })
      const intent = wish(100_000n)
      await pay(scene, intent, 'P-1')
      const second = await pay(scene, intent, 'P-2')
      expectExit(scene, second, [0], 'the first number is another’s, and nobody was paid')
      scene.judge.judgePayouts([intent])
    },
  },
  {
    id: 'N12',
    what: 'the next payouts.csv does not overwrite the result that has the doubt',
    play: async (scene) => {
      const [one, two] = [wish(100_000n), wish(200_000n)]
      trouble(scene, 'create', fault('no answer in time', 'not done'))
      await payFile(scene, payoutFile(scene, 'payouts.csv', [{orderNo: 'P-1', intent: one}]))
      const isInDoubt = () =>
        resultFiles(scene, 'payouts.csv').some(({rows}) => rows.some(({orderNo}) => orderNo === 'P-1'))
      const before = isInDoubt()
      calm(scene)
      const second = await payFile(scene, payoutFile(scene, 'payouts.csv', [{orderNo: 'P-2', intent: two}]))
      if (before && !isInDoubt() && second.status === 0)
        scene.judge.blame('the result of payouts.csv had the doubt about P-1, and none has it any more')
    },
  },
  {
    id: 'N13',
    what: 'a changed return_url does not block the row in doubt',
    play: async (scene) => {
      const intents = [wish(100_000n), wish(200_000n)]
      const path = payoutFile(
        scene,
        'payouts.csv',
        intents.map((intent, nth) => ({intent, orderNo: `P-${nth}`})),
      )
      trouble(scene, 'create', fault('no answer in time', 'not done'), 3)
      await payFile(scene, path)
      calm(scene)
      await payFile(scene, path, ['--return-url', 'https://shop.example/other'])
      scene.judge.judgePayouts(intents)
      const again = await payFile(scene, path, ['--return-url', 'https://shop.example/other'])
      expectExit(scene, again, [0], 'both can be paid')
    },
  },
  {
    id: 'N14',
    what: 'deposits 100 short and payouts 100 over are no "difference 0.00"',
    play: async (scene) => {
      seed(scene, {orderNo: 'D-1', entry: 'completed', entryAmount: 40_000n, webhook: 'taken'})
      seed(scene, {
        kind: 'payout',
        orderNo: 'P-1',
        entry: 'completed',
        entryAmount: 60_000n,
        webhook: 'taken',
      })
      const ended = await reconcileOnce(scene, [exportOf(scene)], ['--yes'])
      if (ended.json?.tieOut?.difference === '0.00') scene.judge.blame('the report says difference 0.00')
    },
  },
]

function worse({world}: Scene, word: string): void {
  const order = world.order('deposit', 'D-1')
  if (order) world.turn(order, word)
}

function otherAmount({world}: Scene): void {
  const order = world.order('deposit', 'D-1')
  if (order) world.turn(order, 'completed', 70_000n)
}

async function createDeposit(
  scene: Scene,
  orderNo: string,
  playerRef: string,
  argv: readonly string[],
): Promise<Ended> {
  const ended = await scene.hisab({
    command: 'deposit create',
    argv: [
      '--order-no',
      orderNo,
      '--player-phone',
      '01712345678',
      '--player-ref',
      playerRef,
      '--json',
      ...argv,
    ],
  })
  const kind: Kind = 'deposit'
  scene.judge.judgeCreate({kind, payee: playerRef, amount: 0n, orderNos: new Set([orderNo])}, orderNo, ended)
  return ended
}

/**
 * Unless it says of itself that it is not the last word, what a result file says is believed. One that was set aside,
 * with the time in its name, speaks of that time: it was judged when it was new.
 */
export function judgeResultFiles(scene: Scene, payouts: string): void {
  const current = resultFiles(scene, payouts).filter(({name}) => !/\.result\.\d{4}-/.test(name))
  for (const {name, rows} of current) scene.judge.judgePayoutStates(rows, name)
}

/** Everything that stands beside a file of payouts, under whatever name a result has. */
function resultFiles(scene: Scene, payouts: string) {
  const base = payouts.replace('.csv', '.result')
  const names = readdirSync(dirname(scene.path(payouts))).filter((name) => name.startsWith(base))
  return names.map((name) => {
    const rows = readFileSync(scene.path(name), 'utf8')
      .split(/\r?\n/)
      .map((line) => line.split(','))
    const header = rows.find((cells) => cells.includes('state')) ?? []
    const at = (name: string) => header.indexOf(name)
    const said = rows
      .filter((cells) => cells !== header && cells.length > 4)
      .map((cells) => ({
        orderNo: cells[at('out_order_no')] ?? '',
        state: cells[at('state')] ?? '',
        confirmed: cells[at('confirmed')],
      }))
    return {name, rows: said}
  })
}
