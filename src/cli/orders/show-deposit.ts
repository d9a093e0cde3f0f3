import {setTimeout as delay} from 'node:timers/promises'
import {styleText} from 'node:util'

import type {ServiceClient} from '../../api/client.ts'
import {quoted} from '../../config/shell-quote.ts'
import type {ExitStatus} from '../../core/failure.ts'
import {formatTaka} from '../../core/money.ts'
import type {ServiceSide} from '../../core/reconcile/classify.ts'
import {escapeInvisible} from '../../core/text.ts'
import {type OrderView, viewOrder} from '../../report/orders-list.ts'
import type {CreatedOrder, MadeDeposit} from '../../workflows/orders/create.ts'
import {waitForOrder} from '../../workflows/orders/wait.ts'
import {monotonic} from '../context.ts'
import {statusIfStopped} from '../interrupt.ts'
import {Progress} from '../progress.ts'
import {styleFor} from '../style.ts'
import {openInBrowser} from './browser.ts'
import {type CreatedView, createdStatus, isContradicted} from './create.ts'

/** Shows the payment page's address as a QR code on stderr; stdout is for the result. */
export async function showQr(address: string): Promise<void> {
  const {qrText} = await import('../../report/qr-text.ts')
  const code = qrText(address)
  if (code === null) {
    process.stderr.write('warning: the address is too long for a QR code\n')
    return
  }
  const {columns = Number.POSITIVE_INFINITY} = process.stderr
  const lines = code.split('\n')
  if ((lines[0]?.length ?? 0) > columns) {
    process.stderr.write(
      `warning: the QR code needs ${lines[0]?.length} columns, and the terminal has ${columns}\n`,
    )
    return
  }
  // Black on white, whatever the terminal's colours are.
  const styled = lines.map((line) => styleText(['whiteBright', 'bgBlack'], line, {stream: process.stderr}))
  process.stderr.write(`${styled.join('\n')}\n`)
}

/** Opens the payment page, or says where it is and why it was not opened. */
export async function showInBrowser(address: string): Promise<void> {
  const problem = await openInBrowser(address)
  const shown = escapeInvisible(address)
  process.stderr.write(problem === null ? `Opened ${shown}\n` : `Not opened: ${problem}. Open ${shown}\n`)
}

export interface WaitedView extends CreatedView {
  readonly order: OrderView
}

export async function waitForPlayer(
  {orderNo, platformOrderNo}: MadeDeposit,
  waitMs: number,
  client: Pick<ServiceClient, 'queryOrder'>,
  signal: AbortSignal,
) {
  const progress = new Progress()
  let wasOpen = false
  const seen = await waitForOrder('deposit', orderNo, waitMs, {
    client,
    monotonic,
    sleep: (ms) => delay(ms, undefined, {signal}),
    signal,
    onLook: (side, leftMs) => {
      const order = side.is === 'found' ? side.order : null
      wasOpen ||= order?.status === 'open' && order.platformOrderNo === platformOrderNo
      progress.wait(`waiting for ${escapeInvisible(orderNo, 40)}: ${describeSide(side)}`, leftMs)
    },
  })
  progress.end()
  return {seen, wasOpen}
}

/** The order as `deposit query` shows it. */
export function waitedView(orderNo: string, side: ServiceSide | null): OrderView {
  return viewOrder(orderNo, side ?? {is: 'no_answer', code: 'incomplete', because: 'it was not queried'})
}

/**
 * The status after the wait: 0 completed, 7 failed, 8 anything else, even a completed order that is not confirmed to
 * be this one, or has moved no money.
 */
export function waitedStatus(
  order: CreatedOrder<MadeDeposit>,
  side: ServiceSide | null,
  signal: AbortSignal,
): ExitStatus[] {
  const stopped = statusIfStopped(signal)
  if (stopped !== null) return [stopped]
  const {confirmation, created} = order
  const found = side?.is === 'found' ? side.order : null
  if (isContradicted(order) || (found && found.platformOrderNo !== created.platformOrderNo)) return [7]
  const isPaid = found?.status === 'completed' && confirmation.confirmed && found.amount !== 0n
  const ended: ExitStatus = isPaid ? 0 : found?.status === 'failed' ? 7 : 8
  return [createdStatus(order), ended]
}

export function waitedNote(
  {created: {orderNo}, confirmation}: CreatedOrder<MadeDeposit>,
  side: ServiceSide | null,
  profileName: string,
): string {
  const style = styleFor(process.stderr)
  const number = escapeInvisible(orderNo, 40)
  if (side?.is !== 'found') {
    return style(
      'yellow',
      `${number}: status unknown: ${side?.is === 'absent' ? 'the service does not find it' : (side?.because ?? 'it was not queried')}`,
    )
  }
  const {status, amount} = side.order
  const taka = amount === null ? '' : `, BDT ${formatTaka(amount)}`
  if (status === 'completed' && !confirmation.confirmed) {
    return style(
      'red',
      `${number} is completed at the service${taka}, but may be another order: ${confirmation.why}. Do not credit it.`,
    )
  }
  if (status === 'completed' && amount === 0n)
    return style('red', `${number} is completed at the service${taka}: no money was paid. Do not credit it.`)
  if (status === 'completed' && amount === null)
    return style(
      'yellow',
      `${number} is completed, and the service does not show how much was paid. Credit what its webhook says.`,
    )
  if (status === 'completed') return style('green', `${number} is paid${taka}.`)
  if (status === 'failed') return style('red', `${number} failed: ${describeSide(side)}.`)
  return style(
    'yellow',
    `${number} is still ${describeSide(side)}. Ask later: hisab deposit query ${quoted(orderNo)} --profile ${quoted(profileName)}`,
  )
}

function describeSide(side: ServiceSide): string {
  if (side.is === 'found') return escapeInvisible(side.order.rawStatus, 40)
  return side.is === 'absent' ? 'not found' : 'no answer'
}
