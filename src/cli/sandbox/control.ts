import {Agent} from 'undici'

import {Failure} from '../../core/failure.ts'
import {isJsonObject, type JsonObject, parseJsonBytes} from '../../core/json.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Context} from '../context.ts'

/** A move of the clock may deliver hours of webhooks; a sandbox silent for longer is stuck. */
const answerTimeoutMs = 10 * 60_000
const answerBytesMax = 1024 * 1024

/**
 * Calls the control addresses of a running sandbox, `path` below `/sandbox`, at the profile's `base_url`. Returns
 * `data`.
 *
 * Throws `config_invalid` if that is not this machine: a live service must not be asked. `service_unreachable` if no
 * sandbox runs; `service_refused` with its code.
 */
export async function askSandbox(
  context: Context,
  profileFlag: string | undefined,
  path: string,
  body?: object,
): Promise<JsonObject> {
  const {profile} = await context.loadProfile(profileFlag ?? 'sandbox', 'signing')
  const {isLoopback} = await import('../../core/loopback.ts')
  if (profile.baseUrl === '' || !isLoopback(profile.baseUrl)) {
    throw new Failure(
      'config_invalid',
      `The profile "${escapeInvisible(profile.name)}" is not a sandbox: its base_url is not on this machine.`,
      'Choose --profile sandbox. If the sandbox has another port, set HISAB_BASE_URL.',
    )
  }
  const {origin} = new URL(profile.baseUrl)
  const agent = new Agent()
  const answer = await agent
    .request({
      origin,
      path: `/sandbox${path}`,
      ...(body === undefined
        ? {method: 'GET'}
        : {method: 'POST', headers: {'content-type': 'application/json'}, body: JSON.stringify(body)}),
      signal: AbortSignal.any([context.signal, AbortSignal.timeout(answerTimeoutMs)]),
      headersTimeout: answerTimeoutMs,
    })
    .catch(() => {
      throw unreachable(origin)
    })
  const fields = readAnswer(Buffer.from(await answer.body.arrayBuffer()))
  if (answer.statusCode === 200 && isJsonObject(fields?.data)) return fields.data
  const {code, message} = fields ?? {}
  if (typeof message !== 'string') throw unreachable(origin)
  throw new Failure(
    answer.statusCode === 400 ? 'usage' : 'service_refused',
    escapeInvisible(message),
    'Correct it and run it again.',
    typeof code === 'string' ? code : undefined,
  )
}

function readAnswer(bytes: Uint8Array): JsonObject | null {
  if (bytes.length > answerBytesMax) return null
  try {
    const value = parseJsonBytes(bytes)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

function unreachable(origin: string): Failure {
  return new Failure(
    'service_unreachable',
    `No sandbox answers at ${escapeInvisible(origin)}.`,
    'Start it with `hisab sandbox start`. If it has another port, set HISAB_BASE_URL.',
  )
}
