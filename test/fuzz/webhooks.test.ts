import {createHmac} from 'node:crypto'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'

import {verifyWebhook} from '../../src/receiver/verify-webhook.ts'
import {hmacHeaders, hmacRules, paid, sortedRules} from '../receiver/fixture.ts'
import {demoAccount, md5Signature, signed} from '../sandbox/acting-merchant.ts'
import {campaignMs, casesOf, check, seed} from './cases.ts'
import {corruptJson, jsonCorruptions} from './corrupt-json.ts'
import {hostileText} from './hostile-text.ts'
import {plainJson} from './json-grammar.ts'

const cases = casesOf()

const fields = fc.record({
  ...{
    amount: fc.stringMatching(/^[1-9][0-9]{0,5}\.[0-9]{2}$/),
    playerRef: hostileText.map((text) => text.toWellFormed()),
  },
  ...{
    event: fc.constantFrom('order.completed', 'order.failed', null),
    status: fc.constantFrom('completed', 'failed'),
  },
})
const others = [
  ['PF-1', 'PF-2'],
  ['completed', 'failed'],
  [demoAccount.merchantId, demoAccount.merchantId.replace('5', '6')],
  ['.00', '.01'],
] as const

/** The signature a body must have, by JSON.parse and the tests' own MD5; null where it can have none. */
function rightSignature(text: string): string | null {
  const json = plainJson(text)
  if (!json || json.hasDuplicates || typeof json.value !== 'object' || json.value === null) return null
  const said = Object.entries(json.value).map(([name, value]) => [name, json.numbers.get(name) ?? value])
  return md5Signature(Object.fromEntries(said), demoAccount.apiSecret)
}

describe(`webhooks at the judge, ${cases} cases each, seed ${seed}`, () => {
  test('genuine is only a body whose own signature is right, and whose order is the one it names', {
    timeout: campaignMs,
  }, () => {
    let genuine = 0
    const property = fc.property(fields, jsonCorruptions, (some, blows) => {
      const sent = JSON.stringify(signed({...paid, ...some}))
      const arrived = corruptJson(sent, blows, others)
      const verdict = verifyWebhook({headers: {}, path: '/webhook', body: Buffer.from(arrived)}, sortedRules)
      if (verdict.kind === 'refused') {
        expect(verdict.httpStatus).toBeGreaterThanOrEqual(400)
        // Nothing of what somebody sent is told back as it came.
        expect(verdict.message).not.toMatch(/[\p{Cc}\u202e\u200b]/u)
        return
      }
      genuine += 1
      const said = JSON.parse(arrived) as Record<string, unknown>
      // What reads as further fields proves less than it seems (P22).
      expect(Object.values(said).some((value) => /&[^&=]*=/.test(String(value)))).toBe(false)
      expect(said.signature).toBe(rightSignature(arrived))
      expect([verdict.webhook.orderId, verdict.webhook.amount]).toEqual([said.platformOrderNo, said.amount])
      expect([undefined, demoAccount.merchantId]).toContain(said.merchantId)
      expect(verdict.webhook.content).not.toContain(String(said.signature))
    })
    check(property, cases)
    expect(genuine).toBeGreaterThan(cases / 20)
  })

  test('by a header it is genuine only over the very bytes and the very time', {timeout: campaignMs}, () => {
    const time = fc.constantFrom('1761234567', '1761234568', '', ' 1761234567')
    const property = fc.property(fields, jsonCorruptions, time, (some, blows, timestamp) => {
      const sent = JSON.stringify({...paid, ...some})
      const headers = hmacHeaders(sent)
      const arrived = corruptJson(sent, blows, others)
      const wire = {
        headers: {...headers, 'x-timestamp': timestamp},
        path: '/webhook',
        body: Buffer.from(arrived),
      }
      const mac = createHmac('sha256', demoAccount.apiSecret)
        .update(timestamp)
        .update(wire.body)
        .digest('hex')
      const isRight = mac === headers['x-signature']
      if (verifyWebhook(wire, hmacRules).kind === 'genuine') expect(isRight).toBe(true)
      // A right one is turned away for what is in it alone.
      else if (isRight) expect(plainJson(arrived)?.hasDuplicates ?? true).toBe(true)
    })
    check(property, cases)
  })
})
