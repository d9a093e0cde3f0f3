import type {PayoutChannel} from '../../src/core/order.ts'
import type {PayoutRow} from '../../src/ledger/read-payouts.ts'
import {type BatchEnd, type CreateEnd, dailyCeiling, playBatch, playCreate, type Wish} from './create.ts'
import {fateFrom, judgeEnding} from './fates.ts'
import type {History} from './history.ts'
import {SimulatedProcess} from './process.ts'
import {saidOrders} from './said.ts'
import {keyOf, taka} from './world.ts'

const channels: readonly PayoutChannel[] = ['BKASH', 'NAGAD', 'ROCKET']

/** Somebody makes orders: new ones, the same again, others under a number that was used; singly or from a file. */
export async function playCreates(history: History): Promise<void> {
  const {dice, site} = history
  if (dice.chance(0.3)) return await playFile(history)
  for (let times = dice.int(1, 3); times > 0; times--) {
    const wish = chooseWish(history)
    const atOnce = dice.chance(0.15) ? 2 : 1
    history.say(
      `hisab ${wish.kind} create ${wish.orderNo}${wish.kind === 'payout' ? `, BDT ${taka(wish.request.amount)}` : ''}${atOnce > 1 ? ', twice at the same moment' : ''}`,
    )
    const processes = Array.from({length: atOnce}, (_, index) =>
      begin(history, `create ${wish.orderNo}${index > 0 ? ' again' : ''}`),
    )
    history.limitTime()
    const ends = await playCreate(processes, history.journal, wish)
    for (const end of ends) {
      site.counts.add('creates')
      const {ending} = end
      const how =
        ending.is === 'failed'
          ? ending.failure.code
          : ending.is === 'ended'
            ? ending.value.confirmation.confirmed
              ? 'confirmed'
              : 'unconfirmed'
            : 'killed'
      site.counts.add(`create ${how}`)
      history.say(`  ${end.process.name}: ${how}`)
      history.blame(judgeCreate(history, wish, end, atOnce > 1))
    }
    history.pause()
  }
}

function begin(history: History, name: string): SimulatedProcess {
  const process = new SimulatedProcess(history.site, name, history.runName(), fateFrom(history, false))
  history.oracle.expect(process, {
    maySend: false,
    includeDelivered: false,
    ignoreCooldown: false,
    retryUnknown: false,
  })
  return process
}

function chooseWish(history: History): Wish {
  const {dice, site, wishes} = history
  const earlier = wishes.length > 0 && dice.chance(0.5) ? dice.pick(wishes) : null
  if (earlier && dice.chance(0.75)) return earlier
  const kind = earlier?.kind ?? (dice.chance(0.4) ? 'deposit' : 'payout')
  const foreign = [...site.world.orders.values()].filter((order) => order.kind === kind)
  // A number another system of the merchant's used: the journal does not know it, the service does.
  const orderNo =
    earlier?.orderNo ??
    (foreign.length > 0 && dice.chance(0.2) ? dice.pick(foreign).orderNo : `C-${wishes.length + 1}`)
  const returnUrl = 'https://shop.example/hook'
  const playerPhone = `0171234${String(dice.int(0, 9)).padStart(4, '0')}`
  const wish: Wish =
    kind === 'deposit'
      ? {kind, orderNo, request: {orderNo, returnUrl, playerPhone, playerRef: `player-${dice.int(1, 99)}`}}
      : {kind, orderNo, request: {...payee(history), outOrderNo: orderNo, returnUrl}}
  wishes.push(wish)
  return wish
}

function payee({dice}: History) {
  const amount = BigInt(dice.int(1, 40)) * 100_000n
  return {
    amount,
    bankType: dice.pick(channels),
    userName: 'Rahim Uddin',
    account: `0181234${String(dice.int(0, 5)).padStart(4, '0')}`,
  }
}

/** Codes under which a create may say that nothing of it took effect (contract §2: 4, 5 and 8). */
const denials = [
  'service_refused',
  'service_unreachable',
  'legacy_unavailable',
  'answer_untrusted',
  'service_busy',
  'incomplete',
]

function judgeCreate(
  {oracle, site: {world}}: History,
  wish: Wish,
  {tries, ending, process}: CreateEnd,
  isShared: boolean,
): string[] {
  const problems: string[] = []
  const wrong = (what: string) => problems.push(`${wish.kind} ${wish.orderNo}: ${what}`)
  const sent = tries.filter(({request}) => request.name === 'create')
  const ever = oracle.creates.get(keyOf(wish.kind, wish.orderNo)) ?? []
  const mayHaveHappened = ever.some(
    ({hears}) => hears === 'nothing' || hears === 'pending' || hears === 'yes',
  )
  if (ending.is === 'ended') {
    const {created, confirmation, unrecorded} = ending.value
    if (sent.at(-1)?.hears !== 'yes') wrong('accepted, and no answer says so (P8)')
    if (unrecorded !== null && !process.hitFullDisk) wrong(`unrecorded: ${unrecorded}`)
    const shown = saidOrders(tries).get(keyOf(wish.kind, wish.orderNo))
    const truly = world.orderOf(wish.kind, wish.orderNo)
    const isRight =
      shown?.platformNo === created.platformOrderNo &&
      (wish.kind === 'deposit' || shown.amount === taka(wish.request.amount))
    if (confirmation.confirmed && !isRight) wrong('confirmed, and no query showed that (P2)')
    if (confirmation.confirmed && wish.kind === 'payout' && truly?.amount !== wish.request.amount)
      wrong('confirmed, and another payout has the number (P2)')
    return problems
  }
  if (ending.is !== 'failed') return problems
  const {code, message} = ending.failure
  if (denials.includes(code) && mayHaveHappened && !isShared) wrong(`${code}, and it may have happened (P6)`)
  if (code === 'storage_failed' && sent.length > 0) wrong('sent although the disk said no (P16)')
  const local = ['number_reused', 'payout_repeated', 'payout_over_limit', 'outcome_unknown']
  if (code === 'number_reused' && sent.length > 0) {
    const truly = world.orderOf(wish.kind, wish.orderNo)
    if (wish.kind === 'deposit' || truly?.amount === wish.request.amount)
      wrong(`called another payout's number: ${message}`)
  } else if ((code === 'payout_repeated' || code === 'payout_over_limit') && sent.length > 0)
    wrong(`${code}, and it was sent`)
  if (!local.includes(code)) problems.push(...judgeEnding({ending, process, tries}))
  return problems
}

async function playFile(history: History): Promise<void> {
  const {dice, site, journal} = history
  const file = {path: 'payouts.csv', sha256: '', rows: chooseRows(history), problems: []}
  history.say(`hisab payout create --from payouts.csv, ${file.rows.length} rows`)
  for (let go = 0; go < 3; go++) {
    const process = begin(history, `payouts${go > 0 ? `, go ${go + 1}` : ''}`)
    history.limitTime()
    const end = await playBatch(process, journal, file)
    site.counts.add('payout files')
    const {ending} = end
    history.say(`  it ${ending.is}${ending.is === 'failed' ? `: ${ending.failure.code}` : ''}`)
    if (ending.is === 'ended') for (const {state} of ending.value.lines) site.counts.add(`payout ${state}`)
    history.blame(judgeBatch(history, file.rows, end))
    const isOver = ending.is === 'ended' && ending.value.lines.every(({state}) => state === 'accepted')
    if (isOver || dice.chance(0.2)) break
    history.pause()
  }
}

function chooseRows(history: History): PayoutRow[] {
  const {dice, site, wishes} = history
  const foreign = [...site.world.orders.values()].filter(({kind}) => kind === 'payout')
  return Array.from({length: dice.int(1, 5)}, (_none, index) => {
    const earlier = wishes.filter((wish) => wish.kind === 'payout')
    const again = earlier.length > 0 && dice.chance(0.1) ? dice.pick(earlier).request : null
    const isForeign = foreign.length > 0 && dice.chance(0.15)
    const number = isForeign ? dice.pick(foreign).orderNo : `F-${wishes.length}-${index}`
    const request = again ?? {...payee(history), outOrderNo: number, returnUrl: 'https://shop.example/hook'}
    wishes.push({kind: 'payout', orderNo: request.outOrderNo, request})
    const {returnUrl: _, ...row} = request
    return {...row, line: index + 2}
  })
}

function judgeBatch({oracle, site: {world}}: History, rows: readonly PayoutRow[], end: BatchEnd): string[] {
  if (end.ending.is !== 'ended')
    return end.ending.is === 'failed' &&
      !['number_reused', 'payout_over_limit', 'input_invalid'].includes(end.ending.failure.code)
      ? judgeEnding(end)
      : []
  const problems: string[] = []
  const {lines} = end.ending.value
  if (lines.length !== rows.length) problems.push(`${lines.length} lines of ${rows.length} rows (P11)`)
  for (const [index, {orderNo, state, amount, confirmation}] of lines.entries()) {
    const wrong = (what: string) => problems.push(`payout ${orderNo} is called ${state}: ${what}`)
    if (amount !== rows[index]?.amount) wrong('of another amount (P12)')
    const ever = oracle.creates.get(keyOf('payout', orderNo)) ?? []
    const mayHaveHappened = ever.some(
      ({hears}) => hears === 'nothing' || hears === 'pending' || hears === 'yes',
    )
    const shown = saidOrders(end.tries).get(keyOf('payout', orderNo))
    if (state === 'accepted' && !ever.some(({hears}) => hears === 'yes') && !shown)
      wrong('no answer says so (P8)')
    if (confirmation?.confirmed && shown?.amount !== taka(amount))
      wrong('confirmed, and no query showed that (P2)')
    if ((state === 'not_sent' || state === 'refused') && mayHaveHappened) wrong('it may have happened (P6)')
    if (state === 'contradicted' && world.orderOf('payout', orderNo)?.amount === amount)
      wrong('the service has this very payout')
  }
  return problems
}

/** Whether the payouts that may have left on one day of the merchant's come to more than it allows. */
export function judgeCeiling({oracle}: History): string[] {
  const sums = new Map<string, bigint>()
  for (const [key, tries] of oracle.creates) {
    const [first] = tries
    const live = tries.filter(({hears}) => hears === 'nothing' || hears === 'pending' || hears === 'yes')
    if (!first || live.length === 0 || !key.startsWith('payout')) continue
    const day = new Date((live[0]?.startedMs ?? 0) + 6 * 3_600_000).toISOString().slice(0, 10)
    sums.set(day, (sums.get(day) ?? 0n) + BigInt((first.request.fields.amount ?? '0').replace('.', '')))
  }
  return [...sums].flatMap(([day, sum]) =>
    sum > dailyCeiling
      ? [`BDT ${taka(sum)} were paid out on ${day}, and ${taka(dailyCeiling)} are allowed`]
      : [],
  )
}
