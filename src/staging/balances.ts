import {deserialize, serialize} from 'node:v8'

import type {CountedOrder} from '../core/reconcile/tie-out.ts'
import type {StagingDatabase} from './staging-database.ts'

/** Orders of a statement that are not yet final in the journal; the last put of an order counts. */
export class Balances implements Iterable<CountedOrder> {
  private readonly db: StagingDatabase

  constructor(db: StagingDatabase) {
    this.db = db
  }

  put(order: CountedOrder): void {
    this.db.put('balances', [null, serialize(order)])
  }

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
