import {deserialize, serialize} from 'node:v8'

import type {CountedOrder} from '../core/reconcile/tie-out.ts'
import type {StagingDatabase} from './staging-database.ts'

/** The orders of a statement that no final order of the journal stands for; of one put twice the last counts. */
export class Balances implements Iterable<CountedOrder> {
  private readonly db: StagingDatabase

  constructor(db: StagingDatabase) {
    this.db = db
  }

  put(order: CountedOrder): void {
    this.db.put('balances', [null, serialize(order)])
  }

  /** An order that counts no more, or under another number. */
  putNone({kind, orderNo}: Pick<CountedOrder, 'kind' | 'orderNo'>): void {
    const nothing = {ledger: 0n, service: 0n, difference: 0n, verdict: null, cause: null}
    this.put({kind, orderNo, ...nothing, isNotCounted: true})
  }

  [Symbol.iterator](): Iterator<CountedOrder> {
    return this.db.pages(
      'SELECT id, counted FROM balances WHERE id > ? ORDER BY id',
      [],
      ([, counted]) => deserialize(counted as Uint8Array) as CountedOrder,
    )
  }
}
