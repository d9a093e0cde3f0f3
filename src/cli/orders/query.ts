import * as Flags from '@oclif/core/flags'

import {type ExitStatus, worstStatus} from '../../core/failure.ts'
import {formatTaka} from '../../core/money.ts'
import type {OrderKind, ServiceOrder} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import {isInDoubt, isLost, isLostAfterShown, type RequestRow} from '../../journal/rows.ts'
import {listText} from '../../report/list-text.ts'
import {type OrderView, orderColumns, orderStatus, viewOrder} from '../../report/orders-list.ts'
import {creditedBy} from '../../workflows/orders/credited.ts'
import {lostHint, notShownHint} from '../../workflows/orders/doubt-commands.ts'
import {type DoubtEnd, droppedDoubts, droppedNote, endingDoubts} from '../../workflows/orders/doubts.ts'
import {madeAfterAll} from '../../workflows/orders/made-after-all.ts'
import {paidTwiceBy, paidTwiceNote} from '../../workflows/orders/paid-after-all.ts'
import {givenBackSince} from '../../workflows/orders/paid-anew.ts'
import {queryEach} from '../../workflows/orders/query-each.ts'
import {BaseCommand} from '../base-command.ts'
import {concurrencyFlag, type FlagsOf, formatFlag, rateFlag} from '../flags.ts'
import {statusIfStopped} from '../interrupt.ts'
import {Progress} from '../progress.ts'
import {RowWriter} from '../row-writer.ts'
import {readOrderNumbers} from './numbers.ts'
import {takenEvents} from './open-payouts.ts'

export interface QueriedOrder extends OrderView {
  /** Of a payout: why the player may have the money twice, as sentences; null if nothing known says so. */
  readonly paidTwice?: string | null
}

/** One for each order that was asked for. A stopped run counts the rest in `notAsked`. */
export interface OrderAnswers {
  readonly orders: readonly QueriedOrder[]
  readonly complete?: false
  readonly notAsked?: number
}

export abstract class OrderQuery extends BaseCommand {
  static override flags = {
    from: Flags.string({
      summary: 'A file with one order number a line; `-` reads standard input.',
      helpValue: 'FILE',
    }),
    format: formatFlag,
    concurrency: concurrencyFlag,
    rate: rateFlag,
  }

  /**
   * Queries each order once, a bounded number at a time; an order without a reliable answer is listed as such. CSV
   * and NDJSON are written as the answers come. A stopped run keeps what it has.
   */
  protected async query(
    kind: OrderKind,
    argv: readonly string[],
    flags: FlagsOf<typeof OrderQuery.flags>,
  ): Promise<OrderAnswers | undefined> {
    const orderNos = await readOrderNumbers(argv, flags.from)
    const loaded = await this.context.loadProfile(flags.profile)
    const {concurrency, rate = null, format} = flags
    const pace = {concurrencyMax: concurrency, ratePerSecond: rate}
    const client = await this.context.client(loaded, {ordersOnly: kind, ...pace})
    const isStreamed = format !== 'table' && !this.jsonEnabled()
    const writer = isStreamed ? new RowWriter(format, orderColumns) : null
    const orders: OrderView[] = []
    const paidTwice = new Map<string, string[]>()
    const found: ServiceOrder[] = []
    const statuses = new Set<ExitStatus>()
    const journal = await this.context.journalIfAny(loaded, 'doubts are not ended by this query')
    const onEnd = (end: DoubtEnd) => {
      this.tell(doubtEndNote(end))
      const isContradicted = !end.confirmation.confirmed && end.confirmation.because === 'contradicted'
      if (isContradicted || end.countedAsRefused || end.dropped) statuses.add(7)
    }
    const dropped = journal && droppedDoubts(journal)
    const whyCredited =
      journal && kind === 'payout' && creditedBy(journal, await takenEvents(this.context, loaded))
    const whyPaidTwice = journal && paidTwiceBy(journal, client)
    let isBusy = false
    const progress = new Progress()
    const notAsked = await queryEach(kind, orderNos, {
      client: journal ? endingDoubts(client, journal, Date.now, onEnd) : client,
      width: concurrency,
      onAnswer: async (orderNo, side) => {
        const order = viewOrder(orderNo, side)
        const sent = await journal?.findRequest(kind, orderNo)
        if (side.is === 'absent' && sent && sent.state !== 'refused')
          this.tell(missingNote(sent, loaded.profile.name))
        const made = side.is === 'found' ? madeAfterAll(sent, side.order, loaded.profile.name) : null
        if (made !== null) {
          this.tell(`warning: ${made}`)
          statuses.add(7)
        }
        const isPaid = kind === 'payout' && side.is === 'found' && side.order.status === 'completed'
        for (const back of isPaid && sent && whyCredited ? await givenBackSince(sent, whyCredited) : []) {
          const why = `the payout ${escapeInvisible(orderNo, 80)} is paid, and may have taken the place of ${escapeInvisible(back.orderNo, 80)}, which failed: ${back.why}. The player may have the money twice.`
          this.tell(`warning: ${why} Look in your books.`)
          paidTwice.set(orderNo, [...(paidTwice.get(orderNo) ?? []), why])
          statuses.add(7)
        }
        if (side.is === 'found' && whyPaidTwice) found.push(side.order)
        for (const row of side.is === 'absent' && dropped ? await dropped(kind, orderNo) : [])
          this.tell(`warning: ${droppedNote(row, loaded.profile.name)}`)
        if (side.is === 'absent' && orderNo.trim() !== orderNo) this.tell(blankNote(orderNo))
        isBusy ||= side.is === 'no_answer' && side.code === 'service_busy'
        statuses.add(orderStatus(order))
        if (!writer) orders.push(order)
        return writer?.add(order)
      },
      onProgress: (done, total) => {
        if (!writer || !process.stdout.isTTY) progress.update(`${kind} query`, done, total)
      },
    })
    progress.end()
    // What one answer says of another order counts, whichever came first.
    for (const order of kind === 'payout' ? found : []) {
      const twice = await whyPaidTwice?.(order)
      if (!twice) continue
      this.tell(paidTwiceNote(twice))
      paidTwice.set(order.orderNo, [...(paidTwice.get(order.orderNo) ?? []), twice.why])
      statuses.add(twice.isKnown ? 7 : 8)
    }
    const told = orders.map((order): QueriedOrder => {
      const why = paidTwice.get(order.orderNo)?.join(' ') ?? null
      return kind === 'payout' ? {...order, paidTwice: why} : order
    })

    if (writer) await writer.flush()
    else await this.show(listText('table', orderColumns, told, this.style, process.stdout.columns))
    if (isBusy) this.tell('No answer: the service is busy. Wait, then run it again.')
    if (notAsked > 0) {
      this.tell(
        `Stopped: ${notAsked} of ${orderNos.length} orders were not queried. They are not in the list.`,
      )
    }
    this.endWith(statusIfStopped(this.context.signal) ?? worstStatus(statuses))
    if (writer) return undefined
    return notAsked === 0 ? {orders: told} : {orders: told, complete: false, notAsked}
  }
}

function blankNote(orderNo: string): string {
  const where = orderNo.trimStart() === orderNo ? 'ends' : 'begins'
  return `warning: the number "${escapeInvisible(orderNo, 80)}" ${where} with a blank, and numbers are compared character by character. Query it without the blank.`
}

/** The journal may know that an order exists when the service does not. */
function missingNote(row: RequestRow, profileName: string): string {
  const {kind, orderNo, platformOrderNo} = row
  const id = platformOrderNo === null ? '' : ` as ${escapeInvisible(platformOrderNo, 60)}`
  const accepted = `was accepted${id}, by this journal`
  const known = !isInDoubt(row)
    ? accepted
    : isLost(row)
      ? `${accepted}, and is in doubt now`
      : 'is in doubt in this journal'
  const hint = kind === 'payout' && isLostAfterShown(row) ? lostHint : notShownHint
  const next = isInDoubt(row) ? ` ${hint(kind, orderNo, profileName)}` : ''
  return `warning: the ${kind} ${escapeInvisible(orderNo, 80)} ${known}. The service does not find it, which proves nothing.${next}`
}

function doubtEndNote({
  kind,
  orderNo,
  confirmation,
  isDeclaredMade,
  dropped,
  countedAsRefused,
}: DoubtEnd): string {
  const amount = dropped?.amount == null ? '' : ` of BDT ${formatTaka(dropped.amount)}`
  const number = `${escapeInvisible(orderNo, 80)}${amount}`
  if (dropped && confirmation.confirmed)
    return `warning: the ${kind} ${number}, which a merge of journals did not keep, is the one that the service has. The journal now has it as accepted. To see the one that was kept, run: hisab ${kind} list --in-doubt`
  if (countedAsRefused)
    return `warning: the ${kind} ${number} counted as not made, and the service has it. The journal now has it as accepted. If another was made in its place, both count: look at ${kind === 'payout' ? 'hisab payout list' : 'hisab deposit list'}.`
  if (confirmation.confirmed)
    return `The ${kind} ${number} was in doubt. The service accepted it. The journal now has it as accepted.`
  const {because, why} = confirmation
  return because === 'contradicted'
    ? `warning: the ${kind} ${number} is ${isDeclaredMade ? 'recorded as made by a person, and shown otherwise' : 'in doubt'}: ${why}`
    : `The ${kind} ${number} was in doubt. The service accepted it, unconfirmed: ${why}`
}
