import {type PayoutChannel, payoutChannels} from '../core/order.ts'
import type {Cell} from './cell-forms.ts'
import {headerWords} from './plain-columns.ts'

/** How people write the channels of the service. */
const spellings: Readonly<Record<PayoutChannel, RegExp>> = {
  BKASH: /b[\s_-]*kash|bikash|বিকাশ/giu,
  NAGAD: /nagad|nogod|nagod|নগদ/giu,
  ROCKET: /rocket|রকেট/giu,
}

/** Words beside a channel's name that change nothing of the way of payment. */
const beside =
  /(?<![\p{L}\p{M}])(?:personal|agent|merchant|wallet|account|acc|number|no|mobile|banking|bank|mfs|dbbl|limited|ltd|bd|পার্সোনাল|এজেন্ট)(?![\p{L}\p{M}])/giu

/** Below such a header stands how a payout is paid. */
const ofPayment =
  /^(?:payment (?:channel|method|mode|gateway|provider|operator|wallet|mfs|bank)|channel|method|gateway|mfs)(?: (?:name|type))?$|^(?:চ্যানেল|মাধ্যম)$/u
/** Below such a header, too, if a cell names a channel of the service. */
const mayBeOfPayment =
  /(?<!\p{L})(?:channel|method|mode|gateway|provider|operator|wallet|mfs|bank)(?!\p{L})|ওয়ালেট|ব্যাংক/u

/** The cells of one column, compared with the channel that is paid in their rows. */
export class ChannelCells {
  private filled = 0
  /** How many name a channel of the service. */
  private naming = 0
  /** Those that name only the channel of their row, by what stands beside it. */
  private readonly own = new Map<string, {count: number; readonly first: Cell}>()
  /** The first that does not. */
  private stranger: Cell | null = null
  private dash: Cell | null = null

  take(cell: Cell, paid: string, account: string): void {
    this.filled += 1
    const named = channelsIn(cell.text)
    if (named.length > 0) this.naming += 1
    // A row without a channel is not paid.
    const channel = payoutChannels.find((one) => one === paid.trim().toUpperCase())
    if (channel === undefined) return
    if (named.length !== 1 || named[0] !== channel) {
      this.stranger ??= cell
      return
    }
    const rest = besideChannel(cell.text, channel, account)
    const same = this.own.get(rest)
    if (same) same.count += 1
    else this.own.set(rest, {count: 1, first: cell})
  }

  takeDash(cell: Cell): void {
    this.dash ??= cell
  }

  /** A cell that is not the channel of its row, if this column has the channels of the payouts. */
  oddCell(header: string): Cell | null {
    const words = headerWords(header)
    const own = [...this.own].sort(
      ([rest, one], [other, two]) => two.count - one.count || rest.length - other.length,
    )
    const isMostlyOwn = own.reduce((sum, [, {count}]) => sum + count, 0) * 2 >= this.filled
    const isNamed = this.naming > 0
    if (!ofPayment.test(words) && !(isNamed && (mayBeOfPayment.test(words) || isMostlyOwn))) return null
    // "bKash API" in all rows is a name, "bKash off" in one is a remark.
    return this.stranger ?? (isNamed ? this.dash : null) ?? own[1]?.[1].first ?? null
  }
}

function channelsIn(text: string): PayoutChannel[] {
  const plain = text.normalize('NFKC')
  return payoutChannels.filter((channel) => plain.search(spellings[channel]) !== -1)
}

/** What a cell has beside the channel, the account of its row, and a short number. */
function besideChannel(text: string, channel: PayoutChannel, account: string): string {
  return text
    .normalize('NFKC')
    .replace(spellings[channel], ' ')
    .replaceAll('_', ' ')
    .replace(beside, ' ')
    .replace(/\p{Nd}+/gu, (digits) => (digits.length < 8 || account.endsWith(digits) ? ' ' : digits))
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim()
    .toLowerCase()
}
