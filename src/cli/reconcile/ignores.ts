import {Failure} from '../../core/failure.ts'
import type {OrderKind} from '../../core/order.ts'
import type {RememberedFinding} from '../../core/reconcile/history.ts'
import type {Verdict} from '../../core/reconcile/verdict.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'
import type {NewIgnore} from '../../journal/memory-rows.ts'
import {authorOf} from '../author.ts'
import {readSentence} from '../items/select.ts'
import type {WrittenInstant} from '../time-flag.ts'

interface IgnoreFlags {
  readonly reason: string
  readonly until: WrittenInstant
  readonly kind?: OrderKind | undefined
  readonly verdict?: Verdict | undefined
  readonly by?: string | undefined
}

/** What a person gave, tied to its one open finding. Throws `usage` or `not_found`. */
export async function readIgnore(
  orderNo: string,
  flags: IgnoreFlags,
  journal: Pick<Journal, 'openFindings'>,
  timeZone: string,
  nowMs: number,
): Promise<NewIgnore> {
  const reason = readSentence('reason', flags.reason)
  const expiresAtMs = flags.until.resolve(timeZone, nowMs)
  if (expiresAtMs <= nowMs) {
    throw new Failure(
      'usage',
      `--until ${escapeInvisible(flags.until.text, 40)} is not in the future.`,
      'Give a later day. The ignore ends on it.',
    )
  }
  const {id: findingId, atRisk} = await findOpen(orderNo, flags, journal)
  return {findingId, atRisk, reason, by: authorOf(flags.by), atMs: nowMs, expiresAtMs}
}

async function findOpen(
  orderNo: string,
  {kind, verdict}: IgnoreFlags,
  journal: Pick<Journal, 'openFindings'>,
): Promise<RememberedFinding> {
  const [finding, ...more] = (await journal.openFindings()).filter(
    (one) => one.orderNo === orderNo && (!kind || one.kind === kind) && (!verdict || one.verdict === verdict),
  )
  if (!finding) {
    throw new Failure(
      'not_found',
      `${escapeInvisible(orderNo, 60)} has no open finding.`,
      'Run `hisab reconcile` first, without --dry-run. An ignore belongs to a finding of that run.',
    )
  }
  if (more.length === 0) return finding
  const each = [finding, ...more].map((one) => `--kind ${one.kind} --verdict ${one.verdict}`)
  throw new Failure(
    'usage',
    `${escapeInvisible(orderNo, 60)} has ${each.length} open findings.`,
    `Choose one: ${each.join(', or ')}.`,
  )
}
