import {escapeInvisible} from '../core/text.ts'
import type {Style} from './table.ts'
import {wrapText} from './wrap.ts'

/** What a merchant's server did wrong with one POST: a closed set. */
const findingTexts = {
  forgery_taken: 'YOUR SERVER TOOK A FORGERY. Whoever sends it is credited.',
  forgery_not_refused: 'It is not genuine. Answer 401.',
  not_taken: 'It is genuine. Answer 2xx: else the service sends it five times more.',
  unanswered: 'No answer in time. Store the event, answer 200, then work.',
} as const

export interface PostView {
  readonly what: string
  readonly expected: 'taken' | 'refused' | 'noticed'
  /** Null if none came. */
  readonly httpStatus: number | null
  readonly durationMs: number
  /** Why there was no complete answer. */
  readonly problem: string | null
  readonly finding: keyof typeof findingTexts | null
}

/** What the merchant's books say of an order. */
export interface CreditsView {
  /** Null: a person decides, and only two credits are wrong. */
  readonly expected: 0 | 1 | null
  readonly found: number
  readonly isRight: boolean
}

export interface RehearsedView {
  readonly way: 'genuine' | 'duplicated' | 'late' | 'forged' | 'reordered'
  readonly orderNo: string
  readonly platformOrderNo: string
  readonly posts: readonly PostView[]
  /** Null if the books were not asked. */
  readonly credits: CreditsView | null
}

export function findingsOf({posts, credits}: RehearsedView): number {
  return posts.filter(({finding}) => finding !== null).length + (credits?.isRight === false ? 1 : 0)
}

export function rehearsedText(event: string, view: RehearsedView, style: Style): string {
  const {way, orderNo, posts, credits} = view
  const lines = posts.flatMap(({what, httpStatus, durationMs, problem, finding}) => {
    const answer = httpStatus === null ? 'no answer' : `HTTP ${httpStatus}`
    const verdict = finding === null ? style('green', 'right') : style('red', 'WRONG')
    const line = `  ${verdict}  ${answer.padEnd(9)} ${`${durationMs} ms`.padStart(8)}  ${what}`
    const why = finding === null ? [] : [`         ${style('red', findingTexts[finding])}`]
    return [line, ...(problem === null ? [] : [`         ${problem}`]), ...why]
  })
  const booked = credits === null ? [] : [creditsLine(credits, style)]
  return [`${event}, ${way}: order ${escapeInvisible(orderNo)}`, ...lines, ...booked, ''].join('\n')
}

function creditsLine({expected, found, isRight}: CreditsView, style: Style): string {
  const wanted = expected === null ? 'at most 1' : expected
  const verdict = isRight ? style('green', 'right') : style('red', 'WRONG')
  return `  ${verdict}  your books credited it ${found === 1 ? 'once' : `${found} times`} (right: ${wanted})`
}

export function rehearsalEnd(orders: readonly RehearsedView[], width = Number.POSITIVE_INFINITY): string {
  const wrong = orders.reduce((sum, order) => sum + findingsOf(order), 0)
  const sent = orders.reduce((sum, {posts}) => sum + posts.length, 0)
  const end = wrong === 0 ? `All ${sent} answers were right.` : `${wrong} wrong.`
  const numbers = orders.length === 1 ? 'the order number' : `the ${orders.length} order numbers`
  const text = `${end} An answer does not show what was booked: look for ${numbers} in your books, or add --credits COMMAND.`
  return orders.every(({credits}) => credits !== null) ? end : wrapText(text, width, '')
}
