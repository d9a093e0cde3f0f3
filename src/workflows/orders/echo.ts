import type {PreparedRequest} from '../../api/client.ts'
import {JsonNumber, type JsonObject, type JsonValue} from '../../core/json.ts'
import type {Paisa} from '../../core/money.ts'
import {payoutChannels} from '../../core/order.ts'
import {maskPhone} from '../../core/text.ts'
import {keyIdLength} from '../../journal/payee-key.ts'
import type {RequestRow} from '../../journal/rows.ts'

/** What the data of an order says of who asked for it. */
export interface EchoReading {
  /** The first field that differs from what was sent, or null. */
  readonly differs: string | null
  /** Whether it names whom the order is for, so that no order of somebody else's reads the same. */
  readonly identifies: boolean
}

export type ReadEcho = (data: JsonObject) => EchoReading

/** The same of an order that was never sent from here. */
interface FoundReading extends EchoReading {
  /** Whether it is plainly somebody else's, or another channel's. What else differs may be this one in another form. */
  readonly isAnothers: boolean
}

/** Compares an answer with every field of a request but the amount, which the profile names, and the return address. */
export function echoOfRequest({kind, bodyText}: PreparedRequest): (data: JsonObject) => FoundReading {
  const sent = JSON.parse(bodyText) as Record<string, string | boolean>
  const says = (data: JsonObject, name: string) => readField(name, data[name], String(sent[name]))
  return (data) => ({
    differs:
      echoedFields.find((name) => typeof sent[name] === 'string' && says(data, name) === 'other') ?? null,
    identifies: says(data, kind === 'payout' ? 'account' : 'playerRef') === 'same',
    isAnothers:
      (isPlainPhone.test(phoneOf(textOf(data.account) ?? '')) && says(data, 'account') === 'other') ||
      (isChannel(channelOf(textOf(data.bankType) ?? '')) && says(data, 'bankType') === 'other'),
  })
}

/** A wallet's number, masked or not, and no form of the service's own. */
const isPlainPhone = /^01(?:\d{9}|\d*\*[\d*]*)$/

function isChannel(text: string): boolean {
  return (payoutChannels as readonly string[]).includes(text)
}

function channelOf(text: string): string {
  return text.toUpperCase().replace(/[\s_-]/g, '')
}

/** The same with what the journal keeps of a request: the channel, and the account by its fingerprint. */
export function echoOfRow(
  {channel, amount, maskedAccount, payeeFingerprint}: RequestRow,
  fingerprintPayee: (account: string, amount: Paisa) => string,
): ReadEcho {
  const readAccount = (value: JsonValue | undefined): FieldReading => {
    const account = textOf(value)
    if (maskedAccount === null || account === null) return 'nothing'
    if (account.includes('*')) return readField('account', account, maskedAccount)
    const phone = phoneOf(account)
    if (maskPhone(phone) !== maskedAccount) return 'other'
    if (amount === null || payeeFingerprint === null) return 'same'
    const fingerprint = fingerprintPayee(phone, amount)
    const isOfOneKey = fingerprint.slice(0, keyIdLength) === payeeFingerprint.slice(0, keyIdLength)
    return !isOfOneKey || fingerprint === payeeFingerprint ? 'same' : 'other'
  }
  return ({account, bankType}) => {
    const isOtherChannel = channel !== null && readField('bankType', bankType, channel) === 'other'
    const payee = readAccount(account)
    return {
      differs: isOtherChannel ? 'bankType' : payee === 'other' ? 'account' : null,
      identifies: payee === 'same',
    }
  }
}

const echoedFields = [
  ...['merchantId', 'account', 'bankType', 'userName', 'playerRef', 'playerPhone'],
] as const

type FieldReading = 'same' | 'other' | 'nothing'

/** What a field says; a masked one (`018****5678`) where it shows something, and what means the same is the same. */
function readField(name: string, value: JsonValue | undefined, sent: string): FieldReading {
  if (value === undefined || value === null || value === '') return 'nothing'
  const text = textOf(value)
  if (text === null) return 'other'
  if (text === sent) return 'same'
  const [shown, asked] = [text, sent].map(spellings[name] ?? ((spelling) => spelling)) as [string, string]
  if (!shown.includes('*')) return shown === asked ? 'same' : 'other'
  const parts = shown.split(/\*+/)
  const [first = '', last = ''] = [parts.at(0), parts.at(-1)]
  if (!asked.startsWith(first) || !asked.endsWith(last)) return 'other'
  return last.length < identifyingLength ? 'nothing' : 'same'
}

/** Fewer last characters than that are shared by many people. */
const identifyingLength = 3

function textOf(value: JsonValue | undefined): string | null {
  const text = value instanceof JsonNumber ? value.source : value
  return typeof text === 'string' && text !== '' ? text : null
}

/** One spelling of what a service may write in several. */
const spellings: Readonly<Record<string, (text: string) => string>> = {
  account: phoneOf,
  playerPhone: phoneOf,
  bankType: channelOf,
  userName: (text) => text.normalize('NFKC').toUpperCase().replace(/\s+/g, ' ').trim(),
  merchantId: (text) => text.toLowerCase(),
}

/** `+880 1812-345678`, `8801812345678` and `1812345678` as 01812345678, masked ones too. */
function phoneOf(text: string): string {
  const national = text.replace(/[\s().-]/g, '').replace(/^(?:\+|00)?880(?=0?1)|^0(?=1)/, '')
  return `0${national.replace(/^0(?=1)/, '')}`
}
