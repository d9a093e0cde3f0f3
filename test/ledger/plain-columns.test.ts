import {expect, test} from 'vitest'
import {isPlainColumn} from '../../src/ledger/plain-columns.ts'

test.each([
  ...[
    'Name',
    'Player Name',
    'player_id',
    'Customer Phone',
    'Mobile No.',
    'PhoneNumber',
    'E-mail',
    'Account Type',
  ],
  ...[
    'Channel',
    'Payment Method',
    'Wallet',
    'Wallet Type',
    'Wallet Number',
    'Bank Name',
    'Shop',
    'Currency',
    'SL',
    'Sl. No.',
  ],
  ...[
    'Date',
    'Created At',
    'requested_at',
    'Order Date',
    'ID',
    'Player',
    'Customer Ref',
    'গ্রাহকের নাম',
    'মোবাইল নম্বর',
    'চ্যানেল',
  ],
  ...['Bonus Code', 'promo_code', 'Coupon', 'Referral Code'],
])('%s says nothing of a booking', (header) => {
  expect(isPlainColumn(header)).toBe(true)
})

test.each([
  ...[
    '',
    'TrxID',
    'Wallet Updated',
    'Wallet Txn ID',
    'Wallet Credit',
    'Wallet Amount',
    'Updated At',
    'Completed At',
  ],
  ...[
    'Agent',
    'Reference',
    'Remarks',
    'Type',
    'Action',
    'Due',
    'KYC Status',
    'Player Status',
    'Paid At',
    'Bank Ref',
  ],
  ...['Bonus', 'Promo', 'Voucher Code'],
  ...[
    'Credited At',
    'Booked By',
    'Channel Status',
    'Final Amount',
    'New Number',
    'জমা',
    'মন্তব্য',
    'Account Credited',
  ],
])('%s may say something', (header) => {
  expect(isPlainColumn(header)).toBe(false)
})
