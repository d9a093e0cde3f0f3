import type {ServiceOrder} from '../../core/order.ts'
import {bareOrderNo} from '../../core/order-no-fold.ts'
import {maskPhones} from '../../core/personal.ts'
import type {BookedRow} from '../../core/reconcile/entry.ts'
import {escapeInvisible, firstOf} from '../../core/text.ts'
import type {LedgerFile} from '../../ledger/ledger.ts'

/** The most rows that are kept; `namedMax`: the most that a sentence names. */
const keptMax = 10_000
const namedMax = 5

interface OtherPlayer extends Pick<BookedRow, 'line' | 'file' | 'orderNo' | 'status'> {
  readonly row: string
  readonly service: string
}

/** Compares the players of rows with the service's. It counts only if most agree, because a ledger may use other names. */
export class Players {
  private agreed = 0
  private differing = 0
  private readonly others = new Map<string, OtherPlayer>()

  see(entry: BookedRow, {kind, playerRef: stated}: ServiceOrder): void {
    const {playerRef, orderNo} = entry
    if (!playerRef || stated === undefined) return
    if (playerRef === stated || bareOrderNo(playerRef) === bareOrderNo(stated)) {
      this.agreed += 1
      return
    }
    this.differing += 1
    const {line, file, status} = entry
    const other = {line, file, orderNo, status, row: playerRef, service: stated}
    if (this.others.size < keptMax) this.others.set(`${kind}\0${orderNo}`, other)
  }

  /** Why an order's row may be another player's, as sentences, or null. */
  whyOther({kind, orderNo}: Pick<ServiceOrder, 'kind' | 'orderNo'>): string | null {
    const other = this.others.get(`${kind}\0${orderNo}`)
    if (!other || this.agreed <= this.differing) return null
    return `Its row has player ${shown(other.row)}, and the service has player ${shown(other.service)}. Find out whose payment it is.`
  }

  /** The rows booked for another player than the service's, in a sentence, or null. */
  whyBookedForOther(files: readonly Pick<LedgerFile, 'path'>[]): string | null {
    const booked = [...this.others.values()].filter(({status}) => status === 'completed')
    if (booked.length === 0 || this.agreed <= this.differing) return null
    const named = firstOf(booked, namedMax, ({line, file, orderNo, row, service}) => {
      const of = files.length > 1 ? ` of ${escapeInvisible(files[file]?.path ?? '')}` : ''
      return `line ${line}${of} (${escapeInvisible(orderNo, 40)}: ${shown(row)}, the service has ${shown(service)})`
    })
    return `booked for another player than the service has: ${named}. Find out who was credited`
  }
}

function shown(playerRef: string): string {
  return escapeInvisible(maskPhones(playerRef), 40)
}
