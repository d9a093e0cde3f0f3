import type {Paisa} from '../core/money.ts'
import type {Finding} from '../core/reconcile/finding.ts'
import {amountInvolved} from '../core/reconcile/verdict-facts.ts'
import {counted, moneyAfter} from './figures.ts'

/** A number of orders and their amount: `3 orders, BDT 4,500.00`. */
export class Orders {
  first: Finding | null = null
  count = 0
  private amount: Paisa | null = null

  add(finding: Finding): void {
    this.first ??= finding
    this.count += 1
    const amount = amountInvolved(finding)
    if (amount !== null) this.amount = (this.amount ?? 0n) + amount
  }

  toString(): string {
    return `${counted(this.count, 'order', 'orders')}${moneyAfter(this.amount)}`
  }
}
