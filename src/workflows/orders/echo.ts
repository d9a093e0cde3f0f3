import type {PreparedRequest} from '../../api/client.ts'
import {JsonNumber, type JsonObject, type JsonValue} from '../../core/json.ts'
import {type OrderKind, payoutChannels} from '../../core/order.ts'
import {maskPhone} from '../../core/text.ts'
import {areOfOneKey, type Fingerprint} from '../../journal/payee-key.ts'
import type {RequestRow, SentField} from '../../journal/rows.ts'

/** What an answer's fields say about the request that created the order. */
export interface EchoReading {
  /** The first field that differs from the request, or null. */
  readonly differs: string | null
  /** Whether its fields identify the recipient, so that no other person's order has the same. */
  readonly identifies: boolean
}

export type ReadEcho = (data: JsonObject) => EchoReading

/** The same for an order that was never sent from here. */
interface FoundReading extends EchoReading {
  /** Whether it is clearly another person's or another channel's. Other differences may be a different form of this one. */
  readonly isAnothers: boolean
}

/** Compares an answer with all fields of a request, except the amount, which the profile names, and the return address. */
export function echoOfRequest({kind, bodyText}: PreparedRequest): (data: JsonObject) => FoundReading {
  const sent = textsOf(bodyText)
  const read = (name: EchoedField, value: JsonValue | undefined) =>
    sent[name] === undefined ? 'nothing' : readField(name, value, sent[name])
  const reading = readingOf(kind, read)
  return (data) => ({
    ...reading(data),
    isAnothers:
      (isPlainPhone.test(phoneOf(textOf(data.account) ?? '')) && read('account', data.account) === 'other') ||
      (isChannel(channelOf(textOf(data.bankType) ?? '')) && read('bankType', data.bankType) === 'other'),
  })
}

function textsOf(bodyText: string): Partial<Record<EchoedField, string>> {
  const sent = Object.entries(JSON.parse(bodyText) as Record<string, unknown>)
  return Object.fromEntries(sent.filter(([, value]) => typeof value === 'string'))
}

function readingOf(
  kind: OrderKind,
  read: (name: EchoedField, value: JsonValue | undefined) => FieldReading,
): ReadEcho {
  return (data) => ({
    differs: echoedFields.find((name) => read(name, data[name]) === 'other') ?? null,
    identifies: read(whomFor[kind], data[whomFor[kind]]) === 'same',
  })
}

const whomFor = {payout: 'account', deposit: 'playerRef'} as const

/** A wallet number, masked or not, in the usual form. */
const isPlainPhone = /^01(?:\d{9}|\d*\*[\d*]*)$/

function isChannel(text: string): boolean {
  return (payoutChannels as readonly string[]).includes(text)
}

function channelOf(text: string): string {
  return text.toUpperCase().replace(/[\s_-]/g, '')
}

/** What the journal stores of a request to compare answers with, besides channel and account. */
export function fieldsToKeep(
  {bodyText}: PreparedRequest,
  fingerprint: Fingerprint,
): Readonly<Record<string, SentField>> {
  const sent = textsOf(bodyText)
  const keep = (name: EchoedField, text: string): SentField => ({
    ...(name === 'playerPhone' && {masked: maskPhone(text)}),
    fingerprint: fingerprint(name, spellingOf(name, text)),
  })
  const [, words] = sent.userName ? nameKeys(sent.userName, fingerprint) : []
  const parts = sent.userName ? namePartKeys(sent.userName, fingerprint) : []
  return Object.fromEntries([
    ...keptFields.flatMap((name) => (sent[name] ? [[name, keep(name, sent[name])]] : [])),
    ...(words === undefined ? [] : [['nameWords', {fingerprint: words}]]),
    ...(parts.length === 0 ? [] : [['nameParts', {fingerprint: parts.join(' ')}]]),
  ])
}

/** Digests of a name: as it is, and of its words in any order without titles nor brackets (`Md. Rahim Uddin`, `UDDIN RAHIM (new no)`). */
export function nameKeys(name: string, fingerprint: Fingerprint): string[] {
  const texts = new Set([spellingOf('userName', name), nameWords(name).join(' ')])
  return [...texts].map((text) => fingerprint('userName', text))
}

/** Digests of each word of a name, for those of which one is a part of the other: Rahim, and Rahim Uddin. */
export function namePartKeys(name: string, fingerprint: Fingerprint): string[] {
  return nameWords(name).map((word) => fingerprint('userName', word))
}

function nameWords(name: string): string[] {
  const words =
    name
      .normalize('NFKC')
      .replace(/(?<=\p{L}.*)\(.*?\)/gu, ' ')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const own = words.filter((word) => !titles.has(word))
  return (own.length > 0 ? own : words).toSorted().map((word) => word.toUpperCase())
}

const titles = new Set(
  'md mohd mohammad mohammed muhammad mst mosammat mr mrs ms miss মো মোঃ মোহাম্মদ মোছাঃ মোসাঃ মোছা মোসা মোসাম্মৎ জনাব'.split(
    ' ',
  ),
)

/** The same of what the journal stores; earlier rows have the name as it is alone. */
export function nameKeysOf({sentFields}: Pick<RequestRow, 'sentFields'>): string[] {
  return [sentFields.userName, sentFields.nameWords].flatMap((kept) => kept?.fingerprint ?? [])
}

/** What `namePartKeys` gave of its name; none in earlier rows. */
export function namePartsOf({sentFields}: Pick<RequestRow, 'sentFields'>): string[] {
  return sentFields.nameParts?.fingerprint.split(' ') ?? []
}

/** Compares an answer with what the journal stores of a request. */
export function echoOfRow(
  {kind, channel, amount, maskedAccount: masked, payeeFingerprint, sentFields}: RequestRow,
  fingerprint: Fingerprint,
): ReadEcho {
  const account = masked === null ? {} : {account: {masked, fingerprint: payeeFingerprint ?? ''}}
  const kept: RequestRow['sentFields'] = {...sentFields, ...account}
  return readingOf(kind, (name, value) => {
    if (name === 'bankType') return channel === null ? 'nothing' : readField(name, value, channel)
    const sent = kept[name]
    const text = textOf(value)
    if (!sent || text === null) return 'nothing'
    if (text.includes('*')) return sent.masked ? readField(name, text, sent.masked) : 'nothing'
    const spelled = spellingOf(name, text)
    if (sent.masked && maskPhone(spelled) !== sent.masked) return 'other'
    const own =
      name === 'account' ? amount !== null && fingerprint(spelled, amount) : fingerprint(name, spelled)
    const isOfOneKey = own && areOfOneKey(own, sent.fingerprint)
    if (!isOfOneKey) return sent.masked ? 'same' : 'nothing'
    return own === sent.fingerprint ? 'same' : 'other'
  })
}

/** Whether a request was to a name, in any order of its words, or no name of it is known. */
export function mayHaveName(row: RequestRow, userName: JsonValue, fingerprint: Fingerprint): boolean {
  const keys = nameKeys(textOf(userName) ?? '', fingerprint)
  return (
    nameKeysOf(row).some((key) => keys.includes(key)) ||
    echoOfRow(row, fingerprint)({userName}).differs === null
  )
}

const keptFields = ['userName', 'playerRef', 'playerPhone'] as const
const echoedFields = ['merchantId', 'account', 'bankType', ...keptFields] as const
type EchoedField = (typeof echoedFields)[number]

type FieldReading = 'same' | 'other' | 'nothing'

/** Compares the meaning of a field; a masked value (`018****5678`) counts if it shows something. */
function readField(name: EchoedField, value: JsonValue | undefined, sent: string): FieldReading {
  if (value === undefined || value === null || value === '') return 'nothing'
  const text = textOf(value)
  if (text === null) return 'other'
  if (text === sent) return 'same'
  const [shown, asked] = [spellingOf(name, text), spellingOf(name, sent)]
  if (!shown.includes('*')) return shown === asked ? 'same' : 'other'
  const parts = shown.split(/\*+/)
  const [first = '', last = ''] = [parts.at(0), parts.at(-1)]
  if (!asked.startsWith(first) || !asked.endsWith(last)) return 'other'
  return last.length < identifyingLength ? 'nothing' : 'same'
}

/** Fewer last characters are shared by many people. */
const identifyingLength = 3

function textOf(value: JsonValue | undefined): string | null {
  const text = value instanceof JsonNumber ? value.source : value
  return typeof text === 'string' && text !== '' ? text : null
}

function spellingOf(name: EchoedField, text: string): string {
  return spellings[name]?.(text) ?? text
}

/** One spelling for fields that a service may write in several ways. */
const spellings: Readonly<Partial<Record<EchoedField, (text: string) => string>>> = {
  account: phoneOf,
  playerPhone: phoneOf,
  bankType: channelOf,
  userName: (text) => text.normalize('NFKC').toUpperCase().replace(/\s+/g, ' ').trim(),
  merchantId: (text) => text.toLowerCase(),
}

/** `+880 1812-345678`, `8801812345678` and `1812345678` become 01812345678, masked ones too. */
function phoneOf(text: string): string {
  const national = text.replace(/[\s().-]/g, '').replace(/^(?:\+|00)?880(?=0?1)|^0(?=1)/, '')
  return `0${national.replace(/^0(?=1)/, '')}`
}
