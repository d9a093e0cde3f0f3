import type {LoadedProfile} from '../../config/load-profile.ts'
import {formatTaka} from '../../core/money.ts'
import type {Profile} from '../../core/profile.ts'
import {quoteForShell} from '../../core/shell.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatMinute} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import {areOfOneKey} from '../../journal/payee-key.ts'
import {isDropped, type RequestRow} from '../../journal/rows.ts'
import {doubtCommand} from '../../workflows/orders/doubts.ts'
import type {ReviewedPayout} from '../../workflows/payouts/terms.ts'
import type {Context} from '../context.ts'

/** Payouts in doubt that this command does not query itself, oldest first. */
export async function otherOpenPayouts(
  journal: Pick<Journal, 'requestsInDoubt'>,
  orderNos: readonly string[],
): Promise<RequestRow[]> {
  const own = new Set(orderNos)
  return (await journal.requestsInDoubt()).filter(
    (row) => row.kind === 'payout' && (isDropped(row) || !own.has(row.orderNo)),
  )
}

/** Shown once in a run where the journal has payouts of another key: they are recognised by less. */
export async function otherKeyNotes(
  journal: Pick<Journal, 'payeesOfLast' | 'fingerprint'>,
): Promise<string[]> {
  const own = journal.fingerprint('key')
  const recent = await journal.payeesOfLast(recentMax)
  const others = recent.filter((payee) => !areOfOneKey(payee, own))
  return others.length === 0
    ? []
    : [
        `note: ${others.length} of the last ${recent.length} payouts were recorded with another payee.key. hisab compares them by the visible digits of the account, and not by name. Copy payee.key of the machine that paid into the data directory of this one.`,
      ]
}

const recentMax = 1_000
const namedMax = 5

/**
 * Shown before anything is paid: each may have been paid, and counts as paid until its doubt ends. Those to the same
 * account (`beside`) are all named.
 */
export function openPayoutNotes(
  open: readonly RequestRow[],
  beside: readonly string[],
  {name: profileName, ledger: {timeZone}}: Pick<Profile, 'name' | 'ledger'>,
): string[] {
  const [toSame, others] = [true, false].map((is) =>
    open.filter(({orderNo}) => beside.includes(orderNo) === is),
  ) as [RequestRow[], RequestRow[]]
  const named = [...toSame, ...others.slice(0, Math.max(0, namedMax - toSame.length))].map((row) => {
    const {orderNo, amount, maskedAccount, intentAtMs} = row
    const number = escapeInvisible(orderNo, 80)
    const what = amount === null ? '' : `, BDT ${formatTaka(amount)} to ${maskedAccount}`
    return `note: the payout ${number}${what}, is in doubt since ${formatMinute(intentAtMs, timeZone)}: it may have been paid. End the doubt: ${doubtCommand(row, profileName)}`
  })
  const more = open.length - named.length
  return more > 0
    ? [
        ...named,
        `note: ${more} more payouts are in doubt: hisab payout list --in-doubt --profile ${quoteForShell(profileName)}`,
      ]
    : named
}

/** Payouts in whose place others are made. */
export function replacedNotes(payouts: readonly ReviewedPayout[]): string[] {
  return payouts.flatMap(({prepared, failed, duplicates}) => {
    // Of one that was paid anew already the question or the refusal tells.
    const paidAnew = new Set(duplicates.map(({inPlaceOf}) => inPlaceOf))
    const open = failed.filter(({orderNo}) => !paidAnew.has(orderNo))
    return open.map(({orderNo, whyGivenBack}) => {
      const number = escapeInvisible(prepared.orderNo, 80)
      const back =
        whyGivenBack === null
          ? "If your server was told so, its money is back on the player's balance."
          : `But ${escapeInvisible(whyGivenBack, 200)}, so its money may be back on the player's balance. Pay ${number} only if it was taken from there again.`
      return `note: the payout ${escapeInvisible(orderNo, 80)} has failed at the service, so ${number} is no repetition of it. ${back} hisab queries it again just before it pays.`
    })
  })
}

/** Received events of failed payouts that the merchant's server took, by order number. */
export async function takenEvents(
  context: Context,
  loaded: LoadedProfile,
): Promise<(orderNo: string) => {readonly event: string; readonly atMs: number} | null> {
  const received = await context.received(loaded)
  return (orderNo) => {
    const found = received({kind: 'payout', orderNo, platformOrderNo: ''}, {event: 'order.failed'})
    return found?.takenAtMs == null ? null : {event: found.event, atMs: found.takenAtMs}
  }
}
