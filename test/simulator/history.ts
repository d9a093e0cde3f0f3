import {
  close,
  day,
  exportOf,
  hour,
  ignore,
  minute,
  type Payee,
  pay,
  payFile,
  payoutFile,
  rahim,
  reconcileOnce,
  resend,
  second,
  seed,
  wish,
} from './actors.ts'
import type {Counts} from './counts.ts'
import {judgeResultFiles} from './items.ts'
import type {Intent} from './judge.ts'
import {
  type Corruption,
  type ExportStyle,
  possibleCorruptions,
  timeShapes,
  type WrittenLedger,
} from './ledger-file.ts'
import type {Interruption} from './machine.ts'
import {fair} from './network.ts'
import {Prng} from './prng.ts'
import {type Ended, knows, Scene} from './scene.ts'
import {amountOf, type Deployment, type Kind, keyOf, wordOf} from './world.ts'

export interface HistoryEnd {
  readonly seed: number
  readonly hash: string
  /** What no history may show; empty where all is well. */
  readonly problems: readonly string[]
  readonly counts: Counts
  readonly lines: readonly string[]
}

/** One merchant, some days, some people; all of it made from its seed. */
class History {
  readonly scene: Scene
  private readonly prng: Prng
  private readonly style: ExportStyle
  private readonly intents: Intent[] = []
  private readonly isTroubled: boolean
  private names = 0

  constructor(seed: number, root: string, keepsLines: boolean) {
    const prng = new Prng(seed)
    this.prng = prng
    const ceiling = prng.chance(0.3) ? '3000.00' : undefined
    const deployment = deploymentFrom(prng)
    this.scene = new Scene(root, {seed: prng.seed(), keepsLines, deployment, ...(ceiling ? {ceiling} : {})})
    this.style = {
      holds: prng.chance(0.5) ? 'orders' : 'credits',
      hasTimes: prng.chance(0.85),
      time: prng.pick([
        timeShapes.iso,
        timeShapes.iso,
        timeShapes.database,
        timeShapes.plain,
        timeShapes.minutes,
      ]),
    }
    this.isTroubled = prng.chance(0.6)
    this.describe(deployment)
  }

  private describe(deployment: Deployment): void {
    const {scene, style} = this
    const {counts} = scene
    counts.add(`lists ${deployment.listOrder}`)
    if (deployment.isOrderIdForeign) counts.add('deployments with a foreign order_id')
    if (Number.isFinite(deployment.cap)) counts.add('deployments with a capped list')
    if (!deployment.hasLegacy) counts.add('deployments without the legacy API')
    if (deployment.noRoute) counts.add('deployments without a route')
    if (deployment.skewMs !== 0) counts.add('deployments with a skewed clock')
    counts.add(`ledgers of ${style.holds}`)
    scene.say(
      `a service with ${JSON.stringify(deployment)}; ledgers of ${style.holds}${style.hasTimes ? `, times as ${style.time(scene.time.nowMs)}` : ''}`,
    )
  }

  async play(): Promise<void> {
    const {prng, scene} = this
    for (let count = prng.int(2, prng.pick([4, 6, 9])); count > 0; count--)
      this.addOrder(prng.int(30 * minute, 26 * hour))
    for (let steps = prng.int(2, 4); steps > 0 && scene.judge.problems.length === 0; steps--) {
      this.chooseWeather()
      await this.step()
      scene.judge.judgeDeliveries()
      scene.judge.judgePayouts(this.intents)
      this.letTimePass()
    }
    scene.judge.judgeDeliveries()
    scene.judge.judgePayouts(this.intents)
  }

  private async step(): Promise<void> {
    const step = this.prng.weighted({reconcile: 50, resends: 14, pay: 16, file: 9, deposit: 5, query: 6})
    this.scene.counts.add(`steps: ${step}`)
    if (step === 'reconcile') await this.playReconcile()
    else if (step === 'resends') await this.playResends()
    else if (step === 'pay') await this.playPay()
    else if (step === 'file') await this.playFile()
    else if (step === 'deposit') await this.playDeposit()
    else await this.playQuery()
  }

  private chooseWeather(): void {
    const {prng, scene} = this
    const isBad = this.isTroubled && prng.chance(0.7)
    const faults = isBad ? prng.pick([0, 0.03, 0.15]) : 0
    const writeFaults = isBad ? prng.pick([0.4, 0.8]) : 0
    const arrives = prng.chance(0.25)
    const moves = prng.chance(0.12)
    scene.network.weather = {
      ...{faults, writeFaults},
      meanwhile: ({name}) => {
        if (name === 'list' && arrives && prng.chance(0.5)) this.arrive()
        if (moves && name !== 'resend' && prng.chance(0.1)) this.moveOrder()
      },
    }
    if (isBad)
      scene.say(
        `${faults * 100}% of the calls in trouble, ${writeFaults * 100}% of those that change something`,
      )
  }

  /** A record of another order arrives. */
  private arrive(): void {
    const {world, time, counts} = this.scene
    const order = world.addOrder({
      kind: 'deposit',
      orderNo: `N-${++this.names}`,
      createdMs: time.nowMs,
      word: 'processing',
      amount: 100n,
      payee: 'p',
    })
    world.addRecord(
      {...world.completion(order), event: 'order.created', status: 'success', attempts: 1, responseCode: 200},
      this.prng,
    )
    counts.add('records that arrived while the list was read')
  }

  /** An order is reversed or corrected while hisab is at work. */
  private moveOrder(): void {
    const {prng, scene} = this
    const {world, counts} = scene
    const paid = [...world.orders.values()].filter(
      (order) => wordOf(order) === 'completed' && order.kind === 'deposit',
    )
    if (paid.length === 0) return
    const order = prng.pick(paid)
    if (prng.chance(0.6)) world.turn(order, prng.pick(['failed', 'refunded', 'processing']))
    else world.turn(order, 'completed', amountOf(order) + 100n)
    scene.say(`    at the service: ${order.orderNo} is ${wordOf(order)} now`)
    counts.add('orders that moved during a run')
  }

  private addOrder(agoMs: number): void {
    const {prng, scene} = this
    const kind: Kind = prng.chance(0.8) ? 'deposit' : 'payout'
    const orderNo = this.orderNo(kind)
    const amount = BigInt(prng.int(1, 500)) * 1_000n
    const word = prng.weighted({
      completed: 70,
      processing: 8,
      pending: 4,
      failed: 12,
      refunded: 3,
      Completed: 3,
    })
    const webhook = prng.weighted({exhausted: 35, booked: 35, taken: 8, scheduled: 9, stuck: 8, none: 5})
    const isBooked = word === 'completed' && webhook === 'booked'
    // Booked by hand although the webhook never came, in some.
    const isByHand = word === 'completed' && !isBooked && prng.chance(0.25)
    const entry =
      isBooked || isByHand
        ? 'completed'
        : word === 'failed' && prng.chance(0.6)
          ? 'failed'
          : prng.chance(0.75)
            ? 'open'
            : null
    const wrong = prng.chance(0.05) ? prng.pick(['completed', 'open', 'failed'] as const) : entry
    const entryAmount = prng.chance(0.05) ? amount + 500n : prng.chance(0.08) ? null : amount
    const dueInMs = prng.int(2, 300) * minute
    seed(scene, {
      ...{kind, orderNo, agoMs, word, amount, entry: wrong, entryAmount, payee: 'player-1'},
      webhook: webhook === 'booked' ? 'taken' : webhook === 'scheduled' ? {dueInMs} : webhook,
    })
    const key = keyOf(kind, orderNo)
    const record = scene.world.records.find(({orderKey}) => orderKey === key)
    // The player pays some time after the order was made: some straddle midnight.
    if (record && prng.chance(0.5))
      Object.assign(record, {
        createdMs: Math.min(record.createdMs + prng.int(0, 30) * minute, scene.time.nowMs - 5 * minute),
      })
    if (prng.chance(0.06)) scene.world.poisoned.add(key)
    if (prng.chance(0.04) && record) Object.assign(record, {isOdd: true})
  }

  private orderNo(kind: Kind): string {
    const {prng} = this
    const nth = ++this.names
    return prng.pick([
      ...[`${kind === 'deposit' ? 'D' : 'P'}-${nth}`, `${kind === 'deposit' ? 'D' : 'P'}-${nth}`],
      ...[`00${1000 + nth}`, `${1_234_567_890_123_450n + BigInt(nth * 1_000)}`, `AB-${100 + nth}x`],
    ])
  }

  private letTimePass(): void {
    const {prng, scene} = this
    const {world} = scene
    if (prng.chance(0.3)) {
      const fromMs = scene.time.nowMs
      world.outages.push({fromMs, toMs: fromMs + prng.pick([10 * minute, 3 * hour])})
    }
    for (let more = prng.pick([0, 0, 1, 2]); more > 0; more--) this.addOrder(prng.int(30 * minute, 3 * hour))
    // A clerk books what a report named.
    for (const [key, entry] of world.entries) {
      const order = world.orders.get(key)
      if (entry.state === 'open' && order && wordOf(order) === 'completed' && prng.chance(0.15)) {
        Object.assign(entry, {state: 'completed', amount: amountOf(order)})
        scene.say(`a clerk books ${key}`)
      }
    }
    scene.wait(prng.pick([second, minute, hour, 9 * hour, day]))
  }

  private interruption(): Interruption {
    const {prng} = this
    const momentous = [
      'the service had resend',
      'before resend',
      'commit',
      'rename',
      'create',
      'payouts.result',
    ]
    return {
      ...(prng.chance(0.15) ? {diesAt: prng.int(1, 120)} : {}),
      ...(prng.chance(0.15) ? {diesOn: {what: prng.pick(momentous), times: prng.int(1, 5)}} : {}),
      ...(prng.chance(0.06) ? {interruptedAt: prng.int(1, 100)} : {}),
      ...(prng.chance(0.05) ? {fullAt: prng.int(1, 60)} : {}),
    }
  }

  /** The same merchant by one of its names. */
  private identity(): {argv: readonly string[]; env: Readonly<Record<string, string>>} {
    const {prng, scene} = this
    if (prng.chance(0.8)) return {argv: [], env: {}}
    scene.counts.add('runs under another name')
    // History H4.3 has a name whose settings state no ceiling.
    const isByProfile = scene.ceiling !== null || prng.chance(0.5)
    return isByProfile ? {argv: ['--profile', 'other'], env: {}} : {argv: [], env: scene.environmentOnly}
  }

  private async playReconcile(): Promise<void> {
    const {prng, scene} = this
    const ledgers = this.ledgers()
    if (ledgers.every(({rows}) => rows.length === 0)) return
    const name = this.identity()
    const isDry = prng.chance(0.15)
    const [ignoreCooldown, retryUnknown] = [prng.chance(0.06), prng.chance(0.1)]
    const words = {ignoreCooldown, retryUnknown}
    const waitS = prng.pick([0, 5, 60])
    const argv = [
      ...(isDry ? ['--dry-run'] : ['--yes']),
      ...['--wait', `${waitS}s`, '--concurrency', `${prng.pick([1, 4, 16])}`],
      ...(ignoreCooldown ? ['--ignore-cooldown'] : []),
      ...(retryUnknown ? ['--retry-unknown'] : []),
      ...(prng.chance(0.1) ? ['--include-delivered'] : []),
      ...(prng.chance(0.2) ? ['--skip-final'] : []),
      ...(prng.chance(0.1) ? ['--max-resends', '2'] : []),
      ...(prng.chance(0.6) && knows('reconcile', 'since-last-run') ? ['--since-last-run'] : []),
      ...(prng.chance(0.1) && knows('reconcile', 'include-missing') ? ['--include-missing'] : []),
      ...name.argv,
    ]
    const mayBeOld = argv.includes('--skip-final')
    const run = `run-${++this.names}`
    if (prng.chance(0.1)) this.jumpClock()
    const wallMs = scene.time.nowMs + scene.machine.wallMs
    let ended = await reconcileOnce(scene, ledgers, argv, {
      run,
      words,
      mayBeOld,
      env: name.env,
      interruption: this.interruption(),
    })
    for (let go = 0; go < 2 && (ended.status === null || ended.status === 130) && prng.chance(0.8); go++) {
      scene.wait(prng.pick([second, minute, hour]))
      if (prng.chance(0.5)) scene.network.weather = fair
      const resume = await this.runSince(wallMs, name)
      if (resume === null) break
      scene.counts.add('runs resumed')
      const interruption = prng.chance(0.3) ? this.interruption() : {}
      const argv = [isDry ? '--dry-run' : '--yes', ...name.argv]
      ended = await reconcileOnce(scene, ledgers, argv, {
        run,
        words,
        mayBeOld: true,
        resume,
        env: name.env,
        interruption,
      })
    }
    scene.judge.judgeMoved(run)
    if (ended.status === 7 && prng.chance(0.25)) await this.playIgnore(ended)
  }

  /** All of the books, or a day of them, in one file or two that overlap; some numbers damaged. */
  private ledgers(): WrittenLedger[] {
    const {prng, scene} = this
    const midnightMs = scene.time.nowMs - ((scene.time.nowMs + 6 * hour) % day)
    const from = prng.pick([0, 0, midnightMs - day, midnightMs])
    const to = prng.chance(0.3) ? midnightMs : Number.POSITIVE_INFINITY
    const share = prng.chance(0.3) ? 0.3 : 0
    const chosen = new Map<string, Corruption | null>()
    for (const [key, {orderNo}] of scene.world.entries)
      chosen.set(key, prng.chance(share) ? prng.pick(possibleCorruptions(orderNo)) : null)
    const corruption = ({kind, orderNo}: {kind: Kind; orderNo: string}) =>
      chosen.get(keyOf(kind, orderNo)) ?? null
    const only = ({createdMs}: {createdMs: number}) => createdMs >= from && createdMs < to
    const one = exportOf(scene, this.style, {only, corruption})
    if (prng.chance(0.05)) return [one, one]
    return [one]
  }

  private jumpClock(): void {
    const {prng, scene} = this
    const jumpMs = prng.pick([-hour, hour, -10 * minute])
    scene.judge.wallJumpsMs += Math.abs(jumpMs)
    scene.counts.add('clocks that were set')
    scene.time.after(prng.int(0, 5_000), () => {
      scene.machine.wallMs += jumpMs
      scene.say(`    the machine’s clock is set by ${jumpMs / minute} minutes`)
    })
  }

  /** The id of a run that began since then; null where it never came to be. */
  private async runSince(
    startedMs: number,
    {argv, env}: {readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>>},
  ): Promise<string | null> {
    const {json} = await this.scene.hisab({command: 'runs list', argv: ['--json', ...argv], env})
    const runs = (json?.runs ?? json ?? []) as {id?: string; runId?: string; startedAt: string}[]
    // A time to the second.
    const sinceMs = Math.floor(startedMs / second) * second
    const run = runs.find(({startedAt}) => {
      const laterMs = Date.parse(startedAt) - sinceMs
      return laterMs >= 0 && laterMs < 10 * second
    })
    return run?.id ?? run?.runId ?? null
  }

  private async playIgnore({json}: Ended): Promise<void> {
    const open = (json?.findings ?? []).filter(
      ({orderNo, kind}: {orderNo: string | null; kind: string | null}) => orderNo !== null && kind !== null,
    )
    if (open.length === 0) return
    const {kind, orderNo} = this.prng.pick(open as {kind: Kind; orderNo: string}[])
    const isForGood = this.prng.chance(0.4)
    await (isForGood ? close : ignore)(this.scene, kind, orderNo)
    this.scene.counts.add(isForGood ? 'closings' : 'ignores')
  }

  private async playResends(): Promise<void> {
    const {prng, scene} = this
    const name = this.identity()
    const [ignoreCooldown, retryUnknown] = [prng.chance(0.06), prng.chance(0.1)]
    const ids = scene.world.records.filter(() => prng.chance(0.3)).map(({id}) => id)
    const what =
      ids.length > 0 && prng.chance(0.4) ? ids : ['--status', prng.pick(['failed', 'failed', 'pending'])]
    const argv = [
      ...[...what, prng.chance(0.9) ? '--yes' : '--dry-run', '--wait', `${prng.pick([0, 5, 60])}s`],
      ...(ignoreCooldown ? ['--ignore-cooldown'] : []),
      ...(retryUnknown ? ['--retry-unknown'] : []),
      ...(prng.chance(0.1) ? ['--include-delivered'] : []),
      ...(prng.chance(0.2) ? ['--no-canary'] : []),
    ]
    const run = `resends-${++this.names}`
    const words = {ignoreCooldown, retryUnknown}
    const wallMs = scene.time.nowMs + scene.machine.wallMs
    let ended = await resend(scene, [...argv, ...name.argv], {
      run,
      words,
      env: name.env,
      interruption: this.interruption(),
    })
    for (
      let go = 0;
      go < 2 && (ended.status === null || ended.status === 130 || ended.status === 8) && prng.chance(0.7);
      go++
    ) {
      scene.wait(prng.pick([second, minute, 9 * hour]))
      if (prng.chance(0.5)) scene.network.weather = fair
      const resume = await this.runSince(wallMs, name)
      if (resume === null) break
      scene.counts.add('resends resumed')
      ended = await resend(scene, ['--resume', resume, '--yes', ...name.argv], {run, words, env: name.env})
    }
  }

  private payee(): Payee {
    return this.prng.chance(0.5)
      ? rahim
      : {channel: this.prng.pick(['BKASH', 'NAGAD']), account: `0181234567${this.prng.int(0, 2)}`}
  }

  /** A wish nobody has had yet. The same payee and amount on purpose would need a person's word. */
  private wish(): Intent {
    const intent = wish(50_000n + BigInt(++this.names) * 100n, this.payee())
    this.intents.push(intent)
    return intent
  }

  /** A number of the merchant's own, or one that another system has used before. */
  private payoutNo(intent: Intent): string {
    const {prng, scene} = this
    const orderNo = `W-${++this.names}`
    if (!prng.chance(0.12)) return orderNo
    // Where a question gets no answer, nobody can tell an older payout of the same payee and amount from one's own.
    const isSame = scene.network.weather.faults === 0 && prng.chance(0.5)
    seed(scene, {
      ...{kind: 'payout', orderNo, word: prng.pick(['completed', 'processing']), entry: null},
      ...{amount: prng.chance(0.7) ? intent.amount : intent.amount + 700n, webhook: 'taken', agoMs: 3 * hour},
      payee: isSame ? intent.payee : 'ROCKET 01999999999',
    })
    scene.counts.add('numbers that another system used')
    return orderNo
  }

  private async playPay(): Promise<void> {
    const {prng, scene} = this
    const intent = this.wish()
    let orderNo = this.payoutNo(intent)
    for (let tries = 0; tries < 4; tries++) {
      const {argv, env} = this.identity()
      const ended = await pay(scene, intent, orderNo, {argv, env, interruption: this.interruption()})
      if (ended.status === 0 || ended.status === 7) return
      scene.wait(prng.pick([0, second, hour, 26 * hour, 3 * day]))
      if (prng.chance(0.4)) scene.network.weather = fair
      // Where nothing was done, or a doubt lasts, a person gives it the next number. What was cut off or is
      // accepted is asked for again under its own.
      const isDenied = ended.status !== null && [2, 4, 5].includes(ended.status)
      const isTired = ended.status === 6 && prng.chance(0.3)
      if (isDenied ? prng.chance(0.7) : isTired) orderNo = `W-${++this.names}`
      scene.judge.judgePayouts(this.intents)
    }
  }

  private async playFile(): Promise<void> {
    const {prng, scene} = this
    const rows = Array.from({length: prng.int(1, 4)}, () => {
      const intent = this.wish()
      const orderNo = prng.chance(0.3) ? `00${1000 + ++this.names}` : this.payoutNo(intent)
      return {intent, orderNo, cell: orderNo}
    })
    const file = `payouts-${++this.names}.csv`
    for (let go = 0; go < 3; go++) {
      const isResaved = go > 0 && prng.chance(0.25)
      const written = isResaved ? rows.map((row) => ({...row, cell: resaved(row.orderNo, prng)})) : rows
      if (isResaved) scene.counts.add('payout files that a spreadsheet re-saved')
      const {argv, env} = this.identity()
      const ended = await payFile(scene, payoutFile(scene, file, written), argv, {
        env,
        interruption: this.interruption(),
      })
      judgeResultFiles(scene, file)
      if (ended.json?.payouts)
        scene.judge.judgePayoutStates(ended.json.payouts, `payout create (${ended.run})`)
      if (ended.status === 1) scene.judge.blame(`payout create --from ended with 1: ${ended.stdout}`)
      if (ended.status === 0 && prng.chance(0.5)) return
      scene.wait(prng.pick([0, second, hour, 2 * day]))
      if (prng.chance(0.4)) scene.network.weather = fair
    }
  }

  private async playDeposit(): Promise<void> {
    const {prng, scene} = this
    const orderNo = `Q-${++this.names}`
    if (prng.chance(0.3)) {
      const {order} = seed(scene, {
        orderNo,
        word: prng.pick(['processing', 'completed']),
        payee: 'player-9',
        entry: null,
        webhook: 'taken',
      })
      if (wordOf(order) === 'processing') order.completesMs = scene.time.nowMs + 20 * second
    }
    const intent: Intent = {kind: 'deposit', payee: 'player-1', amount: 0n, orderNos: new Set([orderNo])}
    for (let go = 0; go < 2; go++) {
      const argv = [
        '--order-no',
        orderNo,
        '--player-phone',
        '01712345678',
        '--player-ref',
        'player-1',
        '--json',
      ]
      const waits = prng.chance(0.3) ? ['--wait-for', '1m'] : []
      const ended = await scene.hisab({
        command: 'deposit create',
        argv: [...argv, ...waits],
        interruption: this.interruption(),
      })
      scene.judge.judgeCreate(intent, orderNo, ended)
      if (ended.status === 0) return
    }
  }

  private async playQuery(): Promise<void> {
    const {prng, scene} = this
    const kind = prng.pick(['deposit', 'payout'] as const)
    const orders = [...scene.world.orders.values()].filter((order) => order.kind === kind)
    const argv = [...orders.map(({orderNo}) => orderNo), 'X-1', '--json']
    const ended = await scene.hisab({command: `${kind} query`, argv})
    scene.judge.judgeQuery(kind, ended)
  }
}

function resaved(orderNo: string, prng: Prng): string {
  return prng.pick([
    orderNo.replace(/^0+/, ''),
    orderNo.toLowerCase(),
    ` ${orderNo}`,
    `'${orderNo}`,
    `${orderNo}\u00a0`,
  ])
}

function deploymentFrom(prng: Prng): Deployment {
  return {
    listOrder: prng.pick(['newest_first', 'oldest_first', 'mixed']),
    pageSize: prng.pick([100, 100, 7, 3, 2]),
    cap: prng.chance(0.12) ? prng.int(4, 9) : Number.POSITIVE_INFINITY,
    hasLegacy: !prng.chance(0.04),
    isOrderIdForeign: prng.chance(0.15),
    noRoute: prng.chance(0.03) ? prng.pick(['deposit', 'payout']) : null,
    skewMs: prng.pick([0, 0, 0, 0, 1_500, -36 * minute, -2 * hour, 95_000, 10 * minute]),
    recordLagsMs: prng.pick([[0], [0], [0, 20_000], [0, 600_000], [Number.POSITIVE_INFINITY, 0]]),
  }
}

export async function playHistory(seed: number, root: string, keepsLines = false): Promise<HistoryEnd> {
  const history = new History(seed, root, keepsLines)
  const {scene} = history
  try {
    await history.play()
  } catch (error) {
    scene.judge.blame(
      error instanceof Error ? `${error.name}: ${error.message}\n${error.stack}` : String(error),
    )
  }
  const {hash, lines} = scene.trace
  return {seed, hash, problems: scene.judge.problems, counts: scene.counts, lines}
}
