import type {MeasuredTime} from '../core/clocks.ts'
import type {Paisa} from '../core/money.ts'
import type {OrderKind, RequestState} from '../core/order.ts'
import type {AccountNote, DroppedRow} from './account-memory.ts'
import type {EvidenceChain} from './evidence.ts'
import type {ItemRegister, RunHistory} from './memory-rows.ts'
import type {Fingerprint} from './payee-key.ts'
import type {ResendDoubts} from './resend-doubts.ts'
import type {ResendHistory} from './resends.ts'
import type {
  Claim,
  NewResend,
  NewRun,
  NumberClaim,
  Payee,
  PayeeKeys,
  PayoutGuard,
  RequestLook,
  RequestOutcome,
  RequestRow,
  ResendClaim,
  ResendRow,
  ResendRowState,
  ResendUpdate,
  Resolution,
  RunEnd,
  RunRow,
} from './rows.ts'
import type {SignOffs} from './sign-offs.ts'
import type {NumberTrace} from './trace.ts'

/**
 * What was done for one account: runs, resends and creates, each written before it was sent (P3).
 *
 * Every writing method is on the disk when it returns. Rows are never deleted, but for what only saves asking again. Failures: `storage_failed`
 * where the disk said no (then nothing may be sent, P16), `locked` where another
 * process kept the file busy, `bug` for a move that no resend or request may make.
 */
export interface Journal extends RunHistory, ItemRegister, SignOffs, EvidenceChain, ResendDoubts {
  startRun(run: NewRun): Promise<void>
  /** Marks an earlier run as running again, for `--resume`. */
  resumeRun(id: string): Promise<void>
  finishRun(id: string, end: RunEnd): Promise<void>
  findRun(id: string): Promise<RunRow | null>
  /** Newest first. */
  listRuns(rowsMax: number): Promise<RunRow[]>

  /**
   * Claims the resend of an order's event; its intent is synced when this returns. Refused where any run resent the same
   * less than 8 hours ago or left it in doubt, but for the overrides of the intent. Throws `bug` for a second one in
   * the run (P4).
   */
  claimResend(intent: NewResend, time: MeasuredTime): Promise<ResendClaim>
  recordResendOutcome(id: number, state: ResendRowState, outcome: ResendUpdate): Promise<void>
  resendsOfRun(runId: string): Promise<ResendRow[]>
  /** All resends, or those of an order number, for planning. Only `claimResend` decides. */
  resendHistory(orderNo?: string): Promise<ResendHistory>

  /**
   * Claims a number before it is sent (P2). Throws `number_reused` where the journal has it with another
   * digest. With the same digest the request may be sent again: the same number, the same bytes (P1).
   *
   * A payout's `guard` is checked in the same transaction, unless the number was accepted before. Throws
   * `payout_over_limit`, `payout_repeated`.
   */
  claimNumber(claim: NumberClaim, guard?: PayoutGuard): Promise<Claim>
  /** What the journal has of a number, without claiming it. Throws `number_reused` as `claimNumber` does. */
  checkNumber(
    asked: Pick<NumberClaim, 'kind' | 'orderNo' | 'bodyDigest' | 'intentDigest'>,
  ): Promise<RequestRow | null>
  /** What recognises an account and an amount, or another field, again without telling it. */
  readonly fingerprint: Fingerprint
  /** Payouts to the account under another number, of nearly the amount, or in doubt with any; oldest first. Refused ones are none. */
  payoutsTo(payee: Payee): Promise<RequestRow[]>
  /** Keeps a payout that hisab refused because it may be an earlier one, by number, that was made. Nothing counts it as sent. */
  recordRefused(claim: NumberClaim, earlier: string): Promise<void>
  /** Those that were not made after all; `repeatsAllowed` has the number of the earlier one. */
  refusedPayouts(): Promise<RequestRow[]>
  /** The sum of payouts claimed since then. What is in doubt counts, what was refused does not. */
  sumPayouts(sinceMs: number): Promise<Paisa>
  /** How far the service's clock is ahead of this machine's, as an answer shows. */
  recordSkew(skewMs: number): Promise<void>
  /** The last one recorded; null where the clock is right (P19), or none was measured. */
  lastSkew(): Promise<number | null>
  /** The merchant's daily ceiling after `stated` was stated; null where none ever was. */
  stateCeiling(stated: Paisa | null, nowMs: number): Promise<Paisa | null>
  recordRequestOutcome(id: number, state: RequestState, outcome: RequestOutcome): Promise<void>
  /** The result of a query of an accepted order. A contradiction stays, whatever later queries return. */
  recordLook(id: number, look: RequestLook): Promise<void>
  /** Another number of the kind that has this `platformOrderNo`, and is not in doubt for it. */
  numberWithPlatformOrder(kind: OrderKind, orderNo: string, platformOrderNo: string): Promise<string | null>
  /** Creates with unknown outcome, of both kinds and any age, oldest first (P6). */
  requestsInDoubt(): Promise<RequestRow[]>
  /** The last numbers used of a kind, newest first. */
  listRequests(kind: OrderKind, rowsMax: number): Promise<RequestRow[]>
  /** What recognises the accounts of the last payouts, of about so many creates. */
  payeesOfLast(count: number): Promise<string[]>
  /** The payouts to a name with one of these digests, newest first. */
  payoutsOfName(keys: readonly string[]): Promise<RequestRow[]>
  /** Keeps that the service showed a payout of this journal as failed; the first time counts. */
  recordSeenFailed(orderNo: string, atMs: number): Promise<void>
  /** Keeps that the service showed a payout of this journal as completed; the first time counts. */
  recordSeenCompleted(orderNo: string, atMs: number): Promise<void>
  /**
   * The payouts to an account or a name, or of these numbers, oldest first. One of the three is given. Refused ones are among
   * those that counted as not paid, and are none else.
   */
  payoutsOfPayee(payee: PayeeKeys, isSeenFailed: boolean): Promise<RequestRow[]>
  /** Numbers of the payouts to accounts and names of which one counted as not paid. */
  payoutsBesideFailed(): Promise<string[]>
  /** The payouts that were sent on somebody's word beside this one. */
  payoutsAllowedBeside(orderNo: string): Promise<RequestRow[]>
  /** All numbers used of a kind. */
  requestNumbers(kind: OrderKind): Promise<string[]>
  /** The payouts that failed, each with one that was sent in its place. */
  replacedPayouts(): Promise<{readonly failed: string; readonly anew: string}[]>
  /**
   * Ends a doubt by a person's decision, or undoes the opposite one. Throws `usage` if there is none, `locked` while
   * any process is sending a create: it may be this one.
   */
  resolveRequest(request: Pick<RequestRow, 'id' | 'kind'>, resolution: Resolution): Promise<void>
  /** Whether an order was ever found at this address (A5). */
  knewAnOrder(address: string): Promise<boolean>
  recordKnewAnOrder(address: string, atMs: number): Promise<void>
  findRequest(kind: OrderKind, orderNo: string): Promise<RequestRow | null>
  /** All that was sent about a number, whatever it is the number of. */
  trace(number: string): Promise<NumberTrace>

  /**
   * A person states that the profile's addresses are this account's. Returns the other environments that know one, or
   * are a second journal beside the one that begins here.
   */
  linkAddresses(): Promise<{readonly environment: string; readonly isShared: boolean}[]>
  /** Notes of a person about the account. */
  addNote(note: AccountNote): Promise<void>
  /** Journals that versions before kept by the name of a profile, and that were taken over just now. */
  readonly merged: readonly string[]
  /** Their rows that were not kept, because another of the same number was. */
  readonly dropped: readonly DroppedRow[]

  close(): Promise<void>
}
