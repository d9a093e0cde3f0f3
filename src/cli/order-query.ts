import * as Flags from '@oclif/core/flags'

import type {OrderKind} from '../core/order.ts'
import {listText} from '../report/list-text.ts'
import {orderColumns, ordersStatus, viewOrders} from '../report/orders-list.ts'
import {queryOrders} from '../workflows/reconcile/queries.ts'
import {BaseCommand} from './base-command.ts'
import {concurrencyFlag, formatFlag, type ListFormat, rateFlag} from './flags.ts'
import {statusIfStopped} from './interrupt.ts'
import {readOrderNumbers} from './order-numbers.ts'
import {paintFor} from './paint.ts'
import {Progress} from './progress.ts'

interface QueryFlags {
  readonly profile?: string | undefined
  readonly from?: string | undefined
  readonly format: ListFormat
  readonly concurrency: number
  readonly rate?: number | undefined
}

/** What `deposit query` and `payout query` share, which is everything but the words. */
export abstract class OrderQuery extends BaseCommand {
  static override flags = {
    from: Flags.string({
      summary: 'A file with one order number a line; `-` reads standard input.',
      helpValue: 'FILE',
    }),
    format: formatFlag,
    concurrency: concurrencyFlag,
    rate: rateFlag,
  }

  /** Asks for each order once, a bounded number at a time; what got no trustworthy answer is listed as such. */
  protected async query(kind: OrderKind, argv: readonly string[], flags: QueryFlags): Promise<object> {
    const orderNos = await readOrderNumbers(argv, flags.from)
    const loaded = await this.context.loadProfile(flags.profile)
    const {concurrency, rate = null, format} = flags
    const pace = {concurrencyMax: concurrency, ratePerSecond: rate}
    const client = await this.context.client(loaded, {ordersOnly: true, ...pace})
    const progress = new Progress()
    const asked = orderNos.map((orderNo) => ({kind, orderNo}))
    const answers = await queryOrders(client, asked, {
      width: concurrency,
      onProgress: (done, total) => progress.update(`${kind} query`, done, total),
    })
    progress.end()

    const orders = viewOrders(asked, answers)
    await this.show(listText(format, orderColumns, orders, paintFor(process.stdout)))
    this.endWith(statusIfStopped(this.context.signal) ?? ordersStatus(orders))
    return {orders}
  }
}
