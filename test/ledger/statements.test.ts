import {expect, test} from 'vitest'
import {statesBooking} from '../../src/ledger/statements.ts'

test.each([
  'All pending cleared manually',
  'Fixed all pending by hand',
  'Reconciled pending with bKash statement and credited',
  'Pending: OK',
  'Pending deposits approved by Sadia 23:10',
  'pending released by Mamun',
  'sob pending clear kora hoise',
  'পেন্ডিং গুলো ক্লিয়ার করা হয়েছে',
  '4 jon player er taka diye deya hoise',
  'credit dewa hoise 4 jon ke',
  'stuck players got their money',
  'stuck deposits pushed to wallet by Rakib',
  'Wallets topped up for callback failures',
  'players already compensated',
  'added to balances of the 4 players, Karim',
])('%s: what was open is said to be booked', (text) => {
  expect(statesBooking(text)).toMatchObject({isOfAll: true})
})

test.each([
  ...['Pending: 12', 'Pending total 4,500.00', 'Total approved: 40, pending: 3', 'Approved 40 Pending 3'],
  ...[
    'Approved and pending deposits',
    'Pending deposits are included',
    'Status: Pending = waiting for payment',
  ],
  ...['Pending not cleared by bank', 'pending will be cleared by Sadia', 'pending approval by Sadia'],
  ...['Please clear pending', 'Clear pending orders before 10:00', 'Pending orders expire after 30 minutes'],
  ...['Approved by: Sadia', 'Reconciled by Karim', 'Missing: 0', 'Stuck: none', 'Wallets: BKASH, NAGAD'],
])('%s: a title, a count or what is still to be done', (text) => {
  expect(statesBooking(text)).toBeNull()
})
