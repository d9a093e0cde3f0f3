import {setTimeout as delay} from 'node:timers/promises'
import {CLIError} from '@oclif/core/errors'
import * as Flags from '@oclif/core/flags'

import type {LoadedProfile} from '../../config/load-profile.ts'
import {readReturnUrl} from '../../config/urls.ts'
import {Failure} from '../../core/failure.ts'
import {isLoopbackHost} from '../../core/loopback.ts'
import {type Profile, receiverPath, receiverPort} from '../../core/profile.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Rules} from '../../receiver/rules.ts'
import {untilAborted} from '../interrupt.ts'
import {loadRecipeKeys, loadSecret} from '../signing/input.ts'
import {durationFlag} from '../time-flag.ts'
import type {EndedBy, ListenSession} from './listen-session.ts'

export const listenFlags = {
  port: Flags.integer({
    summary: 'Port to listen on. 0: any free port.',
    default: receiverPort,
    min: 0,
    max: 65_535,
  }),
  host: Flags.string({
    summary: 'Address to listen on. Any other than the default lets other machines in, without TLS.',
    default: '127.0.0.1',
  }),
  path: Flags.custom<string>({
    summary: 'Path that takes webhooks.',
    default: receiverPath,
    helpValue: '/PATH',
    parse: async (text) => {
      if (/^\/[\w\-./~%]*$/.test(text)) return text
      throw new CLIError(`"${escapeInvisible(text, 80)}" is not a path such as ${receiverPath}.`)
    },
  })(),
  'forward-to': Flags.string({
    summary: 'Forward each event to your server at this address, and return its answer to the service.',
    helpValue: 'URL',
  }),
  count: Flags.integer({summary: 'Stop after this many new events.', min: 1, helpValue: 'N'}),
  'until-order': Flags.string({
    summary: 'Stop when an event of this order number arrives.',
    helpValue: 'NO',
  }),
  timeout: durationFlag({
    summary: 'Stop after this time. Exit status 8 if the awaited events did not arrive.',
  }),
  format: Flags.option({options: ['text', 'ndjson'] as const})({
    summary: 'One line of text or of JSON for each event.',
    default: 'text' as const,
  }),
}

/** The rules for judging webhooks, with only the keys that the profile's scheme needs. */
export async function rulesOf(loaded: LoadedProfile, tell: (note: string) => void): Promise<Rules> {
  const {merchantId, dialect} = loaded.profile
  const {scheme, recipe} = dialect.webhookSignature
  const keys =
    scheme === 'hmac'
      ? await loadRecipeKeys(loaded, recipe, tell)
      : {apiSecret: await loadSecret(loaded, tell), apiKey: ''}
  return {merchantId, dialect, keys}
}

/**
 * Host names that the receiver accepts besides this machine's: that of the return URL; any if other machines may
 * connect.
 */
export function hostnamesOf(host: string, {returnUrl}: Profile): readonly string[] | null {
  if (!isLoopbackHost(host) && host !== '::1') return null
  const url = URL.parse(returnUrl ?? '')
  return url ? [url.hostname] : []
}

/** The address that events are handed to: https, or on this machine (P21), and not the listener itself. */
export function readForwardUrl(text: string, flag: '--forward-to' | '--to', port: number): string {
  const url = new URL(readReturnUrl(text, flag))
  const isLocal = url.protocol === 'http:'
  if (!isLocal || port === 0 || Number(url.port || 80) !== port) return url.href
  throw new Failure(
    'usage',
    `--forward-to has port ${port}, on which hisab itself listens.`,
    'Give the port of your own server, or another --port for hisab.',
  )
}

/** Resolves with the first of the goal, the time limit and a signal. */
export async function untilOver(
  session: ListenSession,
  timeoutMs: number | undefined,
  signal: AbortSignal,
): Promise<EndedBy> {
  const over = new AbortController()
  const first = await Promise.race([
    session.reached,
    untilAborted(signal).then(() => 'signal' as const),
    ...(timeoutMs === undefined
      ? []
      : [delay(timeoutMs, 'timeout' as const, {signal: over.signal}).catch(() => 'timeout' as const)]),
  ])
  over.abort()
  return first
}
