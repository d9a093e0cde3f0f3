import {basename} from 'node:path'

import {latestNow} from '../../core/clocks.ts'
import type {OrderKind, ServiceOrder} from '../../core/order.ts'
import {foldOrderNo, foldsOf} from '../../core/order-no-fold.ts'
import type {MaybeWindow} from '../../core/reconcile/window.ts'
import type {Journal} from '../../journal/journal.ts'
import type {FinalOrder, RememberedRow} from '../../journal/memory-rows.ts'
import {type NamedOrder, NameIndex} from '../../ledger/name-index.ts'
import {readTotals} from '../../report/run-totals.ts'
import {keyOfName, keysOfBeginnings, placeOf, type UnexplainedRow} from '../../staging/unexplained-rows.ts'
import {storedRuns} from '../stored-run.ts'
import {holdsResend} from './notes.ts'
import {PersonsWords} from './persons-words.ts'
import {type Key, keysOf} from './row-keys.ts'
import {ToldPlayers} from './told-players.ts'
import {
  type BookingPlaces,
  type LostOrder,
  type MayBeBooking,
  type ResendCandidate,
  type UnexplainedBooking,
  UnexplainedBookings,
} from './unexplained-bookings.ts'

export interface OwnLedger {
  readonly window: MaybeWindow
  /** Where orders without a row were looked for. */
  readonly searched: MaybeWindow
  /** The time of the last row of any file with a row of this order; null where no time is known. */
  readonly endOf: (order: Pick<ServiceOrder, 'kind' | 'orderNo'>) => number | null
  readonly files: readonly {readonly path: string; readonly sha256: string}[]
  /** Whom a row of the order names as its player. */
  readonly playerOf: (order: Pick<ServiceOrder, 'kind' | 'orderNo'>) => string | null | undefined
  readonly isSeveral: boolean
  readonly names: (order: Pick<ServiceOrder, 'kind' | 'orderNo'>) => boolean
  /** Its rows that nothing explains and that may be orders booked by hand. */
  readonly unexplained: () => Iterable<UnexplainedRow>
  /** Whether a person stated that a text tells of no booking. */
  readonly isIgnored?: (text: string) => boolean
  /** Whether it has the row of another run as well, and which booked rows stand in its place. */
  readonly again: {
    readonly has: (row: RememberedRow) => boolean
    readonly inPlaceOf: (row: RememberedRow) => Iterable<Pick<ServiceOrder, 'kind' | 'orderNo'>>
  }
}

/** What is remembered of all ledgers, read once. */
interface Remembered {
  readonly unexplained: UnexplainedBookings
  readonly byKey: ReadonlyMap<string, readonly Key[]>
  /** The texts with numbers that name the order, by its own number. */
  readonly named: ReadonlyMap<string, readonly RememberedRow[]>
  readonly sentences: readonly RememberedRow[]
  readonly players: ToldPlayers
  /** Runs whose ledger this one replaces: for each of its files there is one here with the same name. */
  readonly replaced: ReadonlySet<string>
  /** By run, for those that told of bookings. */
  readonly told: ReadonlyMap<string, ToldBy>
}

interface ToldBy {
  /** When it began, by the later of both clocks; null if that is not known. */
  readonly atMs: number | null
  /** That run read no other file than this one does. */
  readonly isReread: boolean
}

type BookingJournal = Pick<
  Journal,
  | 'findFinalOrders'
  | 'findFinalOrdersOf'
  | 'rowsSeen'
  | 'findRun'
  | 'findTotals'
  | 'itemEvents'
  | 'personsTexts'
  | 'fingerprint'
>

/**
 * A person's note on the order, or a run. `row` says which row of its ledger may be the order; null where that run matched the order,
 * where words in its ledger may say that it is booked (`words`), where it saw that the merchant's server took the webhook
 * (`isTaken`), or where a row of this run may be it (`here`).
 */
export type SeenBooked =
  | {readonly by: string; readonly text: string}
  | {
      readonly by?: undefined
      readonly runId: string
      readonly row: string | null
      /** How that row may be the order. */
      readonly rowIs?: string
      /** This ledger is a new export of its ledger, without the row. */
      readonly isLeftOut?: boolean
      readonly words?: RememberedRow
      readonly isTaken?: true
      readonly here?: MayBeBooking
    }

/**
 * The one rule for every resend: an order that a ledger shows as booked, in another run or another row, is not resent
 * because its own row, or no row, says otherwise. It holds for every finding of that row: dry run, damaged,
 * unanswered, interrupted, duplicate, of another kind or amount.
 */
export class BookedElsewhere {
  private readonly journal: BookingJournal
  private readonly runId: string
  private readonly orders: () => Iterable<NamedOrder & Partial<ServiceOrder>>
  private readonly own: OwnLedger | null
  private readonly statusOf: BookingPlaces['statusOf']
  private readonly counts: (row: RememberedRow) => boolean
  private readonly countsTaken: boolean
  private readonly storedRun: ReturnType<typeof storedRuns>
  private remembered: Remembered | null = null
  private persons: PersonsWords | null = null
  private finals: ReadonlyMap<string, readonly FinalOrder[]> | null = null

  /**
   * `orders`: those that will be asked about, read when the first one is. `counts`: which rows that nothing explains count
   * by their number. `countsTaken`: whether a webhook that was taken before counts.
   */
  constructor(
    journal: BookingJournal,
    orders: () => Iterable<NamedOrder & Partial<ServiceOrder>>,
    {
      runId = '',
      own,
      statusOf = async () => null,
      counts = ({isBooked}) => isBooked,
      countsTaken = true,
    }: {
      readonly runId?: string
      readonly own?: OwnLedger
      readonly statusOf?: BookingPlaces['statusOf']
      readonly counts?: (row: RememberedRow) => boolean
      readonly countsTaken?: boolean
    } = {},
  ) {
    this.journal = journal
    this.runId = runId
    this.orders = orders
    this.own = own ?? null
    this.statusOf = statusOf
    this.counts = counts
    this.countsTaken = countsTaken
    this.storedRun = storedRuns(journal)
  }

  /** Who noted, or which run saw, that it is booked, and where; null where nobody did. */
  async find(order: ResendCandidate): Promise<SeenBooked | null> {
    let deniedMs = 0
    for (const kind of order.kinds) {
      const events = await this.journal.itemEvents(kind, order.orderNo)
      const last = events.findLast(({what}) => what === 'noted')
      if (last && holdsResend(last.text)) return {by: last.by, text: last.text}
      if (last) deniedMs = Math.max(deniedMs, last.atMs)
      const [final] = await this.journal.findFinalOrders(kind, [order.orderNo])
      const isSame = !order.isAnswered || final?.platformOrderNo === order.platformOrderNo
      if (final?.status === 'completed' && isSame && (await this.hasRead(final)))
        return {runId: final.runId, row: null}
    }
    const final = await this.byPlatform(order)
    if (final) return {runId: final.runId, row: null}
    this.persons ??= await PersonsWords.read(this.journal, this.orders)
    const said = this.persons.about(order.orderNo, order.sinceMs ?? null, deniedMs)
    if (said) return {by: said.by, text: said.text}
    const remembered = await this.remember()
    const isOver = (row: RememberedRow) =>
      isReread(row, remembered.told) || isDenied(row, remembered.told, deniedMs)
    const named = this.byNumber(order, remembered, isOver)
    const here = named === null ? await remembered.unexplained.find(order) : null
    if (here && !('runId' in here.row)) return {runId: this.runId, row: null, here}
    const row =
      named ??
      (here?.row as RememberedRow | undefined) ??
      this.byText(order, remembered, isOver) ??
      (await remembered.players.find(order, isOver, (row) => toldUntilMs(row, remembered.told)))
    if (row?.note === 'webhook taken') return {runId: row.runId, row: null, isTaken: true}
    if (row?.note) return {runId: row.runId, row: null, words: row}
    if (!row) return null
    const isRead = row.isBooked && row.orderNo.trim() !== ''
    const how = here === null ? '' : ` ${here.how}`
    const rowIs = isRead ? `is completed${how}` : 'cannot be read'
    const isLeftOut = here !== null && remembered.replaced.has(row.runId)
    return {runId: row.runId, row: placeOf(row), rowIs, isLeftOut}
  }

  /** A row had the order booked, whatever number it named it by. */
  private async byPlatform({platformOrderNo, kinds}: ResendCandidate): Promise<FinalOrder | undefined> {
    this.finals ??= Map.groupBy(
      await this.journal.findFinalOrdersOf(
        [...new Set(Iterator.from(this.orders()).map(({platformOrderNo}) => platformOrderNo))].filter(
          (number) => number !== '',
        ),
      ),
      (final) => final.platformOrderNo,
    )
    for (const final of this.finals.get(platformOrderNo) ?? [])
      if (final.status === 'completed' && kinds.includes(final.kind) && (await this.hasRead(final)))
        return final
    return undefined
  }

  /** A run that did not read its status column took every row for completed: a row of this ledger with a status knows better. */
  private async hasRead({runId, ...order}: FinalOrder): Promise<boolean> {
    if (!this.own?.names(order)) return true
    return (await this.storedRun(runId)).isStatusUnread !== true
  }

  /** The number may be damaged on either side, and the row may name the order by the platform's. */
  private byNumber(
    {orderNo, platformOrderNo, kinds, inLedger}: ResendCandidate,
    {byKey, told}: Remembered,
    isTakenBack: (row: RememberedRow) => boolean,
  ): RememberedRow | null {
    const numbers = [orderNo, platformOrderNo].filter((number) => number !== '')
    const isOver = (row: RememberedRow) =>
      isTakenBack(row) ||
      (row.note === 'beside its row' && kinds.some((kind) => this.isNewer({kind, orderNo}, row, told)))
    const isMissing = inLedger === 'no row'
    const find = (key: string, counts: (one: Key) => boolean = () => true) =>
      byKey.get(key)?.find((one) => (isMissing || !one.isWeak) && fits(one.row, kinds) && counts(one))?.row
    for (const number of numbers) {
      for (const fold of foldsOf(number)) {
        const isOwnFold = fold === foldOrderNo(number)
        const found = find(fold, ({row, isOwn}) => (isOwn || isOwnFold) && !isOver(row))
        if (found) return found
      }
      const named = find(keyOfName(number))
      if (named) return named
    }
    for (const key of isMissing ? keysOfBeginnings(orderNo) : []) if (find(key)) return find(key) ?? null
    return null
  }

  /**
   * In another file of this run; or in a ledger of another run that ends after the order was made, also where a new export of
   * it lacks the row. Without that time the ledger of an order that no row names has to end later than this one.
   */
  private isElsewhere(
    row: UnexplainedBooking,
    {inLedger, file, sinceMs = null}: ResendCandidate,
    isExact: boolean,
  ): boolean {
    const {own} = this
    if (!('runId' in row)) return row.file !== (file ?? null)
    if (row.runId === this.runId) return inLedger === 'of another time'
    if (isExact && inLedger === 'no row' && this.isOfTheDayBefore(row)) return true
    if (own !== null && sinceMs !== null) return row.ledgerToMs >= sinceMs
    const toMs = own === null ? sinceMs : own.window.ok ? own.window.toMs : null
    if (toMs === null || !row.isTimeKnown) return false
    const isLater = inLedger === 'no row' && this.remembered?.replaced.has(row.runId) !== true
    return isLater ? row.ledgerToMs > toMs : row.ledgerToMs >= toMs
  }

  /** Whether its ledger ended at most a day before the time that was searched. What this ledger covers it would have itself. */
  private isOfTheDayBefore({ledgerToMs, isTimeKnown}: RememberedRow): boolean {
    if (this.own === null) return false
    const {window, searched} = this.own
    if (isTimeKnown && window.ok && ledgerToMs >= window.fromMs) return false
    return !searched.ok || ledgerToMs >= searched.fromMs - dayMs
  }

  /** Whether it is in a ledger that ends after this one: then it counts by its number, also where its status cannot be read. */
  private isLater({anyOrder, isTimeKnown, ledgerToMs}: RememberedRow): boolean {
    const window = this.own?.window
    return anyOrder !== undefined && isTimeKnown && window?.ok === true && ledgerToMs > window.toMs
  }

  /** This ledger has the row as well; or, as a new export of that one, an order of the service in its place. */
  private async isExplained(row: RememberedRow, replaced: ReadonlySet<string>): Promise<boolean> {
    if (this.own === null || row.runId === this.runId) return false
    if (this.own.again.has(row)) return true
    const inPlace = replaced.has(row.runId) ? [...this.own.again.inPlaceOf(row)] : []
    return (await Promise.all(inPlace.map(this.statusOf))).includes('completed')
  }

  /**
   * A text of another ledger with its number; or a sentence that tells of bookings, written after the order was made. A later ledger without such words takes nothing back.
   */
  private byText(
    {orderNo, sinceMs = null}: ResendCandidate,
    {named, sentences, told}: Remembered,
    isTakenBack: (row: RememberedRow) => boolean,
  ): RememberedRow | null {
    const mayTell = (row: RememberedRow) =>
      (sinceMs === null || toldUntilMs(row, told) >= sinceMs) && !isTakenBack(row)
    return named.get(orderNo)?.find((row) => !isTakenBack(row)) ?? sentences.find(mayTell) ?? null
  }

  /**
   * Words of the order's own row are taken back in a newer ledger that has the row without them. A copy of an older file looks
   * newer; only rows of the time after the run that saw the words prove it.
   */
  private isNewer(
    order: Pick<ServiceOrder, 'kind' | 'orderNo'>,
    {runId}: RememberedRow,
    told: Remembered['told'],
  ): boolean {
    const {own} = this
    const {atMs = null} = told.get(runId) ?? {}
    return own?.names(order) === true && atMs !== null && (own.endOf(order) ?? 0) > atMs
  }

  private *lost(): Generator<LostOrder> {
    for (const order of this.orders()) {
      const {kind, orderNo} = order
      const playerRef = kind && this.own?.playerOf({kind, orderNo})
      yield playerRef ? {...order, playerRef} : order
    }
  }

  /** Made of all rows when the first resend is weighed: they are few, those that nothing has explained since. */
  private async remember(): Promise<Remembered> {
    if (this.remembered) return this.remembered
    const keys: Key[] = []
    const [named, sentences] = [new Map<string, RememberedRow[]>(), [] as RememberedRow[]]
    const unexplained: RememberedRow[] = []
    const index = new NameIndex(this.orders())
    const players = new ToldPlayers(this.journal.fingerprint)
    const noteRuns = new Set<string>()
    for await (const row of this.journal.rowsSeen('')) {
      const {note, orderNo: text, runId} = row
      // What this run saw it decides by itself.
      if (note === 'webhook taken' && (!this.countsTaken || runId === this.runId)) continue
      if (note) noteRuns.add(runId)
      if (note === 'player') {
        if (runId !== this.runId) players.add(row)
      } else if (note === 'numbers' || note === 'sentence' || note === 'file name') {
        // This run weighs its own words by themselves.
        if (runId === this.runId) continue
        if (note !== 'numbers' && this.own?.isIgnored?.(text) !== true) sentences.push(row)
        for (const {orderNo} of index.find(text, true))
          named.set(orderNo, [...(named.get(orderNo) ?? []), row])
      } else {
        keys.push(...keysOf(row, !this.counts(row) && !this.isLater(row)))
        if (row.anyOrder) unexplained.push(row)
      }
    }
    const told = new Map<string, ToldBy>()
    for (const runId of noteRuns) {
      const {ledger = [], startedAtMs: nowMs = null} = await this.storedRun(runId)
      const {clockSkewMs: skewMs = 0} = readTotals(await this.journal.findTotals(runId)) ?? {}
      const atMs = nowMs === null || skewMs === null ? null : latestNow({nowMs, skewMs})
      const isHere = (sha256: string) => this.own?.files.some((file) => file.sha256 === sha256)
      told.set(runId, {atMs, isReread: ledger.length > 0 && ledger.every(({sha256}) => isHere(sha256))})
    }
    const replaced = new Set<string>()
    const names = new Set(this.own?.files.map(({path}) => basename(path)))
    for (const runId of new Set(unexplained.map((row) => row.runId))) {
      const {ledger = []} = await this.storedRun(runId)
      if (ledger.every(({path}) => names.has(basename(path)))) replaced.add(runId)
    }
    const open: RememberedRow[] = []
    for (const row of unexplained) if (!(await this.isExplained(row, replaced))) open.push(row)
    this.remembered = {
      replaced,
      ...{byKey: Map.groupBy(keys, ({key}) => key), named, sentences, players, told},
      unexplained: new UnexplainedBookings([this.own?.unexplained() ?? [], open], this.lost(), {
        isElsewhere: this.isElsewhere.bind(this),
        statusOf: this.statusOf,
        isSeveral: this.own?.isSeveral === true,
        digest: this.journal.fingerprint,
      }),
    }
    return this.remembered
  }
}

/** Whether this run reads the very files for their words again, without what a person leaves out; a file may have another name. */
function isReread({runId, note}: RememberedRow, told: Remembered['told']): boolean {
  const isOfFile = note !== undefined && note !== 'file name' && note !== 'webhook taken'
  return isOfFile && told.get(runId)?.isReread === true
}

/** When the text was written at the latest: its ledger may end hours before it is read, and old ones are read again. */
function toldUntilMs({runId, ledgerToMs}: RememberedRow, told: Remembered['told']): number {
  const readMs = told.get(runId)?.atMs ?? ledgerToMs
  return Math.max(ledgerToMs, Math.min(readMs, ledgerToMs + dayMs))
}

/** Whether a person has noted since that it is not booked. */
function isDenied({runId, note}: RememberedRow, told: Remembered['told'], deniedMs: number): boolean {
  return note !== undefined && (told.get(runId)?.atMs ?? Number.POSITIVE_INFINITY) < deniedMs
}

const dayMs = 24 * 60 * 60_000

/** A row whose number the service does not know under its kind may be mistyped in its kind. */
function fits({kind, anyOrder}: RememberedRow, kinds: readonly OrderKind[]): boolean {
  return kind === null || anyOrder !== undefined || kinds.includes(kind)
}
