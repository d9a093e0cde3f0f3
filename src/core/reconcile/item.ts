import type {RememberedFinding} from './history.ts'

/** A break of an earlier run that people work on. */
export type OpenItem = RememberedFinding & {
  /** The last owner, or null. */
  readonly owner: string | null
  readonly note: string | null
}

/**
 * Open: a person or a later run has to act. Delivered: the merchant's server has taken the webhook. Confirmed:
 * delivered, and a ledger shows it booked. Closed: by the service, a ledger or a person.
 */
export const itemStates = ['open', 'delivered', 'confirmed', 'closed'] as const
export type ItemState = (typeof itemStates)[number]

export function itemState({
  cause,
  closedMs,
  closedBy,
}: Pick<OpenItem, 'cause' | 'closedMs' | 'closedBy'>): ItemState {
  const isDelivered = cause === 'delivered'
  if (closedMs === null) return isDelivered ? 'delivered' : 'open'
  return isDelivered && closedBy === 'ledger' ? 'confirmed' : 'closed'
}

/** What a person did with an order that has open items. */
export interface ItemEvent {
  readonly what: 'assigned' | 'noted' | 'closed'
  /** The owner, the note or the reason. */
  readonly text: string
  readonly by: string
  readonly atMs: number
}

export interface PersonsClosing {
  readonly reason: string
  readonly by: string
  readonly atMs: number
}
