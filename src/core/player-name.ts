import {bareOrderNo} from './order-no-fold.ts'
import {maskPhones} from './personal.ts'

/** The name of a player as hisab compares it, and keeps its digest. */
export function playerName(player?: string | null): string {
  return bareOrderNo(maskPhones(player ?? ''))
}
