import {ageText} from '../core/dialect.ts'
import {formatTaka, type Paisa} from '../core/money.ts'
import {type OrderKind, type OrderState, orderKinds, orderStates} from '../core/order.ts'
import type {Profile} from '../core/profile.ts'
import {ledgerColumns} from '../core/profile.ts'
import type {LoadedProfile} from './load-profile.ts'
import {type SettingSource, type TextSetting, textVariables} from './profile-texts.ts'
import type {SecretName} from './secret-sources.ts'

/** One setting in force. A secret's value is never here: `value` is null and `where` names its place. */
export interface Setting {
  readonly key: string
  readonly value: string | readonly string[] | readonly number[] | null
  /** `unset`: no value and no default. */
  readonly from: SettingSource | 'unset'
  /** The variable, or the source of a secret; null if `from` is enough. */
  readonly where: string | null
}

/** Every setting of a profile in the order of docs/configuration.md, with its source. */
export function listSettings(loaded: LoadedProfile): Setting[] {
  const {profile, sources} = loaded
  const {merchantId, environment, baseUrl, applyUrl, legacyUrl, returnUrl} = profile
  const text = (key: TextSetting, value: string | null): Setting => {
    const isSet = value !== null && value !== ''
    const from = isSet ? (sources[key] ?? 'default') : 'unset'
    return {key, value: isSet ? value : null, from, where: from === 'environment' ? textVariables[key] : null}
  }
  const secret = (key: SecretName): Setting => {
    const origin = loaded.secretOrigins[key]
    return {key, value: null, from: origin?.from ?? 'unset', where: origin?.where ?? null}
  }
  const given = new Set(loaded.givenKeys)
  return [
    text('merchant_id', merchantId),
    text('environment', environment),
    text('base_url', baseUrl),
    text('apply_url', applyUrl),
    text('legacy_url', legacyUrl),
    text('return_url', returnUrl),
    text('proxy', profile.proxy ?? null),
    secret('api_secret'),
    secret('api_key'),
    journalSetting(loaded),
    ...Object.entries({
      ...dialectValues(loaded),
      'sandbox.deliver_to': loaded.sandboxDeliverTo,
      ...limitValues(profile),
      ...evidenceValues(loaded),
      ...ledgerValues(profile),
    }).map(
      ([key, value]): Setting => ({
        key,
        value,
        from: given.has(key) ? 'profile' : value === null ? 'unset' : 'default',
        where: null,
      }),
    ),
  ]
}

function journalSetting({sharedJournal}: LoadedProfile): Setting {
  const origin = sharedJournal?.origin
  return {key: 'journal', value: null, from: origin?.from ?? 'unset', where: origin?.where ?? null}
}

/** The settings that findings depend on; not signatures, secrets, addresses and limits. */
export function settingsOfFindings(loaded: LoadedProfile): Readonly<Record<string, Setting['value']>> {
  const values = {...dialectValues(loaded), ...ledgerValues(loaded.profile)}
  return Object.fromEntries(Object.entries(values).filter(([key]) => !isOfNoFinding.test(key)))
}

const isOfNoFinding = /^(?:legacy|webhook|request)_signature\.|^refusal_codes$|^error\.message$/

/** Limits of payouts and times; null is hisab's default. */
function limitValues({payouts, timeouts}: Profile): Record<string, Setting['value']> {
  const taka = (paisa: Paisa | null) => (paisa === null ? null : formatTaka(paisa))
  const time = (ms: number | null | undefined) => (ms == null ? null : `${ms}ms`)
  return {
    'payouts.max_amount': taka(payouts.amountMax),
    'payouts.daily_ceiling': taka(payouts.dailyCeiling),
    'payouts.ignored_columns': payouts.ignoredColumns,
    'payouts.ignored_marks': payouts.ignoredMarks,
    'timeouts.connect': time(timeouts?.connectMs),
    'timeouts.answer': time(timeouts?.answerMs),
    'timeouts.total': time(timeouts?.totalMs),
  }
}

function evidenceValues({evidence: {keepMs, runs, dir}}: LoadedProfile): Record<string, Setting['value']> {
  return {
    'evidence.keep': keepMs === null ? 'off' : `${keepMs / 86_400_000}d`,
    'evidence.runs': `${runs}`,
    'evidence.dir': dir,
  }
}

function dialectValues({profile: {dialect}, givenKeys}: LoadedProfile): Record<string, Setting['value']> {
  const {response, status, error, notFound, legacySignature, webhookSignature, requestSignature} = dialect
  const recipe = (table: string, {input, hash, encoding, key, keyEncoding}: typeof legacySignature) => ({
    [`${table}.input`]: input,
    [`${table}.hash`]: hash,
    [`${table}.encoding`]: encoding,
    [`${table}.key`]: key,
    [`${table}.key_encoding`]: keyEncoding,
  })
  return {
    'deposit_query.order_no': dialect.depositQuery.orderNo,
    'response.order_no': response.orderNo,
    'response.platform_order_no': response.platformOrderNo,
    'response.status': response.status,
    'response.amount': response.amount,
    ...statusValues(status, givenKeys),
    'error.code': error.code,
    'error.message': error.message,
    'not_found.http': notFound.http,
    'not_found.codes': notFound.codes,
    refusal_codes: dialect.refusalCodes,
    ...recipe('legacy_signature', legacySignature),
    'webhook_signature.scheme': webhookSignature.scheme,
    'webhook_signature.header': webhookSignature.header,
    'webhook_signature.timestamp_header': webhookSignature.timestampHeader,
    'webhook_signature.max_age': ageText(webhookSignature.maxAgeMs),
    ...recipe('webhook_signature', webhookSignature.recipe),
    'delivery_join.by': dialect.deliveryJoin,
    'request_signature.empty_strings': requestSignature.emptyStrings,
    'request_signature.sort': requestSignature.sort,
  }
}

/** The words of both kinds, and those that the profile has for one kind. */
function statusValues(
  status: Profile['dialect']['status'],
  givenKeys: readonly string[],
): Record<string, Setting['value']> {
  const isOwn = (kind: OrderKind, state: OrderState) => givenKeys.includes(`status.${kind}.${state}`)
  const shared = orderStates.map((state) => {
    const kind = orderKinds.find((one) => !isOwn(one, state))
    return [`status.${state}`, kind === undefined ? null : status[kind][state]] as const
  })
  const isApart = (kind: OrderKind, state: OrderState) =>
    isOwn(kind, state) ||
    (kind === 'payout' &&
      !isOwn('deposit', state) &&
      `${status.payout[state]}` !== `${status.deposit[state]}`)
  const own = orderKinds.flatMap((kind) =>
    orderStates.map(
      (state) => [`status.${kind}.${state}`, isApart(kind, state) ? status[kind][state] : null] as const,
    ),
  )
  return Object.fromEntries([...shared, ...own])
}

function ledgerValues({ledger}: Profile): Record<string, Setting['value']> {
  const columns = ledgerColumns.map((column) => [
    `ledger.columns.${column}`,
    ledger.columns[column] ?? column,
  ])
  return {
    'ledger.timezone': ledger.timeZone,
    'ledger.holds': ledger.holds,
    'ledger.dates': ledger.dates,
    'ledger.ignored_columns': ledger.ignoredColumns,
    'ledger.ignored_texts': ledger.ignoredTexts,
    ...Object.fromEntries(columns),
    'ledger.import.sheet': ledger.import?.sheet ?? null,
    ...Object.fromEntries(
      ledgerColumns.map((column) => [
        `ledger.import.columns.${column}`,
        ledger.import?.columns[column] ?? null,
      ]),
    ),
    'ledger.status.completed': ledger.status.completed,
    'ledger.status.open': ledger.status.open,
    'ledger.status.failed': ledger.status.failed,
    'ledger.kind.deposit': ledger.kinds.deposit,
    'ledger.kind.payout': ledger.kinds.payout,
    'ledger.kind.other': ledger.kinds.other,
  }
}
