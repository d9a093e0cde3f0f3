import type {PayoutRequest, PreparedRequest} from '../../api/client.ts'
import {Failure} from '../../core/failure.ts'
import {mayBeOneAmount, type Paisa, sumPaisa} from '../../core/money.ts'
import {corruptionOfNumbers, foldOrderNo} from '../../core/order-no-fold.ts'
import {type OrderNoReadings, readingsOf} from '../../core/order-no-readings.ts'
import {type DuplicatePayout, isOpenDuplicate, refuseOverCeiling} from '../../core/payout-limits.ts'
import {escapeInvisible} from '../../core/text.ts'
import {isInDoubt, isLostAfterShown, type RequestRow} from '../../journal/rows.ts'
import type {PayoutFile, PayoutProblem, PayoutRow} from '../../ledger/read-payouts.ts'
import {makeTogether} from '../orders/paid-in-parts.ts'
import type {InFile} from './repetitions.ts'
import {splitAgain} from './splits.ts'
import {
  countedOf,
  type PayoutTerms,
  payoutOrder,
  type ReviewedPayout,
  type ReviewPorts,
  reviewPayout,
} from './terms.ts'

/**
 * `send`: new, or refused before. `ask_first`: an earlier try is in doubt, so the same bytes are sent only if the
 * service has no such payout. `ask`: accepted before, queried and never sent.
 */
export type PayoutStep = 'send' | 'ask_first' | 'ask'

export interface PlannedPayout extends ReviewedPayout {
  readonly line: number
  readonly step: PayoutStep
  /** The first line of this file with the same account and amount, or in place of the same failed payout, where that is another one. */
  readonly sameAsLine: number | null
}

export interface PayoutPlan {
  readonly file: Pick<PayoutFile, 'path' | 'sha256'>
  /** In the order of the file. */
  readonly payouts: readonly PlannedPayout[]
  /** Its rows of totals, columns that are not read, and what looks damaged in the file though every row can be read. */
  readonly warnings: readonly string[]
}

export interface PayoutPlanPorts extends ReviewPorts {
  readonly prepare: (request: PayoutRequest) => PreparedRequest<'payout'>
  readonly returnUrl: string
  /** The numbers of the file when it was paid before. */
  readonly listedBefore: ReadonlySet<string>
}

const problemsShownMax = 1_000

/**
 * Looks at every row before the first is sent. Throws `input_invalid` naming every bad row by its line, and
 * `payout_over_limit` where what is left to pay is over the day's ceiling.
 */
export async function planPayouts(
  file: PayoutFile,
  terms: PayoutTerms,
  ports: PayoutPlanPorts,
): Promise<PayoutPlan> {
  const problems = [...file.problems, ...repeatedNumbers(file.rows)]
  const payouts: PlannedPayout[] = []
  const lineOfPayee = new Map<string, number>()
  const numbers = new Set(file.rows.map(({outOrderNo}) => outOrderNo))
  const inFile = await rowsBefore(file.rows, ports)
  // What is a row of the file is asked for by itself, if it was sent.
  for (const number of numbers) ports.asked.add(number)
  for (const row of file.rows) {
    const reviewed = await reviewRow(row, terms, ports, inFile)
    if (reviewed instanceof Failure) {
      problems.push({line: row.line, detail: reviewed.message.replace(/[;.] [Nn]othing was sent\.$/, '.')})
      continue
    }
    const {payeeFingerprint, amount} = reviewed.claim
    // A doubt of this file is resolved by it, or stops with it. What was beside the other one from the start is a row of its own.
    const isOwnRow = (one: DuplicatePayout) =>
      one.inPlaceOf === one.orderNo && one.whyGivenBack == null && ports.listedBefore.has(row.outOrderNo)
    const isOther = (one: DuplicatePayout) =>
      (one.amount === amount && !isOwnRow(one) && !one.isNamesake) ||
      one.refusedAs !== undefined ||
      one.wasFailed !== undefined ||
      !numbers.has(one.orderNo)
    const again = await splitInFile(reviewed, payouts, terms.duplicatesSinceMs, ports)
    const duplicates = [...reviewed.duplicates, ...again].filter(isOther)
    // Two rows in the place of one failed payout are a repetition with a corrected account too.
    const payees = [payeeFingerprint, ...reviewed.places]
    const [sameAsLine = partOfLine(reviewed, payouts)] = payees.flatMap(
      (payee) => lineOfPayee.get(payee) ?? [],
    )
    payouts.push({...reviewed, duplicates, line: row.line, step: stepOf(reviewed), sameAsLine})
    for (const payee of payees) if (!lineOfPayee.has(payee)) lineOfPayee.set(payee, row.line)
  }
  if (problems.length > 0) throw badRows(file, problems)
  const open = payouts.filter(({step}) => step !== 'ask')
  const counted = sumPaisa(open.map(({earlier}) => countedOf(earlier)))
  const toPay = sumPaisa(open.map(({claim}) => claim.amount))
  if (open.length > 0) {
    refuseOverCeiling(toPay, (await ports.journal.sumPayouts(terms.dayStartMs)) - counted, terms.dailyCeiling)
  }
  const corruption = corruptionOfNumbers(file.rows.map(({outOrderNo}) => outOrderNo))
  return {file, payouts, warnings: [...file.notes, ...(corruption === null ? [] : [corruption])]}
}

/** Payouts which may pay somebody a second time, as the journal knows, or by this very file: those beside a doubt first. */
export function repeatsOf({payouts}: PayoutPlan): PlannedPayout[] {
  const isBesideDoubt = ({duplicates}: PlannedPayout) => duplicates.some(isOpenDuplicate)
  return payouts
    .filter(
      ({step, duplicates, sameAsLine}) => step !== 'ask' && (duplicates.length > 0 || sameAsLine !== null),
    )
    .sort((a, b) => Number(isBesideDoubt(b)) - Number(isBesideDoubt(a)))
}

/** What this row pays again together with rows before it. */
async function splitInFile(
  {request, claim, larger, duplicates}: ReviewedPayout,
  payouts: readonly PlannedPayout[],
  sinceMs: number,
  ports: PayoutPlanPorts,
): Promise<DuplicatePayout[]> {
  const before = payouts.filter((row) => row.step !== 'ask' && row.request.account === request.account)
  const amounts = before.map((row) => row.claim.amount)
  if (amounts.length === 0) return []
  const found = await splitAgain(claim.amount, larger, amounts, sinceMs, ports)
  return found.filter((one) => duplicates.every(({orderNo}) => orderNo !== one.orderNo))
}

/**
 * The first line that together with this row pays a failed payout that was paid anew; or the first that pays one in parts, where
 * this row pays it whole, and the other way round.
 */
function partOfLine(ownRow: ReviewedPayout, before: readonly PlannedPayout[]): number | null {
  const {request, filled} = ownRow
  for (const {failed, amount, parts, isFilled, isToAccount} of filled) {
    const placeIn = (row: ReviewedPayout) => row.filled.find((place) => place.failed === failed)
    const rows = before.filter((row) => row.step !== 'ask' && placeIn(row))
    const isWhole = (row: ReviewedPayout) => mayBeOneAmount(row.claim.amount, amount)
    const isLast = (row: ReviewedPayout, sent: readonly Paisa[]) => {
      const others = rows.filter((one) => one.request.account === row.request.account && one !== row)
      return makeTogether(row.claim.amount, [...sent, ...others.map((one) => one.claim.amount)], amount)
    }
    const toAccount = rows.filter((row) => row.request.account === request.account)
    const wholes = rows.filter(isWhole)
    // Of two namesakes one may be the payee of the failed one, but not where neither has its account.
    const isOneOfTwo = (row: ReviewedPayout) => !isToAccount && !placeIn(row)?.isToAccount
    const found = isFilled
      ? isLast(ownRow, parts) && toAccount
      : isWhole(ownRow)
        ? rows.filter((row) => (isWhole(row) ? isOneOfTwo(row) : isLast(row, placeIn(row)?.parts ?? [])))
        : isLast(ownRow, parts) && wholes
    if (found && found.length > 0) return found[0]?.line ?? null
  }
  return null
}

/** What the journal has of the rows of a file that was paid before, under whatever name. */
async function rowsBefore(
  rows: readonly PayoutRow[],
  {journal, listedBefore}: Pick<PayoutPlanPorts, 'journal' | 'listedBefore'>,
): Promise<InFile> {
  const numbers = new Set(rows.map(({outOrderNo}) => outOrderNo))
  const find = (number: string) => journal.findRequest('payout', number)
  const known = new Map(await Promise.all([...numbers].map(async (one) => [one, await find(one)] as const)))
  const timesOf = (found: Iterable<RequestRow | null>) =>
    [...found].flatMap((row) => (row === null ? [] : row.claimedAtMs)).sort((a, b) => a - b)
  const times = timesOf(known.values())
  const [first = Number.POSITIVE_INFINITY, last = 0] = [times[0], times.at(-1)]
  const isLeftOut = ({orderNo, claimedAtMs}: RequestRow) =>
    !numbers.has(orderNo) && claimedAtMs >= first - besideMs && claimedAtMs <= last + besideMs
  // The row that was sent may have been taken out of the file since: its result has it beside those that were not.
  const isContinued = [...numbers].some((number) => listedBefore.has(number))
  const [firstListed] = isContinued
    ? timesOf(await Promise.all([...listedBefore].map(async (one) => known.get(one) ?? (await find(one)))))
    : []
  const sentSinceMs = (orderNo: string) => {
    const since = [first, listedBefore.has(orderNo) ? firstListed : undefined].filter(
      (ms) => ms !== undefined,
    )
    const ms = Math.min(...since)
    return Number.isFinite(ms) ? ms : null
  }
  const unpaid = rows.flatMap(({outOrderNo: orderNo, account, amount}) => {
    const row = known.get(orderNo) ?? null
    return row === null || row.state === 'refused' || isInDoubt(row) ? [{orderNo, account, amount}] : []
  })
  const byAccount = Map.groupBy(unpaid, ({account}) => account)
  return {isLeftOut, numbers, sentSinceMs, unpaidTo: (account) => byAccount.get(account) ?? []}
}

/** Payouts of one file are sent one after the other. */
const besideMs = 60_000

/** A row as it is to be sent and what is remembered of it, or why it cannot be. */
async function reviewRow(
  {line: _, ...row}: PayoutRow,
  terms: PayoutTerms,
  ports: PayoutPlanPorts,
  inFile: InFile,
): Promise<ReviewedPayout | Failure> {
  try {
    const order = await payoutOrder(
      {...row, returnUrl: ports.returnUrl},
      ports.prepare,
      ports.journal,
      terms.nowMs,
    )
    return await reviewPayout(order, terms, ports, inFile)
  } catch (error) {
    if (error instanceof Failure && error.exitStatus === 2) return error
    throw error
  }
}

function stepOf({earlier}: ReviewedPayout): PayoutStep {
  if (earlier === null || earlier.state === 'refused') return 'send'
  return earlier.state === 'accepted' || isLostAfterShown(earlier) ? 'ask' : 'ask_first'
}

function badRows({path, rows}: PayoutFile, problems: readonly PayoutProblem[]): Failure {
  const sorted = [...problems].sort((a, b) => a.line - b.line)
  const lines = sorted.slice(0, problemsShownMax).map(({line, detail}) => `\n  line ${line}: ${detail}`)
  const more = sorted.length - lines.length
  const badLines = new Set(sorted.map(({line}) => line))
  const count = new Set([...badLines, ...rows.map(({line}) => line)]).size
  return new Failure(
    'input_invalid',
    `${escapeInvisible(path)}: ${badLines.size} of ${count} rows cannot be paid. Nothing was sent.${lines.join('')}${more > 0 ? `\n and ${more} more` : ''}`,
    'Correct these rows and run it again. hisab pays no row while one is bad.',
  )
}

interface ReadRow extends OrderNoReadings {
  readonly row: PayoutRow
  readonly fold: string
}

/**
 * Rows that have one number, or two that are one but for their spelling; where two pay the same, also those whose
 * numbers may be one to a spreadsheet or a hand. Numbers of one series are none of these: those that differ in their
 * digits alone, and a long number that several others are when they are rounded.
 */
function repeatedNumbers(rows: readonly PayoutRow[]): PayoutProblem[] {
  const read = rows.map((row) => ({row, fold: foldOrderNo(row.outOrderNo), ...readingsOf(row.outOrderNo)}))
  const byReading = Map.groupBy(
    read.flatMap((one) => [...one.is].map((reading) => ({...one, reading}))),
    ({reading}) => reading,
  )
  const pairs: [PayoutRow, PayoutRow][] = []
  const roundedTo = new Map<PayoutRow, Set<PayoutRow>>()
  for (const one of read) {
    for (const reading of one.becomes) {
      const others = byReading.get(reading) ?? []
      const other = others.find((two) => two.row !== one.row && mayBeOneRow(one, two))
      if (other) pairs.push([one.row, other.row])
      const rounded = one.is.has(reading) ? undefined : others.find(({row}) => paysTheSame(row, one.row))
      if (rounded) roundedTo.set(rounded.row, (roundedTo.get(rounded.row) ?? new Set()).add(one.row))
    }
  }
  for (const [row, [only, ...more]] of roundedTo) if (only && more.length === 0) pairs.push([row, only])
  return problemsOf(pairs)
}

function mayBeOneRow(one: ReadRow, other: ReadRow): boolean {
  if (one.fold === other.fold) return true
  return paysTheSame(one.row, other.row) && shapeOf(one.row) !== shapeOf(other.row)
}

function paysTheSame(one: PayoutRow, other: PayoutRow): boolean {
  return one.account === other.account && one.amount === other.amount
}

function shapeOf({outOrderNo}: PayoutRow): string {
  return outOrderNo.replace(/\d+/g, '0')
}

function problemsOf(pairs: readonly (readonly [PayoutRow, PayoutRow])[]): PayoutProblem[] {
  const problems = new Map<number, PayoutProblem>()
  for (const [one, other] of pairs) {
    const [first, second] = other.line < one.line ? [other, one] : [one, other]
    problems.set(second.line, {line: second.line, detail: repeatedNumber(first, second)})
  }
  return [...problems.values()]
}

function repeatedNumber(first: PayoutRow, {outOrderNo}: PayoutRow): string {
  const number = `out_order_no "${escapeInvisible(outOrderNo, 40)}"`
  return first.outOrderNo === outOrderNo
    ? `${number} is already on line ${first.line}.`
    : `${number} may be the number "${escapeInvisible(first.outOrderNo, 40)}" of line ${first.line}, changed by a spreadsheet.`
}
