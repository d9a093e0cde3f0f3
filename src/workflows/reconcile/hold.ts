import {isCompletedByName} from '../../core/event-state.ts'
import {completedEvent, type OrderKind, type ServiceOrder} from '../../core/order.ts'
import {isTakenSince} from '../../core/reconcile/evidence.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import {explain, isNeverResent} from '../../core/reconcile/verdict-facts.ts'
import {quoteForShell} from '../../core/shell.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Ledger} from '../../ledger/ledger.ts'
import type {Staging} from '../../staging/staging.ts'
import {paidTwiceBy} from '../orders/paid-after-all.ts'
import {paidAnewBy} from '../orders/paid-anew.ts'
import {recordOf, whatIsAgainst, whySending} from '../resend/against.ts'
import type {BookedElsewhere} from '../resend/booked-elsewhere.ts'
import {describeNote, saidIn, wayOutOf} from '../resend/notes.ts'
import {Orphans, othersSince} from '../resend/orphans.ts'
import {sentenceOf} from '../resend/received.ts'
import {type ResendCandidate, whyHere} from '../resend/unexplained-bookings.ts'
import {markBookable} from './bookable.ts'
import type {DecisionInput} from './decide.ts'
import type {Deliveries} from './deliveries.ts'
import {weighFailed, weighReplaced} from './failed-payouts.ts'
import type {Players} from './players.ts'
import type {ReconcilePorts} from './types.ts'
import type {ReadPlayer} from './webhook-players.ts'

export interface HoldInput {
  readonly staging: Staging
  readonly deliveries: Deliveries
  readonly players: Players
  readonly readPlayer: ReadPlayer
  /** Where a file names an order outside of its rows, as a clause. */
  readonly mentions: ReadonlyMap<string, string>
  readonly booked: BookedElsewhere
  readonly files: Ledger['files']
  /** Orders whose webhook may be sent again. */
  readonly webhooks: () => Iterable<ServiceOrder>
  readonly input: DecisionInput
}

const leftOut =
  'This is a new export of that ledger without the row. It does not prove that nobody was credited.'
const always = {fromMs: Number.MIN_SAFE_INTEGER, toMs: Number.MAX_SAFE_INTEGER}

/** What speaks against a resend that the verdict and the delivery record alone would allow. */
export class ResendHold {
  /** Why the run is incomplete: payouts that took another's place and gave no answer. */
  readonly unanswered: string[] = []
  private readonly given: HoldInput
  private readonly ports: ReconcilePorts
  private readonly whyPaidAnew: ReturnType<typeof paidAnewBy>
  private readonly whyPaidTwice: ReturnType<typeof paidTwiceBy>
  private readonly received: ReconcilePorts['received']
  private readonly areOthersSince: (fromMs: number) => Promise<boolean>
  private readOrphans: Orphans | null = null

  constructor(given: HoldInput, ports: ReconcilePorts) {
    this.given = given
    this.ports = ports
    const {journal, client, recorded} = ports
    this.whyPaidAnew = recorded?.whyPaidAnew ?? paidAnewBy(journal, client)
    this.whyPaidTwice = recorded?.whyPaidTwice ?? paidTwiceBy(journal, client)
    this.received = recorded?.received ?? ports.received
    const {deliveries} = given
    this.areOthersSince = othersSince((fromMs) => deliveries.ofNobody({...always, fromMs}), this.orphans)
  }

  /** The finding, for review instead of a resend if anything speaks against it. */
  readonly hold = async (finding: Finding): Promise<Finding> => {
    const {mentions, staging} = this.given
    const names = (order: {readonly kind: OrderKind; readonly orderNo: string}) => staging.ledger.names(order)
    const failed = await weighFailed(finding, mentions, this.whyPaidAnew, names)
    const weighed = await weighReplaced(failed, this.whyPaidTwice, names, this.unanswered)
    // The place in a file first: its explanation has the flag that ends it.
    const why =
      weighed.action === 'resend'
        ? (this.whyMentioned(weighed) ?? (await this.whyInBooks(weighed)) ?? (await this.whyAgainst(weighed)))
        : null
    return why === null ? weighed : this.held(weighed, why)
  }

  /** The finding, listed for booking by hand if `mayBeListed` lets it and nothing speaks against that. */
  async bookable(finding: Finding, mayBeListed: (order: ServiceOrder) => boolean): Promise<Finding> {
    const {service, cause, explanation} = finding
    if (!service) return finding
    const here = isNeverResent(cause) ? this.received?.(service) : null
    if (here) return {...finding, explanation: `${explanation} ${sentenceOf(here)}`}
    return mayBeListed(service)
      ? await markBookable(finding, this.hold, this.areOthersSince, this.given.input)
      : finding
  }

  /** Why a row or an earlier run may mean that it is booked, as sentences. */
  async whyBooked(
    order: Omit<ServiceOrder, 'playerRef'> &
      Pick<ResendCandidate, 'sinceMs' | 'inLedger' | 'file' | 'playerRef' | 'askPlayer'>,
  ): Promise<string | null> {
    const {booked, files} = this.given
    const seen = await booked.find({...order, kinds: [order.kind], isAnswered: true})
    if (seen === null) return null
    if (seen.by !== undefined)
      return `Not resent: ${describeNote(seen, order.orderNo)} Look in your books. Do not book it twice.`
    const {runId, row, rowIs, words, here, isLeftOut} = seen
    const may = `${row} ${rowIs} and may be this order.`
    const what = seen.isTaken
      ? `run ${runId} saw that your server took its webhook.`
      : words
        ? `words in the ledger of run ${runId}${words.note === 'player' ? ' name its player and are no row, so it may be booked' : `${saidIn(words)} may say that it is booked`}.${wayOutOf(words)}`
        : here
          ? whyHere(here, files)
          : row === null
            ? `run ${runId} found it booked. This may be the older ledger.`
            : runId === this.ports.runId
              ? may
              : `in the ledger of run ${runId}, ${may} ${isLeftOut ? leftOut : 'This may be the older ledger.'}`
    const send = `If it is not booked, send it: \`hisab webhooks resend --order-no ${escapeInvisible(quoteForShell(order.orderNo))} --include-delivered\`.`
    return `Not resent: ${what} Look in your books. Do not book it twice. ${send}`
  }

  /** A file names it outside of its rows: it may have been booked by hand. */
  private whyMentioned({orderNo}: Finding): string | null {
    const place = this.given.mentions.get(orderNo ?? '')
    if (place === undefined) return null
    return `Not resent: ${place}. Look whether it was booked by hand. Do not book it twice.`
  }

  /** Its own row, an older ledger or an earlier run may be outdated. */
  private async whyInBooks(finding: Finding): Promise<string | null> {
    const {verdict, service, delivery, orderedAtMs: sinceMs, file, playerRef} = finding
    if (!service) return null
    const inLedger = verdict === 'missing_completion' ? 'own row' : 'no row'
    const askPlayer = async () => (delivery ? await this.given.readPlayer(delivery.id) : undefined)
    const player = {playerRef: playerRef ?? service.playerRef, askPlayer}
    return await this.whyBooked({...service, ...player, sinceMs: sinceMs ?? null, inLedger, file})
  }

  /** Other records of the order, webhooks received here, and records of nobody. */
  private async whyAgainst({
    service: order,
    delivery: record,
    file,
    orderedAtMs,
  }: Finding): Promise<string | null> {
    if (!order) return null
    const {deliveries, players, input} = this.given
    const {dialect} = this.ports.profile
    const isOverridden = input.overrides.includeDelivered
    const endMs = isOverridden ? null : (input.fileEndsMs(file ?? 0) ?? input.ledgerEndsMs)
    const against = await whatIsAgainst(
      {
        ...{order, names: [completedEvent], record, sinceMs: orderedAtMs ?? null},
        ...deliveries.around(order, record),
      },
      {
        ...{dialect, received: this.received, orphans: this.orphans, isUsual: deliveries.isUsual},
        whyOther: (other) =>
          whySending(other, input.time) ??
          (isTakenSince(other, endMs)
            ? `Your server took another record of it after the last row of the ledger: ${other.id}.`
            : other.status === 'success' && isCompletedByName(other.event, dialect)
              ? recordOf(other.event)
              : null),
      },
      isOverridden ? ['handedOn', 'received'] : [],
    )
    const why = against?.why ?? players.whyOther(order)
    return why === null ? null : `Not resent. ${why}`
  }

  private readonly orphans = (): Orphans => {
    if (this.readOrphans === null) {
      const {client, profile} = this.ports
      this.readOrphans = new Orphans(this.given.webhooks(), {client, dialect: profile.dialect}, () =>
        this.given.deliveries.countNumbered(),
      )
      for (const record of this.given.deliveries.ofNobody(always)) this.readOrphans.see(record)
      for (const odd of this.given.deliveries.oddOfNobody()) this.readOrphans.seeOdd(odd)
    }
    return this.readOrphans
  }

  private held(finding: Finding, why: string): Finding {
    const review = {...finding, action: 'review' as const}
    const {timeZone} = this.ports.profile.ledger
    return {...review, explanation: `${explain({...review, detail: null}, timeZone)} ${why}`}
  }
}
