import type {ServiceClient} from '../../api/client.ts'
import {Failure} from '../../core/failure.ts'
import {mayBeOneAmount, type Paisa} from '../../core/money.ts'
import type {ServiceOrder} from '../../core/order.ts'
import {
  differInTry,
  isNumberWithMark,
  isTriedAgain,
  markKeyOf,
  markKeysOf,
  mayBeTwoTries,
} from '../../core/order-no-readings.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'
import {mayBeOnePayee} from '../../journal/payee-key.ts'
import type {RequestRow} from '../../journal/rows.ts'
import {askQuietly} from './confirm.ts'
import type {WhyCredited} from './credited.ts'
import {statusShown} from './doubts.ts'
import {echoOfRow, mayHaveName, nameKeysOf, namePartsOf} from './echo.ts'
import {joinedWith, partsThatMake} from './paid-in-parts.ts'

export type WhyPaidAnew = (
  order: Pick<ServiceOrder, 'kind' | 'orderNo' | 'amount'>,
  /** When it was made, at the earliest; null if nobody knows. */
  madeAtMs: number | null,
  isAnother?: IsAnother,
) => Promise<string | null>

/** Whether what may have taken the place of a failed payout is known to be another one. */
export type IsAnother = (other: RequestRow, isByNumber: boolean) => boolean

/** The earliest time at which a payout was made that is known to have failed then. */
export function madeSince(failedAtMs: number | null): number {
  return (failedAtMs ?? 0) - 72 * 60 * 60_000
}

type PaidAnewJournal = Pick<
  Journal,
  'findRequest' | 'listRequests' | 'fingerprint' | 'numberWithPlatformOrder' | 'recordLook'
>

/**
 * Why the money of a failed payout may have gone out otherwise, as a clause; null if nothing known says so: a person
 * recorded it as paid, or another payout took its place.
 */
export function paidAnewBy(journal: PaidAnewJournal, client: Pick<ServiceClient, 'queryOrder'>): WhyPaidAnew {
  const replacements = replacementsIn(journal, client)
  return async (order, madeAtMs, isAnother) => {
    if (order.kind !== 'payout') return null
    const row = await journal.findRequest('payout', order.orderNo)
    if (row?.isDeclaredMade) return 'a person recorded it as paid'
    const numbers: string[] = []
    for await (const {orderNo, isOfSum} of replacements(order, madeAtMs, isAnother)) {
      if (!isOfSum && numbers.length > 0) break
      numbers.push(escapeInvisible(orderNo, 80))
      if (!isOfSum) break
    }
    return numbers.length === 0 ? null : `it may have been paid anew as ${numbers.join(' and ')}`
  }
}

/** `isOfSum`: its amount is another, because it is one of several parts, or pays others as well. */
type Replacement = RequestRow & {readonly isOfSum?: true}

/**
 * Finds the payouts that may have taken the place of a failed one, and have not failed: by their number, because they
 * replaced it, or by account or name and amount, also in parts or together with other failed ones. Everything that speaks of a failed payout asks here. Numbers with a mark are of
 * other payouts where amount, account and name all differ; two tries need the name too.
 */
export function replacementsIn(journal: PaidAnewJournal, client: Pick<ServiceClient, 'queryOrder'>) {
  let reading: Promise<ReturnType<typeof indexOf>> | undefined
  return async function* (
    {orderNo, amount}: Pick<ServiceOrder, 'orderNo' | 'amount'>,
    madeAtMs: number | null,
    isAnother: IsAnother = () => false,
  ): AsyncGenerator<Replacement> {
    const row = await journal.findRequest('payout', orderNo)
    reading ??= journal.listRequests('payout', Number.MAX_SAFE_INTEGER).then(indexOf)
    const {find, amounts} = await reading
    const sinceMs = row?.intentAtMs ?? madeAtMs ?? Number.POSITIVE_INFINITY
    const marked = find(`marked ${markKeyOf(orderNo)}`).filter((one) =>
      isNumberWithMark(one.orderNo, orderNo),
    )
    const isNear = (other: Paisa | null) => amount !== null && other !== null && mayBeOneAmount(amount, other)
    const later = (
      amount === null ? find('amount null') : amounts.filter(isNear).flatMap((near) => find(`amount ${near}`))
    ).filter((one) => one.claimedAtMs > sinceMs)
    const isOther = (one: RequestRow) =>
      amount !== null && !isNear(one.amount) && !isTriedAgain(one.orderNo, orderNo)
    const isWeighed = later.length > 0 || marked.some(isOther)
    const shares = !isWeighed ? null : row ? signsOf(row) : await signsAtService(orderNo, client, journal)
    const isNamed = (one: RequestRow) =>
      shares?.(one, 'userName') && !isNameOfMany(nameKeysOf(one).flatMap((key) => find(`name ${key}`)))
    // W-501-3 may take the place of W-501-2 under any name, if that one took the place of W-501.
    const isTry = [...markKeysOf(orderNo)]
      .flatMap((key) => find(`number ${key}`))
      .some((one) => one.orderNo !== orderNo && isNumberWithMark(orderNo, one.orderNo))
    const byNumber = new Set([
      ...marked.filter((one) => !isOther(one) || shares?.(one, 'account') || isNamed(one)),
      ...later.filter((one) => (isTry || isNamed(one)) && mayBeTwoTries(one.orderNo, orderNo)),
    ])
    const others = [
      ...byNumber,
      ...find(`repeats ${orderNo}`),
      ...later.filter((one) => shares?.(one, 'account') || isNamed(one)),
    ]
    for (const other of new Set(others)) {
      if (other.orderNo === orderNo || isAnother(other, byNumber.has(other))) continue
      if ((await statusShown(other, client, journal)) !== 'failed') yield other
    }
    if (row === null || amount === null) return
    const ofPayee = [
      ...find(`account ${row.maskedAccount}`),
      ...nameKeysOf(row).flatMap((key) => {
        const named = find(`name ${key}`)
        return isNameOfMany(named) ? [] : named
      }),
    ].filter((one) => one.orderNo !== orderNo && !isAnother(one, false))
    const hasFailed = failuresAt(client, journal)
    for (const one of await inSums(amount, sinceMs, new Set(ofPayee), hasFailed))
      yield {...one, isOfSum: true}
  }
}

/** The parts of which a failed payout was paid, or the one that paid it with others that failed. */
async function inSums(
  amount: Paisa,
  sinceMs: number,
  ofPayee: ReadonlySet<RequestRow>,
  hasFailed: (row: RequestRow) => Promise<boolean>,
): Promise<readonly RequestRow[]> {
  const rows = [...ofPayee]
  const later = rows.filter((one) => one.claimedAtMs > sinceMs)
  for (const parts of partsThatMake(amount, later)) {
    const failures = await Promise.all(parts.map(hasFailed))
    if (!failures.includes(true)) return parts
  }
  for (const {joined, others} of joinedWith(amount, rows, later)) {
    // One that was seen failed by then was paid in it, whatever became of it since.
    const wasFailed = (one: RequestRow) =>
      (one.seenFailedMs ?? Number.POSITIVE_INFINITY) <= joined.claimedAtMs
    const failures = await Promise.all(others.map(async (one) => wasFailed(one) || (await hasFailed(one))))
    if (!failures.includes(false) && !(await hasFailed(joined))) return [joined]
  }
  return []
}

/** Each is asked for once. */
function failuresAt(
  client: Pick<ServiceClient, 'queryOrder'>,
  journal: PaidAnewJournal,
): (row: RequestRow) => Promise<boolean> {
  const asked = new Map<string, Promise<boolean>>()
  return (row) => {
    const answer =
      asked.get(row.orderNo) ?? statusShown(row, client, journal).then((status) => status === 'failed')
    asked.set(row.orderNo, answer)
    return answer
  }
}

/** The numbers that a payout's own number may be with a mark: W-501 of W-501-2, of W-501R and of NEW W-501. */
export function numbersWithoutMark(orderNo: string): string[] {
  const ends = [...orderNo.matchAll(/\p{Nd}(?!\p{Nd})|\p{L}(?!\p{L})/gu)]
  const marked = ends
    .map(({0: {length}, index}) => orderNo.slice(0, index + length))
    .filter((number) => number !== orderNo && isNumberWithMark(orderNo, number))
  const [, behind] = /^\p{L}+[^\p{L}\p{Nd}]+(\p{L}.*\p{Nd}.*)$/u.exec(orderNo) ?? []
  return behind === undefined ? marked : [...marked, behind]
}

/** The payouts that a new one of a number, an amount and a name may be again. All numbers are read once. */
export type SentAs = (
  orderNo: string,
  {amount, maskedAccount}: {readonly amount: Paisa; readonly maskedAccount: string},
  /** The digests of the name (`nameKeys`), and of its words (`namePartKeys`). */
  names: readonly string[],
  parts: readonly string[],
  isOfOneName: (row: RequestRow) => boolean,
) => Promise<{
  /**
   * By their number, of any amount; as another try with the amount and name; or in doubt with both, perhaps less a fee, also
   * where one name is a part of the other.
   */
  readonly alike: readonly RequestRow[]
  /** With nearly the amount, and the name. */
  readonly named: readonly RequestRow[]
  readonly isOfMany: boolean
  /** Those of `named` that were not refused, the newest first; none where the name is that of many. */
  readonly namesakes: readonly RequestRow[]
  /** The same of those that hisab refused because they may be the earlier one, also to what may be the account. */
  readonly refused: readonly {readonly attempt: RequestRow; readonly earlier: RequestRow}[]
}>

export function sentIn(
  journal: Pick<
    Journal,
    'findRequest' | 'payoutsOfName' | 'requestNumbers' | 'requestsInDoubt' | 'refusedPayouts'
  >,
): SentAs {
  let reading: ReturnType<typeof readOnce> | undefined
  const readOnce = async () => {
    const numbers = Map.groupBy(await journal.requestNumbers('payout'), markKeyOf)
    const doubts = (await journal.requestsInDoubt()).filter((row) => row.kind === 'payout')
    const doubtsLike = byKeyOf(doubts, (row) => [
      markKeyOf(row.orderNo),
      ...nameKeysOf(row),
      ...namePartsOf(row),
    ])
    const refused = byKeyOf(await journal.refusedPayouts(), (row) => [
      row.maskedAccount ?? '',
      ...nameKeysOf(row),
    ])
    return {numbers, doubtsLike, refused}
  }
  // A number that was taken for another player's payout is a mistake, and no correction of that one.
  const withEarlier = async (attempt: RequestRow) => {
    const earlier = await journal.findRequest('payout', attempt.repeatsAllowed[0] ?? '')
    if (earlier === null) return []
    const shares = signsOf(earlier)
    return shares(attempt, 'account') || shares(attempt, 'userName') ? [{attempt, earlier}] : []
  }
  return async (orderNo, {amount, maskedAccount}, names, parts, isOfOneName) => {
    reading ??= readOnce()
    const {numbers, doubtsLike, refused} = await reading
    const keys = [...markKeysOf(orderNo)]
    const isIt = (number: string, isOfName: boolean) =>
      isNumberWithMark(orderNo, number, isOfName) || isTriedAgain(orderNo, number)
    const like = keys
      .flatMap((key) => numbers.get(key) ?? [])
      .filter((one) => isIt(one, true) || isIt(one, false))
    // As they are now: another desk may have sent them since the others were read.
    const found = await Promise.all(
      [...new Set([...numbersWithoutMark(orderNo), ...like])].map((one) =>
        journal.findRequest('payout', one),
      ),
    )
    const marked = [...found.filter((row) => row !== null), ...keys.flatMap(doubtsLike)].filter((row) =>
      isIt(row.orderNo, isOfOneName(row)),
    )
    const isNear = (row: RequestRow) => row.amount !== null && mayBeOneAmount(row.amount, amount)
    const isPart = (row: RequestRow) => {
      const others = new Set(namePartsOf(row))
      return others.isSubsetOf(new Set(parts)) || others.isSupersetOf(new Set(parts))
    }
    const ofName = await journal.payoutsOfName(names)
    const tries = ofName.filter((row) => row.amount === amount && differInTry(orderNo, row.orderNo))
    const alike = [
      ...marked,
      ...(isNameOfMany(ofName) ? [] : tries),
      ...names.flatMap(doubtsLike).filter(isNear),
      ...parts.flatMap(doubtsLike).filter((row) => isNear(row) && isPart(row)),
    ]
    const named = ofName.filter((row) => row.orderNo !== orderNo && isNear(row))
    const attempts = await Promise.all([maskedAccount, ...names].flatMap(refused).map(withEarlier))
    return {
      alike: alike.filter((row) => row.orderNo !== orderNo),
      named,
      isOfMany: isNameOfMany(ofName),
      namesakes: isNameOfMany(ofName) ? [] : named.filter((row) => row.state !== 'refused'),
      refused: attempts.flat().filter(({attempt, earlier}) => isNear(attempt) || isNear(earlier)),
    }
  }
}

type ByKey = (key: string) => readonly RequestRow[]

function byKeyOf(rows: readonly RequestRow[], keysOf: (row: RequestRow) => readonly string[]): ByKey {
  const index = Map.groupBy(
    rows.flatMap((row) => keysOf(row).map((key) => ({key, row}))),
    ({key}) => key,
  )
  return (key) => (index.get(key) ?? []).map(({row}) => row)
}

/** The failed payouts whose money went back to the balance after this one was made, perhaps in their place, and why. */
export async function givenBackSince(
  {orderNo, repeatsAllowed, claimedAtMs}: RequestRow,
  whyCredited: WhyCredited,
): Promise<{readonly orderNo: string; readonly why: string}[]> {
  const found: {orderNo: string; why: string}[] = []
  for (const number of new Set([...numbersWithoutMark(orderNo), ...repeatsAllowed])) {
    const credited = await whyCredited(number)
    if ((credited?.takenAtMs ?? 0) > claimedAtMs) found.push({orderNo: number, why: credited?.why ?? ''})
  }
  return found
}

/** Finds payouts that may have been made by what may say that they replaced another one. */
function indexOf(rows: readonly RequestRow[]) {
  const keyed = rows.flatMap((row) =>
    [
      `amount ${row.amount}`,
      `account ${row.maskedAccount}`,
      ...row.repeatsAllowed.map((orderNo) => `repeats ${orderNo}`),
      ...[...markKeysOf(row.orderNo)].map((key) => `marked ${key}`),
      `number ${markKeyOf(row.orderNo)}`,
      ...nameKeysOf(row).map((key) => `name ${key}`),
    ].flatMap((key) => (row.state === 'refused' ? [] : {key, row})),
  )
  const index = Map.groupBy(keyed, ({key}) => key)
  return {
    find: (key: string): readonly RequestRow[] => (index.get(key) ?? []).map(({row}) => row),
    amounts: [...new Set(rows.map(({amount}) => amount))],
  }
}

/** A name of more accounts is that of many people, or of nobody, as `Player`. */
export function isNameOfMany(rows: readonly RequestRow[]): boolean {
  return new Set(rows.map(({maskedAccount}) => maskedAccount)).size > accountsMax
}
const accountsMax = 5

/** Whether another payout has the same payee by one sign. */
type Shares = (other: RequestRow, sign: 'account' | 'userName') => boolean

export function signsOf(
  row: Pick<RequestRow, 'maskedAccount' | 'payeeFingerprint' | 'amount' | 'sentFields'>,
): Shares {
  const {maskedAccount, payeeFingerprint, amount} = row
  const names = new Set(nameKeysOf(row))
  return (other, sign) =>
    sign === 'userName'
      ? nameKeysOf(other).some((key) => names.has(key))
      : other.maskedAccount === maskedAccount &&
        (other.amount !== amount || mayBeOnePayee(other.payeeFingerprint, payeeFingerprint))
}

/** Of a payout that another program sent. */
async function signsAtService(
  orderNo: string,
  client: Pick<ServiceClient, 'queryOrder'>,
  {fingerprint}: Pick<Journal, 'fingerprint'>,
): Promise<Shares> {
  const answer = await askQuietly(client, 'payout', orderNo)
  if (answer instanceof Failure) return () => true
  const raw = answer.found ? answer.raw : {}
  return (other, sign) => {
    const shown = raw[sign]
    if (shown === undefined) return false
    return sign === 'userName'
      ? mayHaveName(other, shown, fingerprint)
      : echoOfRow(other, fingerprint)({[sign]: shown}).differs === null
  }
}
