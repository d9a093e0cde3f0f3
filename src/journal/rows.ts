import type {Paisa} from '../core/money.ts'
import type {DeliveryStatus, OrderKind, RequestState} from '../core/order.ts'
import type {Ignore} from '../core/reconcile/ignore.ts'

/** One run of `reconcile` or `resend`. A run found `running` while nobody holds the lock was killed. */
export interface RunRow {
  readonly id: string
  readonly command: 'reconcile' | 'resend'
  readonly merchantId: string
  readonly startedAtMs: number
  readonly finishedAtMs: number | null
  readonly status: 'running' | 'finished' | 'interrupted'
  /** JSON text of the run's options, for `--resume`. No secrets. */
  readonly options: string
  readonly exitStatus: number | null
  readonly reportDir: string | null
  /** Who started it; null in runs of an older hisab. */
  readonly by: string | null
  /** Where it ran; null in a journal of one machine. */
  readonly machine: string | null
  /** Whether its process is at work; null where only the lock can tell. */
  readonly isAlive: boolean | null
}

export type NewRun = Pick<RunRow, 'id' | 'command' | 'startedAtMs' | 'options' | 'reportDir'>

export interface RunEnd {
  readonly status: 'finished' | 'interrupted'
  readonly finishedAtMs: number
  readonly exitStatus: number
  /** Left out: as `startRun` recorded it. */
  readonly reportDir?: string | null
}

export const resendRowStates = [
  'intent',
  'accepted',
  'refused',
  'not_sent',
  'unknown',
  'delivered',
  'still_failing',
] as const
/**
 * `intent` is written before the first byte leaves (P3); found by a later run it means `unknown`. `refused`:
 * the service said no, and its record showed nothing new for as long as it was watched; until then it is `unknown`.
 * `not_sent`: nothing left this machine. `accepted` proves nothing until the record is read again.
 */
export type ResendRowState = (typeof resendRowStates)[number]

/**
 * The only moves of a resend. What is not here is a defect, and stops the run. Another command may have read its end from
 * the record already.
 */
export const resendMoves: Readonly<Record<ResendRowState, readonly ResendRowState[]>> = {
  intent: ['accepted', 'not_sent', 'unknown'],
  accepted: ['delivered', 'still_failing'],
  unknown: ['delivered', 'still_failing', 'refused'],
  refused: [],
  not_sent: [],
  delivered: ['delivered'],
  still_failing: ['still_failing', 'delivered'],
}

/** Override of a guard against a resend (P4, P5). */
export type OverrideWord = 'ignore-cooldown' | 'retry-unknown' | 'include-delivered' | 'include-missing'

/** One resend, from before it was sent (P3, P4). At most one per run, `orderId` and `event`. */
export interface ResendRow {
  readonly id: number
  readonly runId: string
  readonly deliveryId: string
  /** The platform's order id: `order_id` of the delivery record. */
  readonly orderId: string
  readonly event: string
  readonly kind: OrderKind | null
  readonly orderNo: string | null
  readonly state: ResendRowState
  readonly intentAtMs: number
  /** How far the service's clock was ahead of this machine's then; null where it was not measured. */
  readonly skewMs: number | null
  /** When the request ended; null where it is not known to have been sent. */
  readonly sentAtMs: number | null
  /** The delivery record as it stood before the send: what "delivered" is measured against. */
  readonly baselineAttempts: number
  readonly baselineSentAt: string | null
  readonly baselineStatus: DeliveryStatus
  readonly baselineNextRetryAt: string | null
  readonly baselineResponseCode: number | null
  readonly responseCode: number | null
  readonly detail: string | null
  readonly overrides: readonly OverrideWord[]
  /** The finding's cause, such as `delivery_exhausted`. */
  readonly cause: string | null
  /** Who sent it, `person@machine`; null in a journal of one machine. */
  readonly by: string | null
  /** Another machine is sending it now: its claim is open, and it is at work. Never in a journal of one machine. */
  readonly isOnItsWay: boolean
}

export interface NewResend
  extends Omit<
    ResendRow,
    'id' | 'state' | 'skewMs' | 'sentAtMs' | 'responseCode' | 'detail' | 'by' | 'isOnItsWay'
  > {
  /** The last ignore that its override was given in knowledge of; where it is left out, every one in force holds it. */
  readonly wordsKnown?: number
}

/** Whether a resend may be made now, or why another run's speaks against it. */
export type ResendClaim =
  | {readonly claimed: true; readonly id: number}
  | {
      readonly claimed: false
      /** `journal_restored`: its record shows a delivery that a restored shared journal may not know of. */
      readonly because: 'recently_resent' | 'resend_in_doubt' | 'journal_restored'
      /** When the other one was sent. */
      readonly atMs: number
      /** By whom, `person@machine`; null in a journal of one machine. */
      readonly by: string | null
    }
  | LeftAlone
  /** A booking.csv has it, and no person said to send it all the same. */
  | {readonly claimed: false; readonly because: 'to_book'; readonly by: null}

/** A person closed or ignored a finding of the order. */
export interface LeftAlone extends Pick<Ignore, 'by' | 'reason' | 'expiresAtMs' | 'atMs'> {
  readonly claimed: false
  readonly because: 'left_alone'
}

/** What is known of a resend after a move; what is left out stays as it was. */
export interface ResendUpdate {
  readonly sentAtMs?: number
  readonly responseCode?: number | null
  readonly detail?: string | null
}

/**
 * The allowed state changes of a create, except by a person. An unknown outcome is resolved by a query, or by sending
 * the same bytes again. A refusal does not resolve it: another try may have taken effect (P6). If the order exists, the
 * refusal is undone. An accepted create becomes unknown only if a query does not find it.
 */
export const requestMoves: Readonly<Record<RequestState, readonly RequestState[]>> = {
  intent: ['accepted', 'refused', 'unknown'],
  unknown: ['accepted', 'unknown'],
  accepted: ['accepted'],
  refused: ['accepted', 'unknown'],
}

/**
 * What the last query of an accepted order showed. `unanswered`: no query has shown yet whether it is this one.
 * `not_shown`: it is, and its amount is not shown. `contradicted`: it looks like another one, or like this one in another
 * form; whether this one was made is open.
 */
export type StoredConfirmation = 'confirmed' | 'unanswered' | 'not_shown' | 'contradicted'

/** A field of a create that an answer may echo, kept so that nobody can read it. */
export interface SentField {
  /** Of a telephone: `017****5678`. */
  readonly masked?: string
  /** `KEYID.MAC`, see payee-key.ts. */
  readonly fingerprint: string
}

/** One number this merchant used for a deposit or a payout, and what was asked with it (P1, P2). */
export interface RequestRow {
  /** Below 0 in rows that a merge of journals did not keep, because another of the number was. */
  readonly id: number
  readonly kind: OrderKind
  readonly orderNo: string
  /** Digest of what was asked. Equal digests are the same request; never a signature. */
  readonly bodyDigest: string
  /** The same without the return address; null in rows of an older hisab. */
  readonly intentDigest: string | null
  /** The return address of the first send, for the same bytes again (P1); null in rows of an older hisab. */
  readonly returnUrl: string | null
  /** Null for a deposit: the player picks the amount. */
  readonly amount: Paisa | null
  readonly channel: string | null
  /** `017****5678`. */
  readonly maskedAccount: string | null
  readonly state: RequestState
  readonly platformOrderNo: string | null
  readonly serviceCode: string | null
  /** Before the first send the service knew no such number: an order under it can only be this one. */
  readonly absentBefore: boolean
  /** A person recorded it as made. */
  readonly isDeclaredMade: boolean
  /** It counts as not made by a person's word alone. */
  readonly isDeclaredNotMade: boolean
  /** Null where it was not read. */
  readonly confirmation: StoredConfirmation | null
  readonly confirmationWhy: string | null
  /** `KEYID.MAC` of account and amount, see payee-key.ts; null for deposits and in rows of an older hisab. */
  readonly payeeFingerprint: string | null
  /** What recognises the other fields that were sent, by name; empty in rows of an older hisab. */
  readonly sentFields: Readonly<Record<string, SentField>>
  /** How many times this number was claimed, this one included. */
  readonly claims: number
  /** The first claim, or the first after a refusal. */
  readonly intentAtMs: number
  /** The last claim that may have taken effect: the day a payout counts for. */
  readonly claimedAtMs: number
  readonly outcomeAtMs: number | null
  /** Who claimed it last, `person@machine`; null in a journal of one machine. */
  readonly sentBy: string | null
  /** A machine may be sending it now. Never in a journal of one machine. */
  readonly isOnItsWay: boolean
  /** Numbers of payouts that this one repeats with `--allow-repeat`, or replaces because they failed; from the last such claim. */
  readonly repeatsAllowed: readonly string[]
  /** Those of them that it replaces because they failed. */
  readonly replaces: readonly string[]
  /**
   * When this payout first counted as not paid, whatever was seen later: hisab saw it failed, it was refused, or a person said so.
   * Null if it never did, and where it was sent again since a refusal.
   */
  readonly seenFailedMs: number | null
  /** When a query first showed it as completed; kept only of a payout that repeats or replaces another. */
  readonly seenCompletedMs: number | null
  /** It counted as not made, by an answer to the create or a person's word. */
  readonly wasRefused: boolean
}

export type NumberClaim = Pick<
  RequestRow,
  | 'kind'
  | 'orderNo'
  | 'bodyDigest'
  | 'intentDigest'
  | 'returnUrl'
  | 'amount'
  | 'channel'
  | 'maskedAccount'
  | 'payeeFingerprint'
  | 'sentFields'
  | 'absentBefore'
  | 'intentAtMs'
> & {
  /** The later time of two clocks that differ; left out where they do not. */
  readonly claimedAtMs?: number
  /** The service has it, but this journal did not send it: kept as contradicted until a person resolves it. */
  readonly madeElsewhere?: {readonly platformOrderNo: string; readonly why: string}
}

/** A payout as the journal can recognise it again: it holds no readable account. */
export interface Payee extends Pick<RequestRow, 'orderNo' | 'amount' | 'maskedAccount' | 'payeeFingerprint'> {
  /** The fingerprint of the account with another amount. Where it is left out, the masked account has to do. */
  readonly fingerprintWith?: (amount: Paisa) => string
}

/** Where a payout went, as far as the journal finds it again: its masked account, the digests of its name, numbers; since when. */
export interface PayeeKeys extends Pick<RequestRow, 'maskedAccount'> {
  readonly names: readonly string[]
  readonly numbers?: readonly string[]
  readonly sinceMs?: number
}

/** What must hold at the very moment a payout is claimed, whatever other processes did since a person agreed. */
export interface PayoutGuard {
  /** Of the times in a refusal; UTC if left out. */
  readonly timeZone?: string
  readonly dailyCeiling: Paisa | null
  readonly dayStartMs: number
  readonly duplicatesSinceMs: number
  /** Duplicates that somebody has seen and agreed to, and those that failed, by number. */
  readonly duplicatesAllowed: ReadonlySet<string>
  /** Payouts that have failed, and whose place this one takes. */
  readonly replaces?: readonly string[]
  /** Payouts that were seen failed and are not failed now, and beside which somebody agreed to this one. */
  readonly besides?: readonly string[]
}

/** `row` is the number's record as it stood before this claim. */
export type Claim =
  | {readonly fresh: true; readonly id: number}
  | {readonly fresh: false; readonly row: RequestRow}

/** What a look at an accepted order said. */
export interface RequestLook {
  readonly confirmation: StoredConfirmation
  readonly why: string | null
  /** Null where the answer does not say. */
  readonly isFound: boolean | null
}

/** A person's resolution of a doubt: whether it was carried out, and the name. */
export interface Resolution {
  readonly happened: boolean
  readonly by: string
  readonly reason: string
  readonly atMs: number
}

/** The table of a row: the numbers of this journal, or those that a merge did not keep. */
export type RequestTable = 'requests' | 'requests_dropped'

export function tableOf(id: number): RequestTable {
  return id < 0 ? 'requests_dropped' : 'requests'
}

/** Whether a merge of journals kept another of its number. */
export function isDropped({id}: Pick<RequestRow, 'id'>): boolean {
  return tableOf(id) === 'requests_dropped'
}

/** Whether nobody knows yet if it was carried out (P6). */
export function isInDoubt({state, confirmation}: Pick<RequestRow, 'state' | 'confirmation'>): boolean {
  return (
    state === 'intent' || state === 'unknown' || (state === 'accepted' && confirmation === 'contradicted')
  )
}

/** It was accepted, and the last query with an answer did not find it. */
export function isLost({state, confirmation}: Pick<RequestRow, 'state' | 'confirmation'>): boolean {
  return state === 'unknown' && confirmation !== null
}

/** A query had shown it as it was sent before it was lost: it was made, so only a person's word lets it be sent again. */
export function isLostAfterShown(row: Pick<RequestRow, 'state' | 'confirmation'>): boolean {
  return isLost(row) && row.confirmation === 'confirmed'
}

/** Accepted, and no query has shown yet whether it is this order. */
export function isUnlookedAt({state, confirmation}: Pick<RequestRow, 'state' | 'confirmation'>): boolean {
  return state === 'accepted' && confirmation === 'unanswered'
}

export interface RequestOutcome {
  readonly outcomeAtMs: number
  readonly platformOrderNo?: string | null
  readonly serviceCode?: string | null
}
