import {randomInt} from 'node:crypto'

import {type Paisa, parsePaisa} from '../../core/money.ts'
import {type PayoutChannel, payoutChannels, walletNumber} from '../../core/order.ts'
import {formatInstant} from '../../core/time.ts'
import type {NewSms} from '../store/sms.ts'

/** What a channel's SMS says was received. */
export interface Payment {
  readonly channel: PayoutChannel
  /** The number that paid, or null if the channel shows only its end. */
  readonly sender: string | null
  /** The last digits of a number that is not shown in full. */
  readonly senderTail: string | null
  readonly amount: Paisa
  readonly trxId: string
}

/** The sender of each channel's SMS. The same words from another sender are forged. */
export const smsOrigins: Readonly<Record<PayoutChannel, string>> = {
  BKASH: 'bKash',
  NAGAD: 'NAGAD',
  ROCKET: '16216',
}

const amount = String.raw`(?<amount>[0-9][0-9,]*(?:\.[0-9]{1,2})?)`

/**
 * Money received by a transfer or a cash-out at the agent. `Send Money … to` and `Cash Out … to` are money sent and
 * match none.
 *
 * The payer writes the reference (`Ref …`), which may hold anything, even `TrxID`. So the amount and the number are
 * read before it, anchored to the start, and of two transaction numbers the last one counts.
 */
const styles: Readonly<Record<PayoutChannel, readonly RegExp[]>> = {
  BKASH: [
    new RegExp(
      String.raw`^You have received (?:payment |deposit )?Tk ${amount} from (?<sender>[+*0-9]+)\b.*\bTrxID (?<trxId>[A-Z0-9]{6,16})(?: at [0-9/: ]+)?\.?$`,
    ),
    new RegExp(
      String.raw`^Cash Out Tk ${amount} from (?<sender>[+*0-9]+) successful\b.*\bTrxID (?<trxId>[A-Z0-9]{6,16})(?: at [0-9/: ]+)?\.?$`,
    ),
  ],
  NAGAD: [
    new RegExp(
      String.raw`^(?:Money|Cash Out) Received\. Amount: Tk ${amount} (?:Sender|Customer): (?<sender>[+*0-9]+) .*\bTxnID: (?<trxId>[A-Z0-9]{6,16})\b`,
    ),
  ],
  ROCKET: [
    new RegExp(
      String.raw`^Tk ?${amount} received from A/C: ?(?<sender>[+*0-9]+) .*\bTxnId: ?(?<trxId>[A-Z0-9]{6,16})\b`,
    ),
  ],
}

export function readPaymentSms(text: string): Payment | null {
  const line = text.trim().replace(/\s+/g, ' ')
  for (const channel of payoutChannels) {
    for (const style of styles[channel]) {
      const payment = readParts(channel, style.exec(line)?.groups)
      if (payment) return payment
    }
  }
  return null
}

/** The sender and text of the channel's SMS to an agent at `atMs`. */
export function writePaymentSms(
  payment: Pick<Payment, 'channel' | 'amount' | 'trxId'> & {readonly sender: string},
  atMs: number,
): {readonly from: string; readonly text: string} {
  const {channel, sender, trxId} = payment
  const [date = '', time = ''] = formatInstant(atMs, 'Asia/Dhaka').split(/[T+]/)
  const [year = '', month = '', day = ''] = date.split('-')
  const at = `${day}/${month}/${year} ${time.slice(0, 5)}`
  const taka = inThousands(payment.amount)
  const texts: Record<PayoutChannel, string> = {
    BKASH: `Cash Out Tk ${taka} from ${sender} successful. Fee Tk 0.00. Balance Tk 25,000.00. TrxID ${trxId} at ${at}`,
    NAGAD: `Cash Out Received.\nAmount: Tk ${taka}\nCustomer: ${sender}\nTxnID: ${trxId}\nBalance: Tk 25,000.00\n${at}`,
    ROCKET: `Tk${taka} received from A/C:${sender} Fee:Tk0, Your A/C Balance: Tk25,000.00 TxnId:${trxId} Date:${at}`,
  }
  return {from: smsOrigins[channel], text: texts[channel]}
}

/** A transaction number in the channel's style; `random(n)` returns 0 to n - 1. */
export function makeTrxId(channel: PayoutChannel, random: (below: number) => number): string {
  const digits = '0123456789'
  const alphabet = channel === 'ROCKET' ? digits : `${digits}ABCDEFGHIJKLMNOPQRSTUVWXYZ`
  const length = channel === 'NAGAD' ? 8 : 10
  return Array.from({length}, () => alphabet[random(alphabet.length)]).join('')
}

function readParts(channel: PayoutChannel, parts: Record<string, string> | undefined): Payment | null {
  const taka = parsePaisa((parts?.amount ?? '').replaceAll(',', ''))
  if (parts?.trxId === undefined || taka === null || taka === 0n) return null
  const written = parts.sender ?? ''
  const sender = readNumber(written, channel)
  const senderTail = sender === null ? (/\*([0-9]{2,4})$/.exec(written)?.[1] ?? null) : null
  if (sender === null && senderTail === null) return null
  return {channel, sender, senderTail, amount: taka, trxId: parts.trxId}
}

/** With or without the country code. A Rocket account is a mobile number and one check digit. */
function readNumber(written: string, channel: PayoutChannel): string | null {
  const local = written.replace(/^\+?88(?=01)/, '')
  const number = channel === 'ROCKET' && local.length === 12 ? local.slice(0, -1) : local
  return walletNumber.test(number) ? number : null
}

function inThousands(paisa: Paisa): string {
  const fraction = String(paisa % 100n).padStart(2, '0')
  return `${String(paisa / 100n).replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`
}

/** The SMS of an `isTest` deposit (service §1), released in the transaction that pays the order. */
export function testSms(
  depositSeq: number,
  sender: string,
  {channel, amount}: Pick<Payment, 'channel' | 'amount'>,
  atMs: number,
): NewSms {
  const trxId = makeTrxId(channel, randomInt)
  const {from, text} = writePaymentSms({channel, amount, sender, trxId}, atMs)
  return {
    ...{receivedAtMs: atMs, origin: from, text, channel, sender, senderTail: null, amount, trxId},
    ...{state: 'released', reason: null, depositSeq, decidedBy: 'test', decidedAtMs: atMs},
  }
}
