import {expect, test} from 'vitest'

import {speaksOfMany} from '../../src/ledger/of-many.ts'

/** Beside a row, a clerk wrote of others than that; the webhooks of the outage are lost. */
test.each([
  'total 6 jon ke dise',
  '+ 6 ta hate',
  'also did 6 others by hand',
  'and the next 6 after this one, done',
  'All of the outage booked by hand',
  'do not resend, all given manually',
  'all pending of 28 Nov done',
  '28 tarikh er sob pending clear',
  '7:30 theke 9:00 porjonto sob hate dewa',
  '7.30pm-9pm ones topped up',
  'bkash er gula dewa hoise',
  'server down er customer der coin load kora hoyeche',
  'net problem er somoy jara korse tader id te tule disi',
  'outage players sorted',
  'downtime deposits adjusted',
])('%j is of many', (text) => {
  expect(speaksOfMany(text)).toBe(true)
})

test.each([
  'bonus dewa hoise',
  'pending - booked by hand',
  'webhook failed, credited manually',
  'called 2 times',
  'turnover baki',
  'all ok',
  'sob thik ase',
  'server down chilo',
  'Server down 19:30 to 21:00. Players informed.',
  'Note: server was down 19:30-21:00, webhooks to be resent',
  'all players credited?',
  '7:30pm to 8pm called',
])('%j is not', (text) => {
  expect(speaksOfMany(text)).toBe(false)
})
