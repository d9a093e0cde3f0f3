import type {Paisa} from '../../core/money.ts'
import {cooldownMs} from '../../core/reconcile/evidence.ts'
import {stepLabel} from '../../core/report-labels.ts'
import {quoteForShell} from '../../core/shell.ts'
import {formatMinute} from '../../core/time.ts'
import type {ReconcileFacts} from '../reconcile-report.ts'
import type {Digest, Group} from './digest.ts'
import type {Reader} from './reader.ts'

/** A task, how much it is about, and the command that does it or lists it. */
export interface ToDo {
  readonly what: string
  readonly why: string
  /** 0 if it is not about orders. */
  readonly orders: number
  readonly atRisk: Paisa
  readonly command: string | null
}

/** What is left after a run, most urgent first: commands to continue, decisions of people, the approval. */
export function toDos(facts: ReconcileFacts, {groups}: Digest, to: Reader): ToDo[] {
  const {interim, inDoubt, notSent, resumeCommand, runId, dryRun, profile} = facts
  const ofProfile = `--profile ${quoteForShell(profile)}`
  const asked = (who: Group['asks']) => groups.filter(({asks}) => asks === who)
  // Resuming sends nothing that cools down; a new export shows whether it is booked meanwhile.
  const [cooling, again] = partition(asked('run'), isCooling)
  const [toSend, toRun, toWait] = [sumOf(asked('send')), sumOf(again), sumOf(cooling)]
  const todo = (what: string, command: string | null, about = none, why = ''): ToDo[] => [
    {what, why, command, ...about},
  ]
  const count = inDoubt.filter(({onItsWay}) => !onItsWay).length
  return [
    ...(interim === null ? [] : todo(to.say('doResume'), resumeCommand, none, interim)),
    ...(toSend.orders === 0 || interim !== null
      ? []
      : todo(to.say('doSend', {n: toSend.orders}), notSent?.next ?? sendCommand(facts), toSend)),
    ...(count === 0 ? [] : todo(to.say('doDoubts', {n: count}), `hisab payout list --in-doubt ${ofProfile}`)),
    ...decisions(asked('person'), to, (verdict) =>
      dryRun ? null : `hisab items list --verdict ${verdict} ${ofProfile}`,
    ),
    ...(toRun.orders === 0 || interim !== null
      ? []
      : todo(to.say('doAgain', {n: toRun.orders}), resumeCommand, toRun)),
    ...(toWait.orders === 0 || interim !== null
      ? []
      : todo(
          to.say('doAfterCooldown', {n: toWait.orders, time: to.digits(cooledDown(facts))}),
          `hisab reconcile NEW_LEDGER ${ofProfile}`,
          toWait,
        )),
    ...(interim !== null || dryRun
      ? []
      : todo(to.say('doApprove'), `hisab runs sign-off ${runId} --note "…" ${ofProfile}`)),
  ]
}

function isCooling({cause, resend}: Group): boolean {
  return cause === 'recently_resent' && resend === null
}

/** When the last of them has cooled down: none was resent after the start of the run. */
function cooledDown({startedAtMs, clockSkewMs, timeZone}: ReconcileFacts): string {
  return formatMinute(startedAtMs + cooldownMs + Math.abs(clockSkewMs ?? 0) + 60_000, timeZone)
}

function partition<T>(some: readonly T[], is: (one: T) => boolean): [yes: T[], no: T[]] {
  return [some.filter(is), some.filter((one) => !is(one))]
}

const none = {orders: 0, atRisk: 0n}

function sendCommand({plannedResends, resendsMax, resumeCommand}: ReconcileFacts): string {
  return `${resumeCommand}${plannedResends > resendsMax ? ` --max-resends ${plannedResends}` : ''} --yes`
}

/** One for each step and verdict: equal causes are decided together. */
function decisions(
  groups: readonly Group[],
  to: Reader,
  commandOf: (verdict: string) => string | null,
): ToDo[] {
  const byStep = Map.groupBy(groups, (group) => `${to.of(stepLabel(group))} ${group.verdict}`)
  return [...byStep.values()].flatMap((some) => {
    const [first] = some
    if (!first) return []
    const [what, why] = [to.of(stepLabel(first)), to.result(first)]
    return {what, why, command: commandOf(first.verdict), ...sumOf(some)}
  })
}

function sumOf(groups: readonly Group[]): {orders: number; atRisk: Paisa} {
  return {
    orders: groups.reduce((sum, {orders}) => sum + orders, 0),
    atRisk: groups.reduce((sum, {atRisk}) => sum + atRisk, 0n),
  }
}

/** The number of orders and their amount, or empty. */
export function muchOf({orders, atRisk}: ToDo, to: Reader): string {
  if (orders === 0) return ''
  return `${to.say('orders', {n: orders})}${atRisk > 0n ? `, ${to.bdt(atRisk)}` : ''}`
}
