import {expect, test} from 'vitest'

import {Failure} from '../../../src/core/failure.ts'
import {askOrders} from '../../../src/workflows/orders/ask.ts'

const orders = Array.from({length: 500}, (_, at) => ({kind: 'deposit', orderNo: `D-${at}`}) as const)
const page = new Failure('answer_untrusted', 'seen: HTTP 404, text/plain.', 'Look.')

/** Answers each order, and counts how many were asked for. */
function service(answer: (nth: number) => Failure | 'absent') {
  const seen = {asked: 0}
  const queryOrder = async () => {
    const given = answer(seen.asked++)
    if (given instanceof Failure) throw given
    return {found: false} as const
  }
  return {seen, queryOrder}
}

const ask = (client: ReturnType<typeof service>) => askOrders(client, orders, {width: 4, onAnswer: () => {}})

test('an address that is not the service’s is asked a few times, and named in one sentence', async () => {
  const client = service(() => page)
  await expect(ask(client)).rejects.toMatchObject({
    code: 'answer_untrusted',
    message: expect.stringMatching(/^The first 8 deposit queries got no answer .*: seen: HTTP 404/),
    hint: expect.stringContaining('base_url'),
  })
  expect(client.seen.asked).toBeLessThan(40)
})

test('one trusted answer shows that the address is right: the strange ones stay with their orders', async () => {
  expect(await ask(service((nth) => (nth === 3 ? 'absent' : page)))).toBe(500)
})

test('a busy service is not taken for a wrong address', async () => {
  const busy = new Failure('service_busy', 'HTTP 503.', 'Wait.')
  expect(await ask(service(() => busy))).toBe(500)
})
