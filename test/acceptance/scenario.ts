import type {Kind, ResendOutcome} from '../fake-service/book.ts'
import {type FakeService, startFakeService} from '../fake-service/service.ts'
import type {RecordSketch} from './cells.ts'
import {type LedgerRow, minutesAgo, writeLedger} from './ledger.ts'
import {hurried, Machine} from './machine.ts'
import type {RunOptions} from './own-home.ts'
import {type Reconciled, reconcile} from './report.ts'

/** A webhook that was tried to the last and never taken: what a resend is for. */
export const exhausted: RecordSketch = {created_at: minutesAgo(500), sent_at: minutesAgo(60)}

/** One merchant, one service and one ledger that grows as a test adds orders: the setting of most scenarios. */
export class Scenario {
  readonly service: FakeService
  readonly machine: Machine
  readonly rows: LedgerRow[] = []

  constructor(service: FakeService, machine: Machine) {
    this.service = service
    this.machine = machine
  }

  /** An order open in the ledger and completed at the service, with one record; returns the record's id. */
  addLost(orderNo: string, onResend?: readonly ResendOutcome[], record: RecordSketch = exhausted): string {
    const order = this.addOrder(orderNo, 'open', 'completed')
    return this.service.book.addRecord({order, ...record, ...(onResend && {onResend})}).id
  }

  /** A row of the ledger and its order at the service, of the same amount. */
  addOrder(orderNo: string, ledgerWord: string, serviceWord: string, kind: Kind = 'deposit') {
    this.addRow({order_no: orderNo, status: ledgerWord, kind})
    return this.service.book.addOrder({kind, number: orderNo, status: serviceWord, amount: '500.00'})
  }

  /** A row the service may know nothing of. */
  addRow(row: LedgerRow): void {
    this.rows.push({kind: 'deposit', amount: '500.00', created_at: minutesAgo(600), ...row})
  }

  /** The path of the ledger as it stands. */
  async ledger(): Promise<string> {
    return this.machine.write('ledger.csv', writeLedger(this.rows))
  }

  /** One night's run over the ledger as it stands; the service counts its calls afresh. */
  async reconcile(flags: readonly string[], options?: RunOptions): Promise<Reconciled> {
    this.service.calls.clear()
    return reconcile(this.machine, this.service, [await this.ledger(), ...flags], options)
  }

  resendsOf(recordId: string): number {
    return this.service.calls.resendsOf(recordId)
  }

  /** How many resends the service saw in this run. */
  get resends(): number {
    return this.service.calls.count('resend')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.machine[Symbol.asyncDispose]()
    } finally {
      await this.service[Symbol.asyncDispose]()
    }
  }
}

export async function startScenario(options?: {readonly isBuilt: boolean}): Promise<Scenario> {
  const service = await startFakeService()
  const machine = new Machine(service, options)
  Object.assign(machine.env, hurried)
  return new Scenario(service, machine)
}
