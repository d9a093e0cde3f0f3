import {describe, expect, test} from 'vitest'

import {
  type DeliveryFilter,
  hostOf,
  isCodePattern,
  isNarrowing,
  passes,
} from '../../src/core/delivery-filter.ts'
import type {Delivery} from '../../src/core/order.ts'
import {delivery, minutesAgo, nowMs} from './reconcile/sample.ts'

const everything: DeliveryFilter = {
  ...{sinceMs: null, untilMs: null, event: null, merchantOrderId: null},
  ...{codes: [], host: null, urlStart: null},
}

test.each<[filter: Partial<DeliveryFilter>, record: Partial<Delivery>, passes: boolean]>([
  [{}, {}, true],
  [{codes: ['503']}, {responseCode: 503}, true],
  [{codes: ['503']}, {responseCode: 500}, false],
  [{codes: ['5xx']}, {responseCode: 599}, true],
  [{codes: ['5xx']}, {responseCode: 404}, false],
  [{codes: ['5xx']}, {responseCode: 5000}, false],
  [{codes: ['5xx']}, {responseCode: null}, false],
  [{codes: ['none']}, {responseCode: null}, true],
  [{codes: ['none']}, {responseCode: 0}, true],
  [{codes: ['none']}, {responseCode: 503}, false],
  [{codes: ['4xx', 'none']}, {responseCode: 404}, true],
  [{host: 'shop.example'}, {url: 'https://SHOP.example:443/hook'}, true],
  [{host: 'shop.example'}, {url: 'https://shop.example:8443/hook'}, false],
  [{host: 'shop.example:8443'}, {url: 'https://shop.example:8443/hook'}, true],
  [{host: 'shop.example'}, {url: 'https://shop.example.evil/hook'}, false],
  [{host: 'shop.example'}, {url: 'https://u:p@evil/?shop.example'}, false],
  [{host: '-'}, {url: 'shop.example/hook'}, true],
  [{urlStart: 'https://shop.example/h'}, {}, true],
  [{urlStart: 'https://shop.example/other'}, {}, false],
  [{sinceMs: nowMs, untilMs: nowMs + 1}, {status: 'success', createdAt: minutesAgo(0)}, true],
  [{untilMs: nowMs}, {status: 'success', createdAt: minutesAgo(0)}, false],
  // Whoever asks for failed webhooks by time means when they failed.
  [{sinceMs: nowMs}, {status: 'failed', createdAt: minutesAgo(500), sentAt: minutesAgo(0)}, true],
  [{sinceMs: nowMs}, {status: 'failed', createdAt: minutesAgo(0), sentAt: null}, true],
  [{event: 'order.completed', merchantOrderId: 'D-1'}, {}, true],
  [{merchantOrderId: 'd-1'}, {}, false],
])('%j and %j: %s', (filter, record, expected) => {
  expect(passes(delivery(record), {...everything, ...filter})).toBe(expected)
  expect(isNarrowing({...everything, ...filter})).toBe(Object.keys(filter).length > 0)
})

describe('a pattern of codes', () => {
  test.each(['503', '200', '1xx', '5xx', 'none'])('%s is one', (text) =>
    expect(isCodePattern(text)).toBe(true),
  )
  test.each(['', '5', '50', '6xx', '5XX', '5x3', '5000', 'None', '-1', '503 '])('%j is none', (text) =>
    expect(isCodePattern(text)).toBe(false),
  )
})

test.each([
  ['http://[::1]:4010/x', '[::1]:4010'],
  ['https://\u001b[31m/x', '-'],
  ['call me', '-'],
  ['', '-'],
])('the host of %j is %s', (url, host) => {
  expect(hostOf({url})).toBe(host)
})
