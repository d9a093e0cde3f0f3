import {quoted} from '../../config/shell-quote.ts'
import type {OrderKind} from '../../core/order.ts'

/** Flags for a person who knows the outcome of a create. */
export const resolveWords = {
  deposit: {yes: 'made', no: 'not-made'},
  payout: {yes: 'paid', no: 'not-paid'},
} as const satisfies Record<OrderKind, {readonly yes: string; readonly no: string}>

export function queryCommand(kind: OrderKind, orderNo: string, profileName: string): string {
  return `hisab ${kind} query ${quoted(orderNo)} --profile ${quoted(profileName)}`
}

/**
 * The command for either outcome, the choice last: a shell reads `|` as a pipe. `dropped`: index of a row that a merge of
 * journals did not keep; 0 for the row that was kept.
 */
export function resolveCommand(kind: OrderKind, orderNo: string, profileName: string, dropped = 0): string {
  const {yes, no} = resolveWords[kind]
  return `${resolvedAs(yes, kind, orderNo, profileName, dropped)}, or … --${no}`
}

function resolvedAs(
  word: string,
  kind: OrderKind,
  orderNo: string,
  profileName: string,
  dropped = 0,
): string {
  const which = dropped === 0 ? '' : ` --dropped ${dropped}`
  return `hisab ${kind} resolve ${quoted(orderNo)}${which} --reason TEXT --profile ${quoted(profileName)} --${word}`
}

/** The same in a sentence. */
export function resolveStep(kind: OrderKind, orderNo: string, profileName: string, dropped = 0): string {
  const {yes, no} = resolveWords[kind]
  return `\`${resolvedAs(yes, kind, orderNo, profileName, dropped)}\`, or … --${no}`
}

/** What takes back a person's word that it was not made. */
export function madeCommand(kind: OrderKind, orderNo: string, profileName: string): string {
  return `hisab ${kind} resolve ${quoted(orderNo)} --${resolveWords[kind].yes} --reason TEXT --profile ${quoted(profileName)}`
}

/** Reading the record ends the doubt if it shows how the resend ended; else the output names the next step. */
export function recordCommand(deliveryId: string, profileName: string): string {
  return `hisab webhooks get ${quoted(deliveryId)} --profile ${quoted(profileName)}`
}

/** How to end a doubt about a create (P6). */
export function endDoubtHint(kind: OrderKind, orderNo: string, profileName: string): string {
  return `It may have been made. Query it first: \`${queryCommand(kind, orderNo, profileName)}\`. ${notShownHint(kind, orderNo, profileName)}`
}

/** The same if the service showed it once and does not find it now. */
export function lostHint(kind: OrderKind, orderNo: string, profileName: string): string {
  return `To send it again could pay it twice. Ask the service. If it was not paid, record that: \`${resolvedAs(resolveWords[kind].no, kind, orderNo, profileName)}\`. Then the same command sends it again.`
}

/** The same after a query that did not find it. */
export function notShownHint(kind: OrderKind, orderNo: string, profileName: string): string {
  return `It is safe to send it again with the same number, but not with a new one. If the service never shows it, ask the service, then record the outcome: ${resolveStep(kind, orderNo, profileName)}.`
}
