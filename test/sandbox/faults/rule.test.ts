import {describe, expect, it} from 'vitest'

import {faultKinds, faultNames} from '../../../src/sandbox/faults/kinds.ts'
import {readRule, readScript} from '../../../src/sandbox/faults/rule.ts'

const now = Date.parse('2026-11-20T06:00:00Z')
const hourMs = 3_600_000

describe('a fault as it is written', () => {
  it('may be everything', () => {
    expect(readRule('payout-create.rate-limited=#2,#40:30s@+1h/2026-11-20T20:00:00+06:00', now)).toEqual({
      text: 'payout-create.rate-limited=#2,#40:30s@+1h/2026-11-20T20:00:00+06:00',
      fault: 'rate-limited',
      operation: 'payout-create',
      when: {calls: new Set([2, 40])},
      spanMs: 30_000,
      fromMs: now + hourMs,
      toMs: now + 8 * hourMs,
    })
  })

  it.each(faultNames)('%s may be nothing but its name', (name) => {
    const rule = readRule(name, now)
    expect(rule).toMatchObject({fault: name, when: {rate: 1}, fromMs: -Infinity, toMs: Infinity})
    expect(rule.spanMs).toBe(faultKinds[name].span?.defaultMs ?? 0)
  })

  it.each([
    ['html=0.05', {when: {rate: 0.05}}],
    ['html=0', {when: {rate: 0}}],
    ['skewed-clock:-10m', {spanMs: -600_000}],
    ['receiver-outage@/+2h', {fromMs: -Infinity, toMs: now + 2 * hourMs}],
    ['webhook-late@+30m/', {fromMs: now + hourMs / 2, toMs: Infinity}],
    ['moving-pages=#1', {operation: 'webhooks-list'}],
  ])('%s', (text, expected) => {
    expect(readRule(text, now)).toMatchObject(expected)
  })

  it.each([
    ['', 'is not of the form'],
    ['htlm=0.1', 'There is no fault "htlm".'],
    ['lost_answer', 'is not of the form'],
    ['html=1.5', 'give a rate'],
    ['html=5%', 'give a rate'],
    ['html=#0', 'give a rate'],
    ['html=#1,2', 'give a rate'],
    ['html:5s', 'takes none'],
    ['drip:fast', 'no length of time'],
    ['webhooks-delete.html', 'names no operation'],
    ['payout-create.moving-pages', 'names no operation'],
    ['payout-create.webhook-late', 'of no single call'],
    ['no-legacy-api=0.5', 'holds all the time'],
    ['html@+1h', 'is not of the form'],
    ['html@+1h/soon', 'a time that is none'],
    ['html@2026-11-20T06:00:00/', 'a time that is none'],
    ['html@+2h/+1h', 'ends before it begins'],
  ])('"%s" is refused: it %s', (text, why) => {
    expect(() => readRule(text, now)).toThrow(why)
  })
})

it('a script has one fault a line, and comments', () => {
  expect(readScript('# the morning\n\n  html=0.05\r\nreceiver-outage@+1h/+2h\n#drip\n')).toEqual([
    'html=0.05',
    'receiver-outage@+1h/+2h',
  ])
})
