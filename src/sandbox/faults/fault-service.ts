import {hash} from 'node:crypto'

import type {Clock} from '../clock.ts'
import type {Log} from '../events.ts'
import {type FaultName, type FaultOperation, type FaultScope, faultKinds} from './kinds.ts'
import {type FaultRule, readRule} from './rule.ts'

export interface FaultState {
  readonly seed: number
  readonly chaos: readonly string[]
  readonly played: Readonly<Partial<Record<FaultName, number>>>
  /** Forged webhooks that a receiver answered with 2xx: it does not verify signatures. */
  readonly forgeriesTaken: number
}

export interface DrawnFault {
  readonly fault: FaultName
  readonly spanMs: number
}

export interface FaultPlan {
  /** Rules in the grammar of `readRule`. */
  readonly chaos: readonly string[]
  /** The same seed, rules and calls play the same faults. */
  readonly seed: number
}

export type FaultService = ReturnType<typeof openFaultService>

interface CountedRule extends FaultRule {
  /** Calls that the rule applied to so far. */
  count: number
}

/**
 * Decides which call, webhook or attempt a fault is played on. The n-th call of a rule always gets the same result
 * for one seed: it is drawn from the seed, the rule's text and n, not from one shared sequence.
 */
export function openFaultService(clock: Clock, log: Log, plan: FaultPlan) {
  let seed = 0
  let rules: CountedRule[] = []
  let played: Partial<Record<FaultName, number>> = {}
  let forgeriesTaken = 0

  /** Throws `usage` for a rule that cannot be read; the old rules then stay. */
  function set(next: FaultPlan): void {
    const now = clock.now()
    rules = next.chaos.map((text) => ({...readRule(text, now), count: 0}))
    seed = next.seed
    played = {}
    forgeriesTaken = 0
  }
  set(plan)

  function play(fault: FaultName, where: string, n: number): void {
    played[fault] = (played[fault] ?? 0) + 1
    log({type: 'fault_played', fault, where, n})
  }

  function draw(scope: FaultScope, where: string, operation: FaultOperation | null = null): DrawnFault[] {
    if (rules.length === 0) return []
    const now = clock.now()
    const drawn: DrawnFault[] = []
    for (const rule of rules) {
      if (faultKinds[rule.fault].scope !== scope || !isOpen(rule, now)) continue
      if (rule.operation !== null && rule.operation !== operation) continue
      rule.count += 1
      if (!isBefallen(rule, seed)) continue
      play(rule.fault, where, rule.count)
      drawn.push(rule)
    }
    return drawn
  }

  function standing(fault: FaultName): FaultRule | undefined {
    if (rules.length === 0) return undefined
    const now = clock.now()
    return rules.find((rule) => rule.fault === fault && isOpen(rule, now))
  }

  return {
    set,
    /** Adds one rule; the others go on unchanged. */
    add: (text: string): void => void rules.push({...readRule(text, clock.now()), count: 0}),
    remove(text: string): void {
      rules = rules.filter((rule) => rule.text !== text)
    },
    state: (): FaultState => ({
      seed,
      chaos: rules.map(({text}) => text),
      played: {...played},
      forgeriesTaken,
    }),
    isActive: () => rules.length > 0,
    ofCall: (operation: FaultOperation) => draw('call', operation, operation),
    ofAttempt: (orderNo: string) => draw('attempt', orderNo),
    /** Delay before a webhook is first sent. */
    lateMs: (orderNo: string) => draw('webhook', orderNo).reduce((sum, {spanMs}) => sum + spanMs, 0),
    isLegacyGone: () => standing('no-legacy-api') !== undefined,
    serviceNow: () => Date.now() + (standing('skewed-clock')?.spanMs ?? 0),
    forgeryAnswered(orderNo: string, responseCode: number | null): void {
      const isTaken = responseCode !== null && responseCode >= 200 && responseCode < 300
      if (isTaken) forgeriesTaken += 1
      log({type: 'forgery_answered', orderNo, responseCode, isTaken})
    },
  }
}

function isOpen({fromMs, toMs}: FaultRule, now: number): boolean {
  return fromMs <= now && now < toMs
}

function isBefallen({when, text, count}: CountedRule, seed: number): boolean {
  if ('calls' in when) return when.calls.has(count)
  if (when.rate === 1) return true
  const drawn = Number.parseInt(hash('md5', `${seed}\n${text}\n${count}`, 'hex').slice(0, 8), 16) / 2 ** 32
  return drawn < when.rate
}
