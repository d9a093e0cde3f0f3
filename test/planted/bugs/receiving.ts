import type {PlantedBug} from '../planted-bug.ts'

const judge = 'src/receiver/judge.ts'
const judgeTest = 'test/receiver/judge.test.ts'

/** Webhooks that come in. */
export const receivingBugs: readonly PlantedBug[] = [
  {
    name: 'unsigned-webhook-let-in',
    breaks: 'P22',
    thought: 'The sandbox sends some without a signature.',
    file: judge,
    find: 'const unsigned = isSorted ? judgeSorted(fields, rules) : null',
    put: 'const unsigned = isSorted && fields.signature !== undefined ? judgeSorted(fields, rules) : null',
    caughtBy: [judgeTest],
  },
  {
    name: 'signature-not-checked',
    breaks: 'P22',
    thought: 'Left out while trying something, and forgotten.',
    file: judge,
    find: "  if (!sameSignature(signature, signFields(fields, keys.apiSecret, dialect.requestSignature))) {\n    return refuse('mismatch', 'The signature is wrong.')\n  }\n",
    put: '',
    caughtBy: [judgeTest, 'test/fuzz/webhooks.test.ts'],
  },
  {
    name: 'ambiguous-webhook-let-in',
    breaks: 'P22',
    thought: 'Its signature is right.',
    file: judge,
    find: '  if (ambiguous === undefined) return null\n',
    put: '  if (ambiguous !== "") return null\n',
    caughtBy: [judgeTest],
  },
  {
    name: 'webhook-of-another-merchant-let-in',
    breaks: 'P8',
    thought: 'It is signed with our secret.',
    file: judge,
    find: "if (typeof merchantId === 'string' && merchantId !== rules.merchantId) {",
    put: "if (merchantId === '') {",
    caughtBy: [judgeTest],
  },
  {
    name: 'wrong-signature-is-a-bad-request',
    breaks: 'P23',
    thought: 'A request that cannot be taken is a bad request.',
    file: judge,
    find: '  mismatch: 401,',
    put: '  mismatch: 400,',
    caughtBy: [judgeTest, 'test/receiver/receiver.test.ts'],
  },
  {
    name: 'answered-before-it-is-stored',
    breaks: 'P23',
    thought: 'The sender need not wait for our disk.',
    file: 'src/receiver/group-commit.ts',
    find: '        return () => resolve(result)',
    put: '        resolve(result)\n        return () => {}',
    caughtBy: ['test/receiver/inbox.test.ts'],
  },
  {
    name: 'conflict-answered-with-200',
    breaks: 'P23',
    thought: 'We know the event, so there is nothing to do.',
    file: 'src/receiver/reception.ts',
    find: 'const conflictReply = say(409, {',
    put: 'const conflictReply = say(200, {',
    caughtBy: ['test/receiver/receiver.test.ts'],
  },
  {
    name: 'acknowledged-event-handed-on-again',
    breaks: 'P23',
    thought: 'The merchant’s server knows duplicates by itself.',
    file: 'src/receiver/reception.ts',
    find: 'if (forwarder === null || taken.isAcknowledged) {',
    put: 'if (forwarder === null) {',
    caughtBy: ['test/receiver/forward.test.ts'],
  },
  {
    name: 'body-read-to-its-end',
    breaks: 'P23',
    thought: 'The limit says what is kept, not what is read.',
    file: 'src/receiver/wire.ts',
    find: "      else resolve('too_large')\n",
    put: '',
    caughtBy: ['test/receiver/receiver.test.ts'],
  },
]
