/** Notices above a page. The address carries the key, never the sentence. */
const done = {
  released: 'The SMS was released, and the order is completed.',
  waiting: 'The SMS came in and waits at the desk.',
  matched: 'The SMS came in and released its order.',
  duplicate: 'This transaction came in before: the SMS is a duplicate and releases nothing.',
  discarded: 'The SMS was discarded.',
  paid_out: 'The payout is completed.',
  rejected: 'The payout is rejected, and its amount is back in the balance.',
  expired: 'The deposit has failed.',
  delivered: 'The webhook was sent again, and the receiver took it.',
  resending: 'The webhook is being sent again. This page shows what comes of it.',
  resending_all: 'The failed webhooks are being sent again. This page shows what comes of it.',
  moved: 'Time has moved on, and everything due until then has run.',
  paced: 'The clock has another pace.',
  fault_added: 'The fault is in force.',
  fault_ended: 'The fault has ended.',
} as const

/** Notices of something that went wrong. */
const undone = {
  undelivered: 'The webhook was sent again, and the receiver did not take it. The newest attempt says why.',
} as const

export type ConsoleNotice = keyof typeof done | keyof typeof undone
export const notices: Readonly<Record<ConsoleNotice, string>> = {...done, ...undone}

export function isBad(notice: ConsoleNotice): boolean {
  return notice in undone
}
