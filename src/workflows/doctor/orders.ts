import {InvalidResponse, readJson} from '../../api/answer.ts'
import {answerShape} from '../../api/answer-shape.ts'
import type {CallError} from '../../api/classify-response.ts'
import {codesOf} from '../../api/envelope.ts'
import {type Probed, rejectedText, type ServiceProbe, withCode} from '../../api/probe.ts'
import type {OrderAnswer} from '../../api/wire.ts'
import {type Check, type CheckName, failed, ok, unknown} from '../../core/doctor/check.ts'
import type {OrderKind} from '../../core/order.ts'
import type {Profile} from '../../core/profile.ts'

const settingOf = {deposit: 'base_url', payout: 'apply_url'} as const
const nameOf = {deposit: 'deposits', payout: 'payouts'} as const

/**
 * Checks the signature by asking for an order that surely does not exist, `madeUpNo`. "No such order" is the service's
 * answer only if an impossible address is answered differently (A5): a framework's JSON 404 at a wrong `base_url` would
 * read the same, and every order would seem absent.
 */
export async function ordersCheck(
  kind: OrderKind,
  probe: ServiceProbe,
  profile: Profile,
  madeUpNo: string,
): Promise<Check> {
  const name = nameOf[kind]
  const setting = settingOf[kind]
  const asked = await probe.queryOrder(kind, madeUpNo)
  const {outcome} = asked
  if (outcome.kind !== 'done') return refusedCheck(name, setting, outcome, asked, probe)
  if (outcome.value.found) {
    return unknown(
      name,
      `it found an order for ${madeUpNo}, a number that hisab made up`,
      `Check ${setting}. Its answers are not reliable: it finds every order.`,
    )
  }
  return absenceCheck(kind, asked, probe, profile, madeUpNo)
}

async function absenceCheck(
  kind: OrderKind,
  {answer, seen, tookMs}: Probed<OrderAnswer>,
  probe: ServiceProbe,
  {dialect}: Profile,
  madeUpNo: string,
): Promise<Check> {
  const name = nameOf[kind]
  const setting = settingOf[kind]
  const nowhere = await probe.askNowhere(kind, madeUpNo)
  if (answer === null || nowhere.answer === null) {
    return unknown(
      name,
      `"no such order" (${seen}), which a wrong ${setting} may say as well: asked at an address that cannot exist, ${nowhere.seen}`,
      'Run it again. Until then do not rely on "no such order".',
    )
  }
  const words = [madeUpNo, 'query', 'Query']
  if (answerShape(answer, words) === answerShape(nowhere.answer, words)) {
    return failed(
      name,
      'config_invalid',
      `${setting} is wrong: an address that cannot exist gets the same answer (${seen})`,
      `Correct ${setting}. With this address every order looks absent.`,
    )
  }
  const code = codesOf(dialect, jsonOf(answer)).find((found) => dialect.notFound.codes.includes(found))
  if (code !== undefined) {
    return ok(name, `signature accepted: ${code} for a number made up for this, in ${tookMs} ms`)
  }
  return ok(
    name,
    `signature probably accepted: a JSON ${answer.status} without a code, different from the answer of an address that cannot exist`,
  )
}

function refusedCheck(
  name: CheckName,
  setting: 'base_url' | 'apply_url',
  callError: CallError,
  {seen, answer}: Probed<OrderAnswer>,
  probe: ServiceProbe,
): Check {
  const {code, what} = callError
  switch (code) {
    case 'service_unreachable':
      return failed(name, code, what, `Check ${setting} and the network.`)
    case 'credentials_rejected':
      return failed(
        name,
        code,
        rejectedText(seen, callError, probe.skews[setting].ms),
        credentialsHint(answer?.status === 403),
      )
    case 'service_refused':
      return sayNo(name, withCode(what, callError))
    case 'answer_untrusted':
      // A page or a redirect shows a wrong address; anything else may be a passing fault.
      return answer !== null && answer.status >= 300 && answer.status < 500
        ? failed(name, 'config_invalid', what, `${setting} is not the address of the API: correct it.`)
        : unknown(name, what, `Is ${setting} the address of the API? Then run it again.`)
    default:
      return unknown(name, what, 'Run it again later.')
  }
}

const absentWords = /not[ _-]*(?:found|exist)|no[ _-]*such|does(?:n.t| not) exist|unknown[ _-]*order/i
const credentialWords = /sign|auth|credential|merchant|api[ _-]*key|secret|denied|forbidden/i

/** A refusal by the service: of the caller, or perhaps its way to say that there is no such order. */
function sayNo(name: CheckName, shown: string): Check {
  if (absentWords.test(shown)) {
    return unknown(
      name,
      `this answer probably means "no such order": ${shown}`,
      'If so, add its code: hisab config set not_found.codes ORDER_NOT_FOUND CODE',
    )
  }
  if (credentialWords.test(shown)) return failed(name, 'credentials_rejected', shown, credentialsHint(false))
  return unknown(
    name,
    shown,
    'Ask the service what this refusal means. It does not show whether the signature passed.',
  )
}

function credentialsHint(isForbidden: boolean): string {
  return isForbidden
    ? 'Check the merchant id, the API secret, and whether the service allows this machine’s address.'
    : 'Check merchant id, API secret and request_signature (A12, A13) of this profile. hisab sign --explain shows each step.'
}

function jsonOf(answer: NonNullable<Probed<OrderAnswer>['answer']>) {
  try {
    return readJson(answer)
  } catch (error) {
    if (error instanceof InvalidResponse) return null
    throw error
  }
}
