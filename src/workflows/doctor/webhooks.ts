import type {CallError} from '../../api/classify-response.ts'
import {rejectedText, type ServiceProbe, withCode} from '../../api/probe.ts'
import {type Check, failed, ok, skipped, unknown, warning} from '../../core/doctor/check.ts'
import {Failure} from '../../core/failure.ts'
import {isJsonObject, JsonSyntaxError, type JsonValue, parseJson} from '../../core/json.ts'
import type {Delivery} from '../../core/order.ts'
import type {Profile} from '../../core/profile.ts'
import {sameSignature} from '../../core/signing/compare.ts'
import {signFields} from '../../core/signing/request.ts'
import {escapeInvisible} from '../../core/text.ts'

/** Whether the legacy API answers and accepts the signature (A6, A11), by a list of one record. */
export async function webhooksCheck(probe: ServiceProbe) {
  const {outcome, seen, tookMs} = await probe.listOne()
  if (outcome.kind !== 'done') return {check: errorCheck(outcome, seen, probe), record: null}
  const {total, records} = outcome.value
  const count = `${total} delivery ${total === 1 ? 'record' : 'records'}`
  return {
    check: ok('webhooks', `there, signature accepted: ${count}, in ${tookMs} ms`),
    record: records[0] ?? null,
  }
}

function errorCheck(error: CallError, seen: string, probe: ServiceProbe): Check {
  const {code, what} = error
  switch (code) {
    case 'legacy_unavailable':
      return warning(
        'webhooks',
        `there is no legacy API: ${seen}`,
        'Check legacy_url. The legacy API is deprecated and may be missing. Without it no webhook can be listed or resent.',
      )
    case 'service_unreachable':
      return failed('webhooks', code, what, 'Check legacy_url and the network.')
    case 'credentials_rejected':
      return failed('webhooks', code, rejectedText(seen, error, probe.skews.legacy_url.ms), recipeHint)
    case 'service_refused':
      return failed('webhooks', 'credentials_rejected', withCode(what, error), recipeHint)
    default:
      return unknown('webhooks', what, 'Run it again; if it stays, check legacy_url.')
  }
}

const recipeHint =
  'Check the API key. If it is right, the signature scheme (A6) is wrong. Find it offline from a captured request with `hisab verify --discover`, or with `hisab doctor --find-legacy-scheme`.'

/** Whether webhooks are signed as the profile says (A8), by one record. */
export async function receiverCheck(
  probe: ServiceProbe,
  record: Delivery | null,
  {dialect, returnUrl}: Profile,
  apiSecret: string,
): Promise<Check> {
  const where = returnUrl === null ? '' : `; return_url ${escapeInvisible(returnUrl, 120)}`
  const {scheme, header} = dialect.webhookSignature
  if (scheme === 'hmac') {
    return skipped('receiver', `webhooks are signed in ${header}, which no record keeps${where}`, proveHint)
  }
  if (record === null) {
    return skipped('receiver', `no delivery record to see a signed webhook in${where}`, proveHint)
  }
  const {outcome, seen} = await probe.getDelivery(record.id)
  if (outcome.kind !== 'done' || outcome.value === null) {
    return skipped('receiver', `the record ${record.id} could not be read: ${seen}`, proveHint)
  }
  const verdict = checkPayload(outcome.value.payload, apiSecret, dialect)
  if (verdict === null)
    return ok('receiver', `the webhook of record ${record.id} verifies: md5-sorted${where}`)
  return warning(
    'receiver',
    `webhooks do not verify as md5-sorted: that of record ${record.id} ${verdict}`,
    'Find their scheme from one you received: hisab verify --scheme webhook --discover --capture FILE.',
  )
}

const proveHint = 'To prove it, check a webhook you received: hisab verify --scheme webhook --body FILE.'

/** The fault of a webhook body's signature (service §5.1), or null. */
function checkPayload(
  payload: JsonValue | undefined,
  apiSecret: string,
  {requestSignature}: Profile['dialect'],
): string | null {
  try {
    const body = typeof payload === 'string' ? parseJson(payload) : payload
    if (!isJsonObject(body)) return 'holds no JSON object'
    const {signature} = body
    if (typeof signature !== 'string') return 'carries no field "signature"'
    return sameSignature(signature, signFields(body, apiSecret, requestSignature))
      ? null
      : 'carries another signature'
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof Failure) return 'cannot be read as signed fields'
    throw error
  }
}
