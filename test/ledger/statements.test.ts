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

test.each([
  ...[
    'Players credited from BO',
    '4 players credited from BO',
    'players credited from B.O.',
    'Credited in backoffice',
  ],
  ...[
    'Players credited via admin panel',
    'Deposits added from CRM',
    'Balance given (BO)',
    'BO theke sob add',
  ],
  ...[
    'pending gula add korsi',
    'pending gula add korsi - Rony',
    'sob missing deposit add kora shesh',
    '6 ta hate',
  ],
  ...[
    'jader deposit ase nai tader balance dilam',
    'callback ashe nai, CRM theke add korsi',
    '4 ta deposit add korsi',
  ],
  ...[
    'sobaike balance dilam',
    'sobar taka diye disi',
    'sob gulo update korsi',
    'baki deposit gula joma korlam',
  ],
  ...[
    'shob player er balance update kore disi',
    'jegula ashe nai add kore dilam',
    'sob deposit add hoye gese',
  ],
  ...[
    '4 joner balance dilam',
    'sobai balance paise',
    'bakider balance add kora hoise',
    'pending gula ad krsi',
  ],
  ...[
    'সবাইকে ব্যালেন্স দিলাম',
    'পেন্ডিং গুলা এড করছি',
    'সব মিসিং ডিপোজিট এড করা শেষ',
    'we gave everyone their balance',
  ],
])('%s: money is said to be given to many', (text) => {
  expect(statesBooking(text)).not.toBeNull()
})

test.each([
  ...[
    'Deposits credited 22/11/2026',
    'Exported from BO',
    'CRM export',
    'BO balance: 5000',
    'Credited deposits from BO',
  ],
  ...['pending gula dekhte hobe', 'pending gula add kora hoy nai', 'sob pending add korte hobe', 'add korsi'],
  ...[
    'jader deposit ase nai tader dite hobe',
    'pending gula kal add korbo',
    'pending gula add korsi kina dekhen',
  ],
  ...[
    'sob deposit check korsi',
    'sob deposit er list dilam',
    'pending list update korsi',
    'sobaike add koro nai',
  ],
  ...['mot joma: 45000', 'sob staff er beton dilam', 'baki taka bank e joma korsi', 'sob gula add korsi?'],
])('%s: no money is said to be given to many', (text) => {
  expect(statesBooking(text)).toBeNull()
})
