import {closeSync, openSync, writeSync} from 'node:fs'

/** One order in so many was paid and is still open in the ledger. */
const lostEvery = 259
/** Numbers come in no order, as a ledger's do that was sorted by something else. */
const stride = 7_919
const modulus = 99_999_989

export function orderNoOf(index: number): string {
  return `DEP-2026-${String((index * stride) % modulus).padStart(12, '0')}`
}

export function serialOf(orderNo: string): number {
  return Number(orderNo.slice(-12))
}

export function isLost(serial: number): boolean {
  return serial % lostEvery === 0
}

/** The numbers of orders that were lost, and that no ledger of up to `from` rows names. */
export function lostOrders(from: number, count: number): string[] {
  const orders: string[] = []
  for (let index = from; orders.length < count; index++) {
    const orderNo = orderNoOf(index)
    if (isLost(serialOf(orderNo))) orders.push(orderNo)
  }
  return orders
}

/** A ledger of so many rows of some 95 bytes, written a block at a time. */
export function writeLargeLedger(
  path: string,
  rows: number,
  {nameOf = orderNoOf, day = '2026-11-20'}: {nameOf?: (index: number) => string; day?: string} = {},
): void {
  const file = openSync(path, 'w')
  let block = 'order_no,kind,status,amount,created_at,player_ref,note\n'
  for (let index = 0; index < rows; index++) {
    const orderNo = nameOf(index)
    const status = isLost(serialOf(orderNo)) ? 'open' : 'completed'
    const minute = String(index % 60).padStart(2, '0')
    block += `${orderNo},deposit,${status},500.00,${day} 12:${minute}:00,player-${index},"via ""app"""\n`
    if (block.length < 1_000_000) continue
    writeSync(file, block)
    block = ''
  }
  writeSync(file, block)
  closeSync(file)
}
