import {writeFileSync} from 'node:fs'
import {join} from 'node:path'

import {openJournal} from '../../src/journal/journal.ts'
import {type Answering, json, merchantId, serve} from '../api/fixture.ts'
import {tempDir} from '../temp-dir.ts'
import {type Shell, shellAt} from './run-command.ts'

/**
 * A service with books of its own: what it does and what it answers are chosen apart from each other. The judge is
 * what the books say was paid.
 */
export async function bookkeeper(limits = '', isClockRight = false) {
  const books = new Map<string, Record<string, unknown>>()
  const tried = new Set<string>()
  const service = {
    /** Whether a create is carried out, whatever is answered. */
    carriesOut: true,
    /** What a create is answered; null is the truth. */
    answer: null as Answering | null,
    /** What a query is answered before a create of its number came; null is the truth. */
    before: null as Answering | null,
    /** What a query is answered afterwards; null is the truth. */
    query: null as Answering | null,
  }
  const {origin, seen} = await serve((response, call, nth) => {
    // Node itself takes the date from another clock than the one that a test moves.
    if (isClockRight) response.setHeader('date', new Date().toUTCString())
    const {signature: _, ...asked} = JSON.parse(call.body || '{}') as Record<string, string>
    const orderNo = asked.outOrderNo ?? asked.orderNo ?? ''
    const isCreate = call.path.endsWith('/create')
    if (isCreate && service.carriesOut && !books.has(orderNo)) {
      books.set(orderNo, {status: 'processing', ...asked, orderNo, platformOrderNo: `PL-${orderNo}`})
    }
    if (isCreate) tried.add(orderNo)
    const written = isCreate ? service.answer : tried.has(orderNo) ? service.query : service.before
    const order = books.get(orderNo)
    const truth = order
      ? json({code: 0, data: {payUrl: `https://pay.example/${orderNo}`, ...order, merchantId}})
      : json({code: 'ORDER_NOT_FOUND'}, 404)
    ;(written ?? truth)(response, call, nth)
  })
  const paid = () =>
    [...books.values()].reduce((sum, {amount}) => sum + BigInt(String(amount ?? 0).replace('.', '')), 0n)
  const creates = () => seen.filter(({path}) => path.endsWith('/create')).length
  const asked = (orderNo: string) =>
    seen.filter(({path, body}) => path.endsWith('/query') && body.includes(`"${orderNo}"`)).length
  const shell = shellAt(origin, limits === '' ? {} : {HISAB_CONFIG: configWith(limits)})
  return {service, books, paid, creates, asked, shell, origin}
}

function configWith(limits: string): string {
  const path = join(tempDir(), 'config.toml')
  writeFileSync(path, `[profiles.environment]\n${limits}\n`, {mode: 0o600})
  return path
}

export const payout = (
  orderNo: string,
  amount = '1000',
  account = '01812345678',
  userName = 'Rahim Uddin',
) => [
  ...['--order-no', orderNo, '--amount', amount, '--bank-type', 'BKASH', '--user-name', userName],
  ...['--account', account, '--yes', '--json'],
]

export const stateOf = async ({dataDir}: Shell, orderNo: string) =>
  (await openJournal(dataDir, {environment: 'sandbox', merchantId}).findRequest('payout', orderNo))?.state

export const deposit = (orderNo: string, playerRef = 'player-7') => [
  ...['--order-no', orderNo, '--player-phone', '01712345678', '--player-ref', playerRef, '--json'],
]
