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

/** A ledger of so many rows of some 95 bytes, written a block at a time. */
export function writeLargeLedger(path: string, rows: number): void {
  const file = openSync(path, 'w')
  let block = 'order_no,kind,status,amount,created_at,player_ref,note\n'
  for (let index = 0; index < rows; index++) {
    const orderNo = orderNoOf(index)
    const status = isLost(serialOf(orderNo)) ? 'open' : 'completed'
    const minute = String(index % 60).padStart(2, '0')
    block += `${orderNo},deposit,${status},500.00,2026-11-20 12:${minute}:00,player-${index},"via ""app"""\n`
    if (block.length < 1_000_000) continue
    writeSync(file, block)
    block = ''
  }
  writeSync(file, block)
  closeSync(file)
}
