import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import {inBangla} from '../../src/core/in-bangla.ts'
import {sentences} from '../../src/core/sentences.ts'

const scenarios = new URL('../scenarios/', import.meta.url).pathname

/** What may stay: names of commands, flags, files, columns and fields, identifiers, and what is quoted. */
const names =
  /`[^`]*`|"[^"]*"|--?[a-z-]+|hisab[a-z .-]*|\[[^\]]*\]\S* \w+|[\w-]+\.(?:csv|completed)|platform-[\w-]+|[0-9a-f-]{36}|ledger\.holds|\b(?:HTTP|HTML|API|order_no|order_id|created_at|platformOrderNo|kind|status|pending|success|completed|open|failed|deposit|payout|other|run|elsewhere|D-\d+|w-\d+)\b/g

const wordsLeft = (text: string) => text.replaceAll(names, '').match(/[A-Za-z]{2,}/g) ?? []

test.each(Object.entries(sentences))('%s has the same values in Bangla', (english, bangla) => {
  const valuesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort()
  expect(valuesOf(bangla)).toEqual(valuesOf(english))
})

test('whatever a run of the scenarios says of an order, or why it is incomplete, is in the catalogue', () => {
  const said = readdirSync(scenarios).flatMap((name) =>
    [...readFileSync(join(scenarios, name), 'utf8').matchAll(/^(?: {8}|incomplete +)(\S.*)$/gm)].map(
      ([, text = '']) => text,
    ),
  )
  expect(said.length).toBeGreaterThan(100)
  const left = said
    .map((text) => [text, inBangla(text)] as const)
    .filter(([, text]) => wordsLeft(text).length > 0)
  expect(left).toEqual([])
})

test.each([
  [
    'Paid by the player (BDT 1,500.00), but still open in the ledger. Its webhook failed after 5 tries (HTTP 503 from your server), and the service retries no more.',
    'খেলোয়াড় দিয়েছেন (৳১,৫০০.০০), কিন্তু খাতায় এখনো খোলা। ওয়েবহুক ৫ বার চেষ্টায় ব্যর্থ (আপনার সার্ভারের উত্তর: HTTP 503), সার্ভিস আর পাঠাবে না।',
  ],
  // The number of an order stays as it is typed.
  ['If so, write 0123.', 'তা হলে 0123 লিখুন।'],
  // What a person wrote stays as it is.
  [
    'Ignored until 2026-11-20 by rahima: a voucher. Call her.',
    'rahima ২০২৬-১১-২০ পর্যন্ত উপেক্ষা করেছেন: a voucher. Call her.',
  ],
  ['A sentence of tomorrow.', 'A sentence of tomorrow.'],
])('%s', (english, bangla) => {
  expect(inBangla(english)).toBe(bangla)
})
