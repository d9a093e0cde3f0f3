import {spawn} from 'node:child_process'
import {setTimeout as delay} from 'node:timers/promises'

import {Failure} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {CreditsView, PostView, RehearsedView} from '../../report/trigger-text.ts'
import {type AttemptReason, attemptReasons} from '../../sandbox/attempt-reasons.ts'
import type {Exchange, Sender} from '../../sandbox/delivery-sender.ts'
import type {RehearsedOrder, RehearsedPost} from '../../sandbox/rehearsal.ts'

export interface Play {
  readonly url: string
  readonly sender: Sender
  readonly signal: AbortSignal
  readonly delayMs: number
  /**
   * A shell command that prints how often the merchant's books credited an order; null: judge by the answers only.
   */
  readonly credits: string | null
}

/** Nobody listens there: further posts would fail too. */
const notThere: ReadonlySet<AttemptReason | null> = new Set([
  'elsewhere',
  'name_unknown',
  'connection_refused',
  'unreachable',
  'tls_failed',
  'not_http',
] satisfies AttemptReason[])

/**
 * Sends one rehearsed order, and judges what the merchant's server did. Throws `service_unreachable` without a
 * server, `incomplete` if its books could not be read.
 */
export async function playOrder(order: RehearsedOrder, play: Play): Promise<RehearsedView> {
  if (order.way === 'late') await delay(play.delayMs, undefined, {signal: play.signal}).catch(() => {})
  const posts: PostView[] = []
  for (const step of order.steps) {
    play.signal.throwIfAborted()
    posts.push(...(await Promise.all(step.map((post) => send(post, play)))))
  }
  const {way, orderNo, platformOrderNo} = order
  const credits = play.credits === null ? null : await askBooks(play.credits, order)
  return {way, orderNo, platformOrderNo, posts, credits}
}

async function send(post: RehearsedPost, {url, sender, signal}: Play): Promise<PostView> {
  const exchange = await sender.send(url, post.headers(), post.body, signal)
  const {reason, responseCode, durationMs} = exchange
  if (responseCode === null && notThere.has(reason)) {
    const {text, next} = attemptReasons[reason ?? 'connection_failed']
    throw new Failure(
      'service_unreachable',
      `${escapeInvisible(url)}: ${text}`,
      next.replace('returnUrl', '--to'),
    )
  }
  const problem = reason === null ? null : attemptReasons[reason].text
  const {what, expected} = post
  return {what, expected, httpStatus: responseCode, durationMs, problem, finding: findingOf(post, exchange)}
}

function findingOf({expected}: RehearsedPost, {responseCode}: Exchange): PostView['finding'] {
  if (responseCode === null) return 'unanswered'
  const isTaken = responseCode >= 200 && responseCode < 300
  if (expected === 'noticed' && responseCode === 409) return null
  if (expected !== 'refused') return isTaken ? null : 'not_taken'
  if (isTaken) return 'forgery_taken'
  return responseCode >= 400 && responseCode < 500 ? null : 'forgery_not_refused'
}

const booksTimeoutMs = 30_000

async function askBooks(command: string, order: RehearsedOrder): Promise<CreditsView> {
  const {HISAB_API_SECRET: _secret, HISAB_API_KEY: _key, ...own} = process.env
  const child = spawn(command, {
    shell: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: booksTimeoutMs,
    env: {...own, ORDER_NO: order.orderNo, PLATFORM_ORDER_NO: order.platformOrderNo},
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const status = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
  const printed = Buffer.concat(chunks).toString().trim()
  if (status !== 0 || !/^\d{1,9}$/.test(printed)) {
    const what = status === 0 ? `printed "${escapeInvisible(printed, 60)}"` : `ended with status ${status}`
    throw new Failure(
      'incomplete',
      `The command of --credits ${what}, so it is not known what your books have.`,
      'The command must print one number. It gets ORDER_NO and PLATFORM_ORDER_NO in its environment.',
    )
  }
  const found = Number(printed)
  return {
    expected: order.credits,
    found,
    isRight: order.credits === null ? found < 2 : found === order.credits,
  }
}
