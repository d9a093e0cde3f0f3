import {hash} from 'node:crypto'

import {Failure} from '../core/failure.ts'
import {formatPaisa, type Paisa} from '../core/money.ts'
import {
  type OrderKind,
  orderNoLengthMax,
  type PayoutChannel,
  payoutChannels,
  playerRefLengthMax,
  walletNumber,
} from '../core/order.ts'
import type {Credentials, Profile} from '../core/profile.ts'
import {ambiguousNames, signFields} from '../core/signing/request.ts'
import {escapeInvisible} from '../core/text.ts'

export interface DepositRequest {
  readonly orderNo: string
  readonly returnUrl: string
  readonly playerPhone: string
  readonly playerRef: string
  /** Left out of the body unless true. */
  readonly isTest?: boolean
}

export interface PayoutRequest {
  readonly outOrderNo: string
  /** Always sent with two decimals, so that a retry has the same bytes. */
  readonly amount: Paisa
  readonly bankType: PayoutChannel
  readonly userName: string
  readonly account: string
  readonly returnUrl: string
}

/** A create with its final bytes, not sent: these are signed, recorded and sent on every try (P1). */
export interface PreparedRequest<Kind extends OrderKind = OrderKind> {
  readonly kind: Kind
  readonly merchantId: string
  /** `outOrderNo`, for a payout. */
  readonly orderNo: string
  readonly url: string
  readonly body: Uint8Array
  /** Holds the signature and personal data: for sending and `--dry-run`, never for a log (P20). */
  readonly bodyText: string
  /**
   * SHA-256 of the fields without the signature, in hexadecimal, for the journal. A new secret does not change it.
   */
  readonly fieldsSha256: string
  /** The same without the return address, which does not belong to what is ordered (P2). */
  readonly intentSha256: string
  readonly returnUrl: string
  /** Fields whose value makes the signed text read as other fields (P22), for a warning. */
  readonly ambiguous: readonly string[]
}

type Fields = Readonly<Record<string, string | true>> & {readonly returnUrl: string}

export function prepareDeposit(
  profile: Profile,
  credentials: Credentials,
  url: string,
  request: DepositRequest,
): PreparedRequest<'deposit'> {
  const {orderNo, returnUrl, playerPhone, playerRef, isTest} = request
  checkNumber('orderNo', orderNo)
  checkText('playerRef', playerRef, playerRefLengthMax)
  checkPhone('playerPhone', playerPhone)
  checkReturnUrl(returnUrl)
  const fields = {merchantId: profile.merchantId, orderNo, returnUrl, playerPhone, playerRef}
  return prepare('deposit', profile, credentials, url, orderNo, isTest ? {...fields, isTest} : fields)
}

export function preparePayout(
  profile: Profile,
  credentials: Credentials,
  url: string,
  request: PayoutRequest,
): PreparedRequest<'payout'> {
  const {outOrderNo, amount, bankType, userName, account, returnUrl} = request
  checkNumber('outOrderNo', outOrderNo)
  checkText('userName', userName, Number.POSITIVE_INFINITY)
  checkPhone('account', account)
  checkReturnUrl(returnUrl)
  if (amount <= 0n) refuse('amount', 'is not more than zero', 'Give an amount of at least 0.01.')
  if (!payoutChannels.includes(bankType)) {
    refuse('bankType', 'is not a channel', `Use one of ${payoutChannels.join(', ')}.`)
  }
  return prepare('payout', profile, credentials, url, outOrderNo, {
    merchantId: profile.merchantId,
    outOrderNo,
    amount: formatPaisa(amount),
    bankType,
    userName,
    account,
    returnUrl,
  })
}

/** Texts of a prepared create that must not be shown: its signature and personal data (P20). */
export function confidentialTexts({bodyText}: PreparedRequest): string[] {
  const fields: Partial<Record<string, string>> = JSON.parse(bodyText)
  const {signature, playerPhone, account, userName} = fields
  return [signature, playerPhone, account, userName].filter((text) => text !== undefined)
}

export function queryBody(
  profile: Profile,
  credentials: Credentials,
  kind: OrderKind,
  orderNo: string,
): Buffer {
  const name = kind === 'deposit' ? profile.dialect.depositQuery.orderNo : 'outOrderNo'
  return Buffer.from(sign({merchantId: profile.merchantId, [name]: orderNo}, profile, credentials))
}

function prepare<Kind extends OrderKind>(
  kind: Kind,
  profile: Profile,
  credentials: Credentials,
  url: string,
  orderNo: string,
  fields: Fields,
): PreparedRequest<Kind> {
  const ambiguous = ambiguousNames(fields)
  // A return address with two query parameters is normal: it gets a warning, other fields are refused.
  const refused = ambiguous.find((name) => name !== 'returnUrl')
  if (refused !== undefined) {
    refuse(
      refused,
      'holds "&" and "=", and would be signed as if it were other fields',
      'Leave "&" or "=" out of it.',
    )
  }
  const bodyText = sign(fields, profile, credentials)
  const body = Buffer.from(bodyText)
  const {returnUrl, ...intent} = fields
  const digests = {fieldsSha256: digestOf(fields), intentSha256: digestOf(intent)}
  return {
    kind,
    merchantId: profile.merchantId,
    orderNo,
    url,
    body,
    bodyText,
    ...digests,
    returnUrl,
    ambiguous,
  }
}

function digestOf(fields: object): string {
  return hash('sha256', JSON.stringify(fields), 'hex')
}

function sign(
  fields: Readonly<Record<string, string | true>>,
  {dialect}: Profile,
  {apiSecret}: Credentials,
): string {
  return JSON.stringify({...fields, signature: signFields(fields, apiSecret, dialect.requestSignature)})
}

function checkNumber(name: string, value: string): void {
  checkText(name, value, orderNoLengthMax)
  if (value !== value.trim()) refuse(name, 'begins or ends with a blank', 'Remove the blank.')
  // A blank of another kind looks like an ordinary one, and makes another number.
  const [found] = /[\u200c-\u200d\u2800]|(?! )\p{Zs}/u.exec(value) ?? []
  if (found !== undefined)
    refuse(
      name,
      `holds the invisible character \\u{${found.charCodeAt(0).toString(16)}}`,
      'Remove it, or type an ordinary blank.',
    )
}

function checkText(name: string, value: string, lengthMax: number): void {
  if (value === '') refuse(name, 'is empty', 'It is required.')
  if ([...value].length > lengthMax) {
    refuse(name, `is longer than ${lengthMax} characters`, 'Use a shorter one (document §8).')
  }
  const hidden = hiddenIn(value)
  if (hidden !== null) {
    refuse(
      name,
      `holds the invisible character ${hidden}`,
      'Remove it, or correct the encoding of the input.',
    )
  }
}

/**
 * The first control, bidi or zero-width character, escaped. Joiners between two Bengali characters are part of the
 * spelling; elsewhere they hide something.
 */
function hiddenIn(value: string): string | null {
  const bare = value.replace(/(?<=\p{sc=Beng})[\u200c\u200d](?=\p{sc=Beng})/gu, '')
  const shown = escapeInvisible(bare)
  if (shown === bare) return null
  return /\\u\{[0-9a-f]+\}/.exec(shown)?.[0] ?? null
}

function checkPhone(name: string, value: string): void {
  if (!walletNumber.test(value)) {
    refuse(
      name,
      'is not a mobile number of Bangladesh',
      'Eleven digits, as 01712345678: 01, then 3 to 9, then eight more.',
    )
  }
}

function checkReturnUrl(value: string): void {
  checkText('returnUrl', value, 2_048)
  const protocol = URL.parse(value)?.protocol
  if (protocol !== 'https:' && protocol !== 'http:') {
    refuse('returnUrl', 'is not an http or https address', 'Give the full address that takes the webhook.')
  }
}

function refuse(name: string, problem: string, hint: string): never {
  throw new Failure('input_invalid', `The field ${name} ${problem}; nothing was sent.`, hint)
}
