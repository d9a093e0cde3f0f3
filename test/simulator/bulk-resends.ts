import {deliveryStatuses} from '../../src/core/order.ts'
import {playResend, type ResendEnd, type ResendOptions} from './bulk-resend.ts'
import {expectStatus} from './expected.ts'
import {fateFrom, judgeEnding} from './fates.ts'
import type {History} from './history.ts'
import {SimulatedProcess} from './process.ts'
import {keyOf} from './world.ts'

/** A person resends what failed, in bulk or by id, and goes on with it where it was cut off. */
export async function playBulkResends(history: History): Promise<void> {
  const {dice, site, journal, oracle} = history
  const options = optionsFrom(history)
  history.say(
    `hisab webhooks resend, run ${options.runId}, ${options.selection.by === 'ids' ? `${options.selection.ids.length} ids` : `--status ${options.selection.status}`}`,
  )
  for (let go = 0; go < 3; go++) {
    const resumes = go > 0 && journal.get().findRun(options.runId) !== null
    const process = new SimulatedProcess(site, `resend ${options.runId}`, options.runId, fateFrom(history))
    const {includeDelivered, ignoreCooldown, retryUnknown} = options
    oracle.expect(process, {maySend: options.says, includeDelivered, ignoreCooldown, retryUnknown})
    if (resumes) {
      history.say(`  hisab webhooks resend --resume ${options.runId}`)
      site.counts.add('resumes of webhooks resend')
    }
    history.limitTime()
    const end = await playResend(process, journal, options, resumes)
    site.counts.add('webhooks resend')
    history.blame(judgeEnding(end))
    history.blame(judgeLines(history, options, end))
    history.say(
      `  it ${end.ending.is}${end.ending.is === 'ended' ? ` with exit ${end.ending.value.status}` : end.ending.is === 'failed' ? `: ${end.ending.failure.code}` : ''}`,
    )
    const isOver = end.ending.is !== 'killed' && !process.stop.signal.aborted
    if (isOver || dice.chance(0.15)) return
    history.pause()
  }
}

function judgeLines(
  {oracle, site: {world, counts}}: History,
  options: ResendOptions,
  end: ResendEnd,
): string[] {
  if (end.ending.is !== 'ended') return []
  const {lines, work, status, isRun} = end.ending.value
  const problems: string[] = []
  const wrong = (id: string, state: string, what: string) =>
    problems.push(`record ${id.slice(-4)} is called ${state}: ${what}`)
  for (const {
    id,
    outcome: {state},
  } of lines) {
    counts.add(`bulk resend ${state}`)
    const record = world.record(id)
    const sends = (oracle.sends.get(keyOf('deposit', `${record?.orderId} ${record?.event}`)) ?? []).filter(
      (send) => send.runId === options.runId && send.recordId === id,
    )
    const last = sends.at(-1)
    const hears = last?.made.hears
    const isLive = sends.some(
      ({made}) => made.hears !== 'throttled' && made.hears !== 'not_sent' && made.hears !== 'no',
    )
    const hasMoved = record && last && record.attempts > last.before.attempts
    if ((state === 'skipped' || state === 'planned') && isLive) wrong(id, state, 'it was sent')
    if (state === 'refused' && hears !== 'no') wrong(id, state, 'nobody refused it (P6)')
    if (state === 'sent' && hears !== 'yes') wrong(id, state, 'nobody accepted it (P6)')
    if (state === 'delivered' && (!hasMoved || record.status !== 'success'))
      wrong(id, state, 'its record does not show it (A7)')
    if (state === 'still_failing' && !hasMoved) wrong(id, state, 'its record shows no later attempt')
  }
  const states = lines.map(({outcome}) => outcome.state)
  const isOpen =
    work.incompleteBecause.length > 0 ||
    lines.some(
      ({isPlanned, outcome}) => outcome.state === 'sent' || (isPlanned && outcome.state === 'skipped'),
    )
  const isLeft = lines.some(
    ({isPlanned, outcome: {state}}) =>
      ['planned', 'refused', 'still_failing'].includes(state) ||
      (state === 'skipped' && !isPlanned && options.selection.by === 'ids'),
  )
  const isStopped = end.process.stop.signal.aborted
  const expected = expectStatus({isStopped, isInDoubt: states.includes('unknown'), isOpen, isLeft})
  if (status !== expected) problems.push(`the exit status is ${status} and should be ${expected} (P18)`)
  const {selection} = options
  if (selection.by === 'filter' && work.incompleteBecause.length === 0 && isRun) {
    for (const record of world.records) {
      const stood =
        record.status === selection.status &&
        record.createdMs < end.startedMs &&
        (record.sentMs ?? 0) < end.startedMs
      if (stood && !lines.some(({id}) => id === record.id) && !work.isResumed)
        wrong(record.id, 'nothing', 'it was there all the time (P9)')
    }
  }
  return problems
}

function optionsFrom({dice, site, runName}: History): ResendOptions {
  const ids = site.world.records.filter(() => dice.chance(0.5)).map(({id}) => id)
  const byIds = ids.length > 0 && dice.chance(0.3)
  const local = {
    sinceMs: null,
    untilMs: null,
    event: null,
    merchantOrderId: null,
    codes: [],
    urlStart: null,
    host: null,
  }
  return {
    runId: runName(),
    selection: byIds
      ? {by: 'ids', ids}
      : {by: 'filter', status: dice.chance(0.85) ? 'failed' : dice.pick(deliveryStatuses), local},
    ...{says: !dice.chance(0.1), thinksMs: dice.pick([0, 3_000, 500_000])},
    ...{
      includeDelivered: dice.chance(0.15),
      ignoreCooldown: dice.chance(0.15),
      retryUnknown: dice.chance(0.2),
    },
    ...{
      mayUseCanary: dice.chance(0.7),
      resendsMax: dice.pick([100, 100, 2]),
      settleMs: dice.pick([0, 10_000, 60_000]),
    },
  }
}
