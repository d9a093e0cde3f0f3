import {Failure} from '../../core/failure.ts'
import {nearest} from '../../core/nearest.ts'
import {escapeInvisible} from '../../core/text.ts'
import {parseInstant, parseSpan} from '../../core/time.ts'
import {type FaultName, type FaultOperation, faultKinds, faultNames, faultOperations} from './kinds.ts'

export interface FaultRule {
  readonly text: string
  readonly fault: FaultName
  /** Null: every operation, or the fault is not of a call. */
  readonly operation: FaultOperation | null
  /** A share of the calls, or their numbers from 1. */
  readonly when: {readonly rate: number} | {readonly calls: ReadonlySet<number>}
  readonly spanMs: number
  /** In force from here, by the sandbox's clock, until before `toMs`. */
  readonly fromMs: number
  readonly toMs: number
}

/** The grammar as messages show it. */
export const ruleForm = '[OPERATION.]FAULT[=RATE|#N][:SPAN][@FROM/TO]'

const form = /^(?:([a-z]+-[a-z]+)\.)?([a-z]+(?:-[a-z]+)*)(?:=([^:@]*))?(?::([^@]*))?(?:@([^/]*)\/(.*))?$/

/**
 * Reads `payout-create.lost-answer-after=#2`, `rate-limited=0.1:5s`, `receiver-outage@+1h/+10h`. Times are ISO 8601
 * with an offset, `+1h` after `nowMs`, or empty. Throws `usage`, naming what is wrong.
 */
export function readRule(text: string, nowMs: number): FaultRule {
  const [whole, operation, name = '', when, span, from = '', to = ''] = form.exec(text.trim()) ?? []
  if (whole === undefined) throw invalid(text, 'is not of the form of a fault')
  const fault = faultNames.find((known) => known === name)
  if (!fault) {
    const meant = nearest(name, faultNames)
    throw refused(
      `There is no fault "${escapeInvisible(name, 80)}".`,
      meant === null ? '' : `Did you mean ${meant}? `,
    )
  }
  const rule = {
    text: whole,
    fault,
    operation: readOperation(text, fault, operation),
    when: readWhen(text, fault, when),
    spanMs: readSpanOf(text, fault, span),
    fromMs: readEnd(text, from, nowMs) ?? Number.NEGATIVE_INFINITY,
    toMs: readEnd(text, to, nowMs) ?? Number.POSITIVE_INFINITY,
  }
  if (rule.fromMs < rule.toMs) return rule
  throw invalid(text, 'ends before it begins')
}

export function readScript(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

function readOperation(text: string, fault: FaultName, given: string | undefined): FaultOperation | null {
  if (fault === 'moving-pages' && given === undefined) return 'webhooks-list'
  if (given === undefined) return null
  if (faultKinds[fault].scope !== 'call')
    throw invalid(text, `names an operation, but ${fault} is a fault of no single call`)
  const operation = faultOperations.find((known) => known === given)
  if (operation && (fault !== 'moving-pages' || operation === 'webhooks-list')) return operation
  throw invalid(text, `names no operation that can have this fault. There are ${faultOperations.join(', ')}`)
}

function readWhen(text: string, fault: FaultName, given: string | undefined): FaultRule['when'] {
  if (given === undefined) return {rate: 1}
  if (faultKinds[fault].scope === 'standing')
    throw invalid(text, `has a rate, and ${fault} holds all the time`)
  if (/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(given)) return {rate: Number(given)}
  const calls = given.split(',').map((part) => /^#([1-9]\d{0,8})$/.exec(part)?.[1])
  if (calls.includes(undefined)) {
    throw refused(`${escapeInvisible(text, 120)}: give a rate (0.05) or calls (#2 or #1,#4).`)
  }
  return {calls: new Set(calls.map(Number))}
}

function readSpanOf(text: string, fault: FaultName, given: string | undefined): number {
  const {span} = faultKinds[fault]
  if (given === undefined) return span?.defaultMs ?? 0
  if (span === null) throw invalid(text, `has a span, and ${fault} takes none`)
  const isBehind = fault === 'skewed-clock' && given.startsWith('-')
  const ms = parseSpan(isBehind ? given.slice(1) : given)
  if (ms === null) throw invalid(text, `has a span that is no length of time (${span.of}): 5s, 10m, 7h21m`)
  return isBehind ? -ms : ms
}

function readEnd(text: string, end: string, nowMs: number): number | null {
  if (end === '') return null
  const spanMs = end.startsWith('+') ? parseSpan(end.slice(1)) : null
  const atMs = spanMs === null ? parseInstant(end) : nowMs + spanMs
  if (atMs !== null) return atMs
  throw invalid(text, 'has a time that is none: +1h from now, or 2026-11-20T01:10:00+06:00')
}

function invalid(text: string, problem: string): Failure {
  return refused(`"${escapeInvisible(text, 120)}" ${problem}.`)
}

function refused(what: string, meant = ''): Failure {
  return new Failure(
    'usage',
    what,
    `${meant}A fault is written ${ruleForm}. docs/sandbox.md explains each fault.`,
  )
}
