import fc from 'fast-check'
import {describe, expect, test} from 'vitest'

import {classifyResponse, type Outcome} from '../../src/api/classify-response.ts'
import {
  type Ask,
  depositCreate,
  depositQuery,
  type Operation,
  payoutCreate,
  payoutQuery,
  webhooksGet,
  webhooksList,
  webhooksResend,
} from '../../src/api/operations.ts'
import type {Answer} from '../../src/api/transport.ts'
import {defaultDialect} from '../../src/core/dialect.ts'
import {credentials, deliveryId, good, merchantId} from '../api/fixture.ts'
import {campaignMs, casesOf, check, seed} from './cases.ts'
import {corruptJson, jsonCorruptions} from './corrupt-json.ts'
import {at, type PlainJson, plainJson} from './json-grammar.ts'

const cases = casesOf()

/** Each operation with an answer of the service's when all is well. */
const calls: readonly (readonly [operation: Operation<unknown>, subject: string, well: object])[] = [
  [depositCreate, 'D-1', good.depositCreate],
  [depositQuery, 'D-1', good.query],
  [payoutCreate, 'P-1', good.payoutCreate],
  [payoutQuery, 'D-1', {...good.query, data: {...good.query.data, amount: 500}}],
  [webhooksList, '', good.list],
  [webhooksGet, deliveryId, good.get],
  [webhooksResend, deliveryId, good.resend],
]
const others = [
  [merchantId, deliveryId],
  ['D-1', 'd-1'],
  ['P-1', 'P-10'],
  ['"D-1"', '"D-1 "'],
  [deliveryId, deliveryId.replace('a', 'b')],
  ['completed', 'Completed'],
  ['application', 'x'],
] as const

const contentType = fc.oneof(
  {weight: 8, arbitrary: fc.constant('application/json')},
  fc.constantFrom(
    'application/json; charset=utf-8',
    'application/problem+json',
    'text/html',
    'text/json',
    '',
  ),
)
const status = fc.oneof(
  {weight: 6, arbitrary: fc.constant(200)},
  fc.constantFrom(201, 204, 299, 302, 400, 401, 404, 405, 409, 410, 422, 429, 500, 501, 503),
)
const flaw = fc.oneof(
  {weight: 9, arbitrary: fc.constant(null)},
  fc.constantFrom('cut' as const, 'timeout' as const, 'too_large' as const),
)
const call = fc.constantFrom(...calls)

function askOf(operation: Operation<unknown>, subject: string): Ask {
  const endpoint = {origin: 'https://pay.example', path: ''}
  return {
    endpoint,
    path: '/x',
    subject,
    merchantId,
    dialect: defaultDialect,
    isProven: () => true,
    body: operation.effect === 'create' ? Buffer.of() : null,
  }
}

/** Whether the answer, looked at by JSON.parse alone, may be believed to say yes. */
function maySayYes(
  {api}: Operation<unknown>,
  json: PlainJson | null,
  {status: httpStatus, flaw: broken, headers}: Answer,
): boolean {
  if (!json || json.hasDuplicates || broken !== null || httpStatus < 200 || httpStatus > 299) return false
  if (!isJson(headers)) return false
  if (at(json.value, 'success') === false) return false
  return api === 'orders' ? at(json.value, 'code') === 0 : at(json.value, 'success') === true
}

/** Whether the order stands in the answer to a create, so that it must never be told as not done (P6). */
function carriesItsOrder(
  {status: httpStatus, flaw: broken, headers, body}: Answer,
  json: PlainJson | null,
): boolean {
  if (typeof at(json?.value, 'data.platformOrderNo') !== 'string') return false
  // Turned away by what stands before the service, whatever else it says.
  if ([401, 403, 429].includes(httpStatus) || (httpStatus >= 300 && httpStatus < 400)) return false
  // What strict JSON refuses was not read: half of a pair, names that reach a prototype, doubled names.
  const isStrict = !json?.hasDuplicates && !/\\u[dD][89abAB]|"__proto__"/.test(Buffer.from(body).toString())
  return isStrict && broken === null && isJson(headers)
}

function isJson(headers: Answer['headers']): boolean {
  return /^application\/(?:problem\+)?json/.test(String(headers['content-type']))
}

/** An amount in paisa as the digits of its source text alone make it. */
function paisaOf({value, numbers}: PlainJson): string | null {
  const source = numbers.get('data.amount') ?? at(value, 'data.amount')
  if (source === undefined || source === null) return null
  const [taka = '', paisa = ''] = String(source).split('.')
  return `${taka}${paisa.padEnd(2, '0')}`.replace(/^0+(?=.)/, '')
}

/** What was concluded must stand in the answer. */
function expectStands(operation: Operation<unknown>, subject: string, value: unknown, json: PlainJson): void {
  const said = (path: string) => at(json.value, path)
  if (operation.name === 'webhooks list') {
    // Odd records are kept apart: every row of the page is one or the other, and what is read is as it stands there.
    const {records, odd, total} = value as {records: {id: string}[]; odd: unknown[]; total: number}
    const rows = (said('data.data') as ({id: string} | null)[]).map((row) => row?.id)
    expect(records.length + odd.length).toBe(rows.length)
    expect(records.filter(({id}) => !rows.includes(id))).toEqual([])
    expect(total).toBe(said('data.pagination.total'))
    return
  }
  if (operation.name === 'webhooks get') {
    const {delivery} = value as {delivery: {id: string; status: string; attempts: number}}
    expect(delivery).toMatchObject({
      id: said('data.id'),
      status: said('data.status'),
      attempts: said('data.attempts'),
    })
    expect(delivery.id.toLowerCase()).toBe(subject)
    return
  }
  expect([said('data.merchantId'), said('data.orderNo') ?? said('data.outOrderNo')]).toEqual([
    merchantId,
    subject,
  ])
  if (operation.effect === 'create') {
    expect(value).toMatchObject({orderNo: subject, platformOrderNo: said('data.platformOrderNo')})
    return
  }
  const {order} = value as {
    order: {rawStatus: string; status: string; amount: bigint | null; platformOrderNo: string}
  }
  expect([order.rawStatus, order.platformOrderNo]).toEqual([
    said('data.status'),
    said('data.platformOrderNo'),
  ])
  if (order.status === 'completed') expect(order.rawStatus).toBe('completed')
  expect(order.amount === null ? null : String(order.amount)).toBe(paisaOf(json))
}

function isAbsence({value}: {readonly value: unknown}): boolean {
  return value === null || (value as {found?: boolean}).found === false
}

describe(`answers from the wire to their meaning, ${cases} cases each, seed ${seed}`, () => {
  test('yes is only what an answer says that is whole, strict and about what was asked', {
    timeout: campaignMs,
  }, () => {
    let believed = 0
    const property = fc.property(
      call,
      jsonCorruptions,
      status,
      contentType,
      flaw,
      ([operation, subject, well], blows, httpStatus, type, broken) => {
        const text = corruptJson(JSON.stringify(well), blows, others)
        const answer: Answer = {
          kind: 'answer',
          status: httpStatus,
          headers: {'content-type': type},
          body: Buffer.from(text),
          flaw: broken,
        }
        const outcome: Outcome<unknown> = classifyResponse(
          operation,
          askOf(operation, subject),
          answer,
          credentials,
        )
        const json = plainJson(text)
        if (outcome.kind !== 'done') {
          if (operation.effect === 'create' && carriesItsOrder(answer, json))
            expect(outcome.kind).toBe('unclear')
          return
        }
        if (operation.effect === 'resend') {
          // It proves nothing (A7), and what it says against itself is kept.
          expect(httpStatus >= 200 && httpStatus < 300).toBe(true)
          if (at(json?.value, 'success') === false)
            expect(outcome.value).toMatchObject({but: expect.any(String)})
          return
        }
        if (operation.absent && isAbsence(outcome)) {
          expect(json, 'no such order is said in JSON').not.toBeNull()
          expect(httpStatus === 404 || httpStatus === 410 || text.includes('ORDER_NOT_FOUND')).toBe(true)
          return
        }
        believed += 1
        expect(maySayYes(operation, json, answer)).toBe(true)
        if (json) expectStands(operation, subject, outcome.value, json)
      },
    )
    check(property, cases)
    expect(believed).toBeGreaterThan(cases / 20)
  })
})
