import {describe, expect, it} from 'vitest'
import type {DeliveryRecord} from '../fake-service/book.ts'
import {json, type Reply, reset} from '../fake-service/replies.ts'
import {type Scenario, startScenario} from './scenario.ts'

const no = (httpStatus: number, code: string) =>
  json(
    {success: false, error: {code, message: 'no'}, meta: {timestamp: new Date().toISOString()}},
    httpStatus,
  )

/** What the service says, after it has delivered the webhook. */
const answers: Readonly<Record<string, () => Reply>> = {
  '200': () => json({success: true, data: {}}),
  '200 success:false': () => no(200, 'DELIVERY_FAILED'),
  '401': () => no(401, 'UNAUTHORIZED'),
  '404': () => no(404, 'NOT_FOUND'),
  '409': () => no(409, 'CONFLICT'),
  '503': () => no(503, 'UNAVAILABLE'),
  'a reset': () => reset,
}
/** When the record shows that it was delivered. */
const recordAfterMs = {'at once': 0, '3 s later': 3_000, never: null} as const

const orders = [
  ['reconcile', 'resend', 'reconcile'],
  ['resend', 'reconcile', 'resend'],
] as const

const whens = ['at once', '3 s later', 'never'] as const
const table = Object.keys(answers).flatMap((answer, row) =>
  whens.map((record, column) => ({answer, record, commands: orders[(row + column) % 2] ?? orders[0]})),
)

/** What one command said: its exit status and all it wrote. */
interface Said {
  readonly status: number | null
  readonly text: string
}

describe.concurrent('a webhook is delivered once, whatever is answered and whichever command is next', () => {
  it.each(table)(
    '$answer, its record moves $record: $commands',
    async ({answer, record, commands}) => {
      await using scenario = await startScenario()
      const id = scenario.addLost('D-1')
      const deliveries = deliverAnd(scenario, answers[answer] ?? (() => reset), recordAfterMs[record])
      const said: Said[] = []
      for (const command of commands)
        said.push(await (command === 'resend' ? resend(scenario, id) : reconcile(scenario)))

      expect(deliveries(), JSON.stringify(said, null, 2)).toBe(1)
      const [first, ...later] = said
      // A first one that saw it delivered is done; what it did not see is not called done.
      expect(record === 'at once' ? [0] : [6, 8], first?.text).toContain(first?.status)
      for (const {status, text} of later) {
        expect([6, 7, 8], text).toContain(status)
        expect(text).toContain('D-1')
      }
    },
    120_000,
  )
})

/** Every resend reaches the merchant's server, and then the service says what it says. Returns how many did. */
function deliverAnd({service}: Scenario, say: () => Reply, afterMs: number | null): () => number {
  let deliveries = 0
  service.on('resend', (_act, {target}) => {
    deliveries += 1
    const fields = service.book.records.find(({fields: {id}}) => id === target)?.fields
    if (fields && afterMs === 0) showDelivered(fields)
    else if (fields && afterMs !== null) setTimeout(() => showDelivered(fields), afterMs)
    return say()
  })
  return () => deliveries
}

function showDelivered(fields: DeliveryRecord): void {
  fields.status = 'success'
  fields.response_code = 200
  fields.attempts += 1
  fields.sent_at = new Date().toISOString()
}

async function reconcile(scenario: Scenario): Promise<Said> {
  const outcome = await scenario.machine.run([
    'reconcile',
    await scenario.ledger(),
    '--yes',
    '--wait',
    '1s',
    '--json',
  ])
  return {status: outcome.status, text: `${outcome.stdout}${outcome.stderr}`}
}

async function resend(scenario: Scenario, id: string): Promise<Said> {
  const outcome = await scenario.machine.run(['webhooks', 'resend', id, '--yes', '--wait', '1s', '--json'])
  return {status: outcome.status, text: `${outcome.stdout}${outcome.stderr}`}
}
