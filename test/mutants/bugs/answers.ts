import type {Mutant} from '../mutant.ts'

const classifyResponse = 'src/api/classify-response.ts'
const wire = 'src/api/wire.ts'
const dialect = 'src/core/dialect.ts'

/** What an answer of the service's may be taken for. */
export const answerMutants: readonly Mutant[] = [
  {
    name: 'a-refusal-of-any-order-is-of-this-one',
    breaks: 'P8',
    thought: 'The answer came on this connection.',
    file: 'src/api/classify-response.ts',
    find: "if (api === 'orders' && effect !== 'resend' && namesAnother(",
    put: "if (api === 'legacy' && effect !== 'resend' && namesAnother(",
    caughtBy: ['test/api/retry.test.ts'],
  },
  {
    name: 'any-content-type-is-json',
    breaks: 'P8',
    thought: 'Some servers send JSON as text/plain; only HTML is surely wrong.',
    file: 'src/api/answer.ts',
    find: 'if (!jsonType.test(type))',
    put: 'if (/html/i.test(type))',
    caughtBy: ['test/api/faults.test.ts', 'test/api/client.test.ts'],
  },
  {
    name: 'echoed-number-compared-ignoring-case',
    breaks: 'P13',
    thought: 'Some systems write order numbers in capitals.',
    file: wire,
    find: 'if (read.orderNo !== sent.orderNo)',
    put: 'if (read.orderNo.toLowerCase() !== sent.orderNo.toLowerCase())',
    caughtBy: ['test/api/client.test.ts', 'test/fuzz/answers.test.ts'],
  },
  {
    name: 'amount-of-an-answer-through-number',
    breaks: 'P12',
    thought: 'JSON numbers are numbers.',
    file: wire,
    find: 'const text = value instanceof JsonNumber ? value.source : value\n  const paisa',
    put: 'const text = value instanceof JsonNumber ? String(Number(value.source)) : value\n  const paisa',
    caughtBy: ['test/api/client.test.ts'],
  },
  {
    name: 'html-404-is-absence',
    breaks: 'P9',
    thought: '404 means that there is no such order.',
    file: classifyResponse,
    find: '  const json = readJson(answer)\n  if (isYes(operation, ask, json) || carriesOrder(json))',
    put: "  if (operation.absent && answer.status === 404) {\n    return {kind: 'done', value: operation.absent.value, json: null}\n  }\n  const json = readJson(answer)\n  if (isYes(operation, ask, json) || carriesOrder(json))",
    caughtBy: ['test/api/client.test.ts', 'test/api/faults.test.ts'],
  },
  {
    name: 'status-words-trimmed-and-folded',
    breaks: 'P7',
    thought: 'COMPLETED is completed.',
    file: dialect,
    find: 'status[kind][state].includes(word)',
    put: 'status[kind][state].includes(word.trim().toLowerCase())',
    caughtBy: ['test/api/client.test.ts', 'test/fuzz/statuses.test.ts'],
  },
  {
    name: 'lost-answer-is-not-sent',
    breaks: 'P6',
    thought: 'A reset means that the server did not take it.',
    file: 'src/api/transport.ts',
    find: '} else if (this.controller === undefined) {\n      const reason',
    put: "} else if (this.controller === undefined || codeOf(error) === 'ECONNRESET' || codeOf(error) === 'UND_ERR_SOCKET') {\n      const reason",
    caughtBy: ['test/api/faults.test.ts'],
  },
  {
    name: 'server-error-on-a-write-is-no',
    breaks: 'P6',
    thought: 'A server that answers 500 did nothing.',
    file: classifyResponse,
    find: "if (status === 408 || status >= 500) {\n    return {kind: 'unclear',",
    put: "if (status === 408 || status >= 500) {\n    return {kind: 'refused',",
    caughtBy: ['test/api/faults.test.ts'],
  },
  {
    name: 'service-words-shown-unmasked',
    breaks: 'P20',
    thought: 'What the service says of an error holds no secret of ours.',
    file: 'src/api/quote.ts',
    find: "for (const secret of [apiSecret, apiKey]) if (secret !== '') safe = safe.replaceAll(secret, '***')",
    put: '',
    caughtBy: ['test/api/faults.test.ts', 'test/api/client.test.ts'],
  },
  {
    name: 'attempt-logged-whole',
    breaks: 'P20',
    thought: '--debug should show what came.',
    file: 'src/api/request-executor.ts',
    find: 'const event = {operation: operation.name, attempt, outcome}',
    put: 'const event = {operation: operation.name, attempt, outcome, came}',
    caughtBy: ['test/api/client.test.ts'],
  },
]
