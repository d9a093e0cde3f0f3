import type {Mutant} from '../mutant.ts'

const verifyWebhook = 'src/receiver/verify-webhook.ts'
const verifyWebhookTest = 'test/receiver/verify-webhook.test.ts'
const handingOn = 'test/receiver/handing-on.test.ts'

/** Webhooks that come in. */
export const receivingMutants: readonly Mutant[] = [
  {
    name: 'unsigned-webhook-let-in',
    breaks: 'P22',
    thought: 'The sandbox sends some without a signature.',
    file: verifyWebhook,
    find: 'const unsigned = isSorted ? verifySorted(fields, rules) : null',
    put: 'const unsigned = isSorted && fields.signature !== undefined ? verifySorted(fields, rules) : null',
    caughtBy: [verifyWebhookTest],
  },
  {
    name: 'answered-before-it-is-stored',
    breaks: 'P23',
    thought: 'The sender need not wait for our disk.',
    file: 'src/receiver/inbox.ts',
    find: '        return () => resolve(result)',
    put: '        resolve(result)\n        return () => {}',
    caughtBy: ['test/receiver/inbox.test.ts'],
  },
  {
    name: 'acknowledged-event-handed-on-again',
    breaks: 'P23',
    thought: 'The merchant’s server knows duplicates by itself.',
    file: 'src/receiver/inbox.ts',
    find: 'const isWanted = claimForMs !== null && (isForced || !isConflict) && !isAcknowledged',
    put: 'const isWanted = claimForMs !== null && (isForced || !isConflict)',
    caughtBy: ['test/receiver/forward.test.ts', handingOn],
  },
  {
    name: 'another-time-is-another-content',
    breaks: 'P23',
    thought: 'Whatever differs is a contradiction.',
    file: 'src/receiver/inbox.ts',
    find: 'const agreeing = stands.find((row) => agreesWith(webhook, row, sql.words))',
    put: 'const agreeing = stands.find((row) => row.digest === webhook.digest)',
    caughtBy: [handingOn],
  },
  {
    name: 'an-unknown-word-is-the-last',
    breaks: 'P7',
    thought: 'A word that the profile has not may have been a credit.',
    file: 'src/receiver/same-event.ts',
    find: "if (before !== 'completed' && isMoved",
    put: "if (before !== 'completed' && before !== 'unknown_status' && isMoved",
    caughtBy: [handingOn],
  },
  {
    name: 'completed-twice-by-two-names',
    breaks: 'P23',
    thought: 'The event is known by its name.',
    file: 'src/receiver/same-event.ts',
    find: "return after === 'failed' || (after === 'completed' && ",
    put: "return after === 'failed' || (after === 'open' && ",
    caughtBy: [handingOn],
  },
  {
    name: 'contradiction-in-no-list',
    breaks: 'P23',
    thought: 'What was acknowledged stands, so nothing waits.',
    file: 'src/receiver/stored-events.ts',
    find: '  waiting: `(${isPendingRow}) OR (${isConflictRow})`,',
    put: '  waiting: isPendingRow,',
    caughtBy: [handingOn],
  },
  {
    name: 'two-listeners-hand-on-one-event',
    breaks: 'P23',
    thought: 'One listener a machine is usual.',
    file: 'src/receiver/inbox.ts',
    find: '  if (sql.claim.run({orderId, key, claim, untilMs}).changes === 0) return null\n',
    put: '  sql.claim.run({orderId, key, claim, untilMs})\n',
    caughtBy: [handingOn],
  },
  {
    name: 'cut-forward-in-no-list',
    breaks: 'P23',
    thought: 'A forward counts once it has ended.',
    file: 'src/receiver/stored-events.ts',
    find: "WHEN forward_open = 1 THEN 'unknown' ELSE 'pending' END",
    put: "WHEN forward_open = 1 THEN NULL ELSE 'pending' END",
    caughtBy: [handingOn],
  },
  {
    name: 'unknown-event-is-completed',
    breaks: 'P7',
    thought: 'The status says it.',
    file: 'src/core/webhook-event.ts',
    find: '(status === null || statuses.includes(status)) && (event === null || events.includes(event))',
    put: '(status === null || statuses.includes(status)) && (event !== "" || events.includes(event))',
    caughtBy: ['test/index.test.ts'],
  },
]
