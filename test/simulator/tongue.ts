import type {Dice} from './dice.ts'
import type {State} from './world.ts'

/** How a deployment speaks where the service's document is silent (contract §1), as this simulator has it. */
export interface Tongue {
  /** A1: the field of a deposit query that carries the number. */
  readonly queryField: string
  /** A2: the fields of an order in the answer to a query, and in a webhook. */
  readonly fields: {
    readonly orderNo: string
    readonly platformNo: string
    readonly status: string
    readonly amount: string
  }
  /** A3: the words of the document, and what stands for each. */
  readonly words: Readonly<Record<'completed' | 'processing' | 'pending' | 'failed', string>>
  /** A5: how an answer says that there is no such order. */
  readonly absence: {readonly status: number; readonly code: string}
  /** A6: what is signed of a legacy request, and how. */
  readonly legacy: {
    readonly input: string
    readonly hash: 'sha256' | 'sha512' | 'md5'
    readonly encoding: 'hex' | 'base64'
    readonly key: 'api_secret' | 'api_key'
  }
  /** A9. */
  readonly join: readonly ('merchant_order_id' | 'order_id')[]
  /** A13. */
  readonly sort: 'code_unit' | 'ignore_case'
}

const documented: Tongue = {
  queryField: 'orderNo',
  fields: {orderNo: 'orderNo', platformNo: 'platformOrderNo', status: 'status', amount: 'amount'},
  words: {completed: 'completed', processing: 'processing', pending: 'pending', failed: 'failed'},
  absence: {status: 404, code: 'ORDER_NOT_FOUND'},
  legacy: {input: '{timestamp}{method}{path}{body}', hash: 'sha256', encoding: 'hex', key: 'api_secret'},
  join: ['merchant_order_id', 'order_id'],
  sort: 'code_unit',
}

const others: {readonly [Key in keyof Tongue]: readonly Tongue[Key][]} = {
  queryField: ['merchantOrderNo', 'OrderNo'],
  fields: [
    {orderNo: 'merchantOrderNo', platformNo: 'tradeNo', status: 'orderStatus', amount: 'paidAmount'},
    {...documented.fields, amount: 'money'},
    {...documented.fields, status: 'state'},
  ],
  words: [
    {completed: 'SUCCESS', processing: 'IN_PROGRESS', pending: 'WAITING', failed: 'REJECTED'},
    {completed: '2', processing: '1', pending: '0', failed: '-1'},
    {...documented.words, completed: 'paid'},
  ],
  absence: [
    {status: 200, code: 'NO_SUCH_ORDER'},
    {status: 410, code: 'UNKNOWN_ORDER'},
  ],
  legacy: [
    {input: '{method}\n{path}\n{timestamp}\n{body}', hash: 'sha512', encoding: 'base64', key: 'api_key'},
    {...documented.legacy, hash: 'md5'},
  ],
  join: [['order_id'], ['merchant_order_id'], ['order_id', 'merchant_order_id']],
  sort: ['ignore_case'],
}

/** Every point in which a profile may say otherwise than by default. */
export const settings = Object.keys(others) as readonly (keyof Tongue)[]

/** Where a profile that says otherwise than the service speaks leaves its answers without meaning, and never turns one. */
export const misheard = ['queryField', 'fields', 'words', 'absence', 'legacy'] as const

/** How this service speaks: mostly as the document has it or is read by default. */
export function spokenFrom(dice: Dice): Tongue {
  if (dice.chance(0.7)) return documented
  return settings.reduce(
    (tongue, point) => (dice.chance(0.45) ? otherwise(tongue, point, dice) : tongue),
    documented,
  )
}

/** What the profile says of it: the same, or another thing in one point. */
export function toldFrom(dice: Dice, spoken: Tongue): Tongue {
  return dice.chance(0.06) ? otherwise(spoken, dice.pick(misheard), dice) : spoken
}

/** The points in which the two differ. */
export function differences(told: Tongue, spoken: Tongue): (keyof Tongue)[] {
  if (told === spoken) return []
  return settings.filter((point) => JSON.stringify(told[point]) !== JSON.stringify(spoken[point]))
}

/** The points in which a profile says otherwise than by default: other parts of hisab's code are at work then. */
export function settingsOf(told: Tongue): (keyof Tongue)[] {
  return differences(told, documented)
}

/** What a word means by a profile (A3); null: neither paid nor failed (P7). */
export function stateIn({words}: Tongue, word: string): State | null {
  const {completed, processing, pending, failed} = words
  if (word === completed) return 'completed'
  if (word === processing || word === pending) return 'open'
  return word === failed ? 'failed' : null
}

function otherwise(tongue: Tongue, point: keyof Tongue, dice: Dice): Tongue {
  const now = JSON.stringify(tongue[point])
  const choices = [documented[point], ...others[point]].filter((one) => JSON.stringify(one) !== now)
  return {...tongue, [point]: dice.pick(choices)}
}
