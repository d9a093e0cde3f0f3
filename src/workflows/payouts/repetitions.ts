import type {PayoutRequest, PreparedRequest} from '../../api/client.ts'
import {mayBeOneAmount, type Paisa} from '../../core/money.ts'
import {differInTry, isNumberWithMark, isTriedAgain} from '../../core/order-no-readings.ts'
import {type DuplicatePayout, duplicateWindowMs, isOpenDuplicate} from '../../core/payout-limits.ts'
import {repeatsAmong} from '../../journal/requests.ts'
import {isInDoubt, type Payee, type RequestRow} from '../../journal/rows.ts'
import {statusShown} from '../orders/doubts.ts'
import {fieldsToKeep, mayHaveName, nameKeys, nameKeysOf, namePartKeys} from '../orders/echo.ts'
import {
  type IsAnother,
  numbersWithoutMark,
  replacementsIn,
  type SentAs,
  signsOf,
} from '../orders/paid-anew.ts'
import {seeEnds} from './earlier-ends.ts'
import {type FailedPayout, failedElsewhere, lastPaidTo, type RepetitionPorts} from './earlier-payouts.ts'
import {failedNoMore} from './failed-no-more.ts'
import {failedOfName, openNamesakes} from './namesakes.ts'
import {besideAccount} from './own-account.ts'
import {paidInOwnPlace, type UnpaidRow} from './paid-since.ts'
import {fillsPlaces, type PlaceFilled} from './places-filled.ts'
import {joinedAgain, type LargerPayout, largerAmong, splitAgain} from './splits.ts'
import {statusNow} from './status-now.ts'

export interface Repetitions {
  /**
   * Payouts which this one may repeat: of the last 24 hours, and of any age those in doubt and those whose number may
   * be this one, and the last one to the account while it is open. Also those that took the place of a failed payout, as this one would, and the one whose number this is
   * with a mark or in another spelling, if it may still be paid or its money may be back. Those in doubt are first.
   */
  readonly duplicates: readonly DuplicatePayout[]
  /** Such payouts which have failed at the service: this one replaces them. */
  readonly failed: readonly FailedPayout[]
  /**
   * Others that have failed, and whose place nothing took yet: longer ago, or to another account of the name. This one is
   * remembered as theirs.
   */
  readonly failedBefore: readonly string[]
  /** The numbers of failed ones, those of earlier ones to the account too: two payouts in one place are a repetition. */
  readonly places: readonly string[]
  /** Failed ones of a larger amount that were paid anew: with others of the file this one may pay them again. */
  readonly filled: readonly PlaceFilled[]
  /** Larger ones to the account, which this one may pay again with others of the file. */
  readonly larger: readonly LargerPayout[]
}

/** A payout that is about to be sent. */
interface PayoutToWeigh {
  readonly request: Pick<PayoutRequest, 'userName' | 'account'>
  readonly prepared: PreparedRequest<'payout'>
  readonly claim: Required<Omit<Payee, 'orderNo'>> & {readonly amount: Paisa; readonly maskedAccount: string}
}

/** What is known of the file of a payout. */
export interface InFile {
  /** Its rows: they take the place of none of its rows. */
  readonly numbers: ReadonlySet<string>
  /** Whether an earlier payout was a row of this file, and is none now. */
  readonly isLeftOut: (row: RequestRow) => boolean
  /** When the first row of its file was sent: since then a row that was not may have been paid otherwise. Null if none was. */
  readonly sentSinceMs: (orderNo: string) => number | null
  /** Its rows to an account that were never sent, were refused or are in doubt: somebody may have paid several of them as one. */
  readonly unpaidTo: (account: string) => readonly UnpaidRow[]
}

/** What a payout may repeat. `sinceMs`: repetitions count from then on, others at any age. */
export async function repetitionsOf(
  payout: PayoutToWeigh,
  sinceMs: number,
  ports: RepetitionPorts,
  file: InFile | null = null,
): Promise<Repetitions> {
  return await new RepetitionSearch(payout, sinceMs, ports, file).find()
}

/** Looks for earlier payouts in one place after the other. Each weighs what it finds; what was weighed is not weighed again. */
class RepetitionSearch {
  private readonly orderNo: string
  private readonly userName: string
  private readonly account: string
  private readonly claim: PayoutToWeigh['claim']
  private readonly prepared: PreparedRequest<'payout'>
  private readonly sinceMs: number
  private readonly ports: RepetitionPorts
  private readonly file: InFile | null
  private readonly names: readonly string[]
  readonly isToAccount: ReturnType<typeof besideAccount>['isToAccount']
  readonly mayBeOneAccount: ReturnType<typeof besideAccount>['mayBeOneAccount']
  readonly likenessOf: ReturnType<typeof besideAccount>['likenessOf']
  private readonly duplicates: DuplicatePayout[] = []
  private readonly failed: FailedPayout[] = []
  /** Others that counted as not paid, by number. */
  private readonly notPaid: RequestRow[] = []

  constructor(
    {prepared, claim, request}: PayoutToWeigh,
    sinceMs: number,
    ports: RepetitionPorts,
    file: InFile | null,
  ) {
    this.orderNo = prepared.orderNo
    this.prepared = prepared
    this.userName = request.userName
    this.account = request.account
    this.claim = claim
    const {isToAccount, mayBeOneAccount, likenessOf} = besideAccount(claim)
    this.isToAccount = isToAccount
    this.mayBeOneAccount = mayBeOneAccount
    this.likenessOf = likenessOf
    this.sinceMs = sinceMs
    this.ports = ports
    this.file = file
    this.names = nameKeys(request.userName, ports.journal.fingerprint)
  }

  async find(): Promise<Repetitions> {
    const {orderNo, claim, userName, names, ports} = this
    const paidTo = await ports.journal.payoutsTo({orderNo, ...claim})
    const parts = namePartKeys(userName, ports.journal.fingerprint)
    const repeats = repeatsAmong(paidTo, {orderNo, ...claim}, this.sinceMs)
    for (const row of repeats) await this.weigh(row)
    const {alike, named, namesakes, refused, isOfMany} = await ports.sentAs(
      orderNo,
      claim,
      names,
      parts,
      this.isOfName,
    )
    const known = new Set(repeats.map((row) => row.orderNo))
    await this.weighOthers([...alike, ...named.filter((row) => this.isLeftOut(row))], known)
    await this.weighRefused(refused)
    for (const number of numbersWithoutMark(orderNo))
      if (!known.has(number)) this.failed.push(...(await failedElsewhere(number, claim.amount, ports)))
    const payee = {maskedAccount: claim.maskedAccount, names: isOfMany ? [] : names}
    const isOfNumber = (row: RequestRow) => this.isAgain(row) || this.isSurely(row)
    const marked = alike.filter(isOfNumber)
    await seeEnds({...claim, orderNo}, marked, payee, this.isOfPayee, this.sinceMs, ports)
    for (const row of await this.paidInOwnPlace()) this.addIfNew(row)
    const numbers = [orderNo, ...numbersWithoutMark(orderNo)]
    const counted = () => ports.journal.payoutsOfPayee({...payee, numbers}, true)
    const refusedTo = (await counted()).filter((row) => row.state === 'refused' && this.isNearTo(row))
    const last = await this.addLast([...paidTo, ...refusedTo])
    const before = [...new Map([...last, ...this.notPaid].map((row) => [row.orderNo, row])).values()]
    const open = await this.addReplacements(before, alike)
    const elsewhere = await failedOfName(isOfMany ? [] : named, this.isToAccount, ports)
    // With those that were just seen failed.
    const notPaid = await counted()
    await this.addFailedNoMore(marked, named, notPaid)
    const {held, filled} = await fillsPlaces({...claim, orderNo}, payee, notPaid, this, this.sinceMs, ports)
    const larger = await this.splitOrJoined()
    for (const row of [
      ...held,
      ...larger.held,
      ...(await openNamesakes(namesakes, claim.amount, this.isToAccount, ports)),
    ])
      this.addIfNew(row)
    return {
      duplicates: this.duplicates.sort((a, b) => Number(isOpenDuplicate(b)) - Number(isOpenDuplicate(a))),
      failed: this.failed,
      failedBefore: [...open, ...elsewhere].map((row) => row.orderNo),
      places: [...this.failed, ...before].map((row) => row.orderNo),
      filled,
      larger: larger.larger,
    }
  }

  private isLeftOut(row: RequestRow): boolean {
    return this.file?.isLeftOut(row) ?? false
  }

  private readonly isOfName = (row: RequestRow) =>
    mayHaveName(row, this.userName, this.ports.journal.fingerprint)

  /** Of another number, to the account, with nearly the amount. */
  private isNearTo(row: RequestRow): boolean {
    const {amount} = row
    const isNear = amount !== null && mayBeOneAmount(amount, this.claim.amount)
    return isNear && row.orderNo !== this.orderNo && this.isToAccount(row)
  }

  readonly isOfPayee = (row: RequestRow) => this.isToAccount(row) || this.isOfName(row)

  private addIfNew(row: DuplicatePayout): void {
    const {orderNo, duplicates} = this
    if (row.orderNo !== orderNo && duplicates.every((one) => one.orderNo !== row.orderNo))
      duplicates.push(row)
  }

  /** By the number. To one account the next number may be the next week's. */
  private isAgain(row: RequestRow): boolean {
    return (
      isNumberWithMark(this.orderNo, row.orderNo, true) ||
      (differInTry(this.orderNo, row.orderNo) && !this.isToAccount(row))
    )
  }

  private isSurely(row: RequestRow): boolean {
    return isTriedAgain(this.orderNo, row.orderNo) || this.isLeftOut(row)
  }

  private isOfAmount(row: RequestRow): boolean {
    const {amount} = this.claim
    if (row.amount === amount || isInDoubt(row) || this.isSurely(row)) return true
    return row.amount !== null && mayBeOneAmount(row.amount, amount) && this.isOfPayee(row)
  }

  private async weigh(
    row: RequestRow,
    inPlace?: Pick<DuplicatePayout, 'inPlaceOf' | 'isToAccount' | 'refusedAs'>,
  ): Promise<void> {
    const {client, journal} = this.ports
    this.ports.asked.add(row.orderNo)
    const status = await statusShown(row, client, journal)
    const isRefused = (inPlace?.refusedAs?.claimedAtMs ?? Number.NEGATIVE_INFINITY) >= this.sinceMs
    // What is paid under a number like this one to another account may be another player's.
    const isOthers =
      inPlace && !isRefused && !this.isSurely(row) && !(this.isAgain(row) && this.isOfPayee(row))
    if (status === 'failed') await this.replace(row)
    else if (status !== 'completed' || !isOthers) this.duplicates.push({...row, ...inPlace})
  }

  private async replace(row: RequestRow): Promise<void> {
    const credited = await this.ports.whyCredited(row.orderNo)
    this.failed.push({...row, whyGivenBack: credited?.why ?? null})
  }

  /** By number or name. */
  private async weighOthers(rows: readonly RequestRow[], known: Set<string>): Promise<void> {
    for (const row of rows) {
      if (known.has(row.orderNo)) continue
      known.add(row.orderNo)
      const isIt = this.isOfAmount(row) && (this.isAgain(row) || this.isSurely(row) || !this.isToAccount(row))
      const isSplit = isNumberWithMark(this.orderNo, row.orderNo) && this.isOfPayee(row)
      if (!isIt && !isSplit) continue
      // A part of one that failed takes its place with others, and is none by itself.
      const hasFailed = async () => (await statusNow(row, this.ports)) === 'failed'
      if (row.state === 'refused') this.notPaid.push(...(isIt && (await hasFailed()) ? [row] : []))
      else if (isIt || !(await hasFailed()))
        await this.weigh(row, {inPlaceOf: row.orderNo, isToAccount: this.isToAccount(row)})
    }
  }

  /** Those of which this one is a part under another number, or that it pays together. */
  private async splitOrJoined(): Promise<{held: DuplicatePayout[]; larger: LargerPayout[]}> {
    const {orderNo, claim, sinceMs, ports} = this
    const rows = await ports.journal.payoutsOfPayee({maskedAccount: claim.maskedAccount, names: []}, false)
    const toAccount = rows.filter((row) => row.orderNo !== orderNo && this.isToAccount(row))
    const larger = largerAmong(claim.amount, toAccount)
    const split = await splitAgain(claim.amount, larger, [], sinceMs, ports)
    return {held: [...split, ...(await joinedAgain(claim.amount, toAccount, ports))], larger}
  }

  /** What was paid since this very number was refused, fell in doubt, or was left unsent by a run of its file. */
  private async paidInOwnPlace(): Promise<DuplicatePayout[]> {
    const {orderNo, account, claim, prepared, file, ports} = this
    const {isToAccount, mayBeOneAccount} = this
    const own = {
      ...claim,
      orderNo,
      sentFields: fieldsToKeep(prepared, ports.journal.fingerprint),
      isToAccount,
      mayBeOneAccount,
    }
    const others = file?.unpaidTo(account) ?? []
    const sentSinceMs = file?.sentSinceMs(orderNo) ?? null
    return await paidInOwnPlace(own, {numbers: file?.numbers ?? new Set(), others, sentSinceMs}, ports)
  }

  /** Earlier ones that an attempt was refused for, where this is that attempt under another number. */
  private async weighRefused(refused: Awaited<ReturnType<SentAs>>['refused']): Promise<void> {
    const {orderNo} = this
    for (const {earlier: row, attempt} of refused) {
      // The very same payout again is weighed as it is now.
      if (attempt.orderNo === orderNo && attempt.intentDigest === this.prepared.intentSha256) continue
      // A wrong account, corrected under its own number.
      if (attempt.orderNo === orderNo && !this.isOfPayee(row)) continue
      const isAttempt =
        this.isToAccount(attempt) || nameKeysOf(attempt).some((key) => this.names.includes(key))
      const isWeighed = [...this.duplicates, ...this.failed].some((one) => one.orderNo === row.orderNo)
      if (isWeighed || row.orderNo === orderNo || row.state === 'refused' || !isAttempt) continue
      const isToAccount = this.isToAccount(row)
      await this.weigh(row, {inPlaceOf: row.orderNo, isToAccount, refusedAs: attempt})
    }
  }

  /** The last one to the account, at any age; returns earlier ones that failed longer ago. */
  private async addLast(paidTo: readonly RequestRow[]): Promise<RequestRow[]> {
    const weighed = new Set([...this.duplicates, ...this.failed].map((row) => row.orderNo))
    const last = await lastPaidTo(paidTo, this.claim.amount, weighed, this.sinceMs, this.ports)
    this.duplicates.push(...last.held)
    const isRecent = (row: RequestRow) => row.claimedAtMs >= this.sinceMs && row.state !== 'refused'
    for (const row of last.failed.filter(isRecent)) await this.replace(row)
    return last.failed.filter((row) => !isRecent(row))
  }

  /** What took the place of a failed one; and the failed one itself, if its money went back. Returns those of `before` whose place nothing took. */
  private async addReplacements(
    before: readonly RequestRow[],
    alike: readonly RequestRow[],
  ): Promise<RequestRow[]> {
    const {orderNo, claim, duplicates, ports} = this
    const replacements = replacementsIn(ports.journal, ports.client)
    const open: RequestRow[] = []
    for (const row of [...this.failed, ...before]) {
      const {orderNo: inPlaceOf, amount, intentAtMs} = row
      const found: DuplicateRow[] = []
      const failed = await ports.journal.findRequest('payout', inPlaceOf)
      const isAnother = failed === null ? undefined : this.isAnotherThan(failed)
      const failedAs = failed === null ? {} : {failedAs: this.likenessOf(failed)}
      for await (const other of replacements({orderNo: inPlaceOf, amount}, intentAtMs, isAnother)) {
        const isNear = other.amount !== null && mayBeOneAmount(other.amount, claim.amount)
        const isIt = isNear || other.isOfSum || isTriedAgain(other.orderNo, inPlaceOf)
        if (other.orderNo !== orderNo && isIt) found.push(other)
      }
      const isBefore = !('whyGivenBack' in row)
      if (isBefore && found.length === 0) open.push(row)
      if (isBefore && (await this.isSettled(row, found))) continue
      for (const other of found) {
        const known = duplicates.findIndex((one) => one.orderNo === other.orderNo)
        if (known >= 0 && duplicates[known]?.inPlaceOf !== other.orderNo) continue
        duplicates.splice(known < 0 ? duplicates.length : known, 1, {...other, inPlaceOf, ...failedAs})
      }
      const isMarked = isNumberWithMark(orderNo, inPlaceOf) || alike.some((one) => one.orderNo === inPlaceOf)
      if (isMarked && 'whyGivenBack' in row && row.whyGivenBack !== null) duplicates.push({...row, inPlaceOf})
    }
    return open
  }

  /** Payouts of other people, whose accounts have the visible digits of a failed one's. */
  private isAnotherThan(failed: RequestRow): IsAnother {
    const shares = signsOf(failed)
    return (other, isByNumber) =>
      !isByNumber &&
      !other.repeatsAllowed.includes(failed.orderNo) &&
      !shares(other, 'userName') &&
      !this.mayBeOneAccount(failed, other)
  }

  /**
   * Whether a failed one was paid to its account more than a day ago, and this one has another amount: more than the failed
   * one, or also less where that was paid whole. Five days after a query first showed it completed, to whatever account of his, the
   * same amount is the next week's wage, unless its number is that one's; until it is completed, nobody knows that the player has it.
   */
  private async isSettled(failed: RequestRow, found: readonly DuplicateRow[]): Promise<boolean> {
    const {claim, orderNo, ports} = this
    if (failed.amount === null) return false
    const isSame = claim.amount === failed.amount
    if (isSame && isNumberWithMark(orderNo, failed.orderNo, true)) return false
    const beforeMs = this.sinceMs - (isSame ? 4 * duplicateWindowMs : 0)
    for (const one of found) {
      // Of one that neither repeats nor replaces another only the sending is kept.
      const isCounted = isSame && one.repeatsAllowed.length > 0
      const paidMs = isCounted ? one.seenCompletedMs : one.claimedAtMs
      const isPaidToHim = isSame ? this.isOfPayee(one) : this.isToAccount(one)
      const isPaid = !one.isOfSum && isPaidToHim && paidMs !== null && paidMs < beforeMs
      const isOther = claim.amount >= failed.amount || one.amount === failed.amount
      if (isPaid && isOther && (await statusShown(one, ports.client, ports.journal)) === 'completed')
        return true
    }
    return false
  }

  /** Those that counted as not paid, and may have been paid after all. `alike`: by their number; `named`: of nearly the amount. */
  private async addFailedNoMore(
    alike: readonly RequestRow[],
    named: readonly RequestRow[],
    notPaid: readonly RequestRow[],
  ): Promise<void> {
    const {orderNo, claim, sinceMs, duplicates, ports} = this
    // Nobody knows whose a name of many is: of what was refused to it, the last ones are looked at all the same.
    const refused = named.filter((row) => row.state === 'refused').slice(0, refusedMax)
    const rows = new Map([...notPaid, ...refused].map((row) => [row.orderNo, row]))
    const ofPayee = [...rows.values()].filter((row) => row.orderNo !== orderNo && this.isOfPayee(row))
    const mayBe = alike.filter((row) => this.isOfAmount(row) || this.isOfPayee(row))
    for (const row of await failedNoMore(claim.amount, ofPayee, mayBe, sinceMs, ports)) {
      const known = duplicates.findIndex((one) => one.orderNo === row.orderNo)
      if (known >= 0) duplicates.splice(known, 1)
      duplicates.unshift(row)
    }
  }
}

/** The last ones that were refused. */
const refusedMax = 3

type DuplicateRow = RequestRow & Pick<DuplicatePayout, 'isOfSum'>
