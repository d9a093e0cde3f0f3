import {describe, expect, it} from 'vitest'

import {payoutChannels} from '../../../src/core/order.ts'
import {makeTrxId, readPaymentSms, writePaymentSms} from '../../../src/sandbox/sms/message.ts'

const from = '01712345678'

describe('an SMS of money received', () => {
  it.each([
    [
      'bKash, send money',
      'You have received Tk 5,075.00 from 01712345678. Ref 1. Fee Tk 0.00. Balance Tk 6,075.50. TrxID BLU1H6X87P at 30/12/2024 13:22',
      {channel: 'BKASH', sender: from, amount: 5_075_00n, trxId: 'BLU1H6X87P'},
    ],
    [
      'bKash, without its end',
      'You have received Tk 500 from 01712345678. TrxID 9AB1CD2EF3',
      {channel: 'BKASH', sender: from, amount: 500_00n, trxId: '9AB1CD2EF3'},
    ],
    [
      'bKash, a payment',
      'You have received payment Tk 99.50 from +8801712345678. Fee Tk 0.00. Balance Tk 1.00. TrxID DEH4BLD432 at 08/06/2026 14:32.',
      {channel: 'BKASH', sender: from, amount: 99_50n, trxId: 'DEH4BLD432'},
    ],
    [
      'bKash, to an agent',
      'Cash Out Tk 1,000.00 from 01712345678 successful. Fee Tk 0.00. Balance Tk 12,345.67. TrxID 9BC6XYZ123 at 06/03/2022 12:10',
      {channel: 'BKASH', sender: from, amount: 1_000_00n, trxId: '9BC6XYZ123'},
    ],
    [
      'Nagad, over several lines',
      'Money Received.\r\nAmount: Tk 60.00\r\nSender: 01712345678\r\nRef: N/A\r\nTxnID: 75K92M3Z\r\nBalance: Tk 1,610.28\r\n24/06/2026 14:31\n',
      {channel: 'NAGAD', sender: from, amount: 60_00n, trxId: '75K92M3Z'},
    ],
    [
      'Rocket, with the check digit of the account',
      'Tk99.00 received from A/C:017123456781 Fee:Tk0, Your A/C Balance: Tk1,145.85 TxnId:6606781284 Date:08-JUN-26 06:21:43 am.',
      {channel: 'ROCKET', sender: from, amount: 99_00n, trxId: '6606781284'},
    ],
    [
      'Rocket, with the end of the account',
      'Tk99.00 received from A/C:***678 Fee:Tk0, Your A/C Balance: Tk1,145.85 TxnId:6606781284 Date:08-JUN-26',
      {channel: 'ROCKET', sender: null, senderTail: '678', amount: 99_00n, trxId: '6606781284'},
    ],
  ])('is read: %s', (_, text, payment) => {
    expect(readPaymentSms(text)).toEqual({senderTail: null, ...payment})
  })

  it.each([
    [
      'bKash',
      'You have received Tk 10.00 from 01712345678. Ref Tk 9,000.00 from 01799999999. TrxID FAKE999999. Fee Tk 0.00. Balance Tk 1.00. TrxID REAL000001 at 20/11/2026 12:00',
      {sender: from, amount: 10_00n, trxId: 'REAL000001'},
    ],
    [
      'Nagad',
      'Money Received. Amount: Tk 10.00 Sender: 01712345678 Ref: TxnID: FAKE9999 Balance: Tk 9,000.00 TxnID: REAL0001 Balance: Tk 1.00 20/11/2026 12:00',
      {sender: from, amount: 10_00n, trxId: 'REAL0001'},
    ],
  ])('is not led astray by what the payer wrote as the reference: %s', (_, text, payment) => {
    expect(readPaymentSms(text)).toMatchObject(payment)
  })
})

it.each([
  ['nothing', ''],
  ['something else', 'Your OTP is 123456. Never share it.'],
  [
    'money sent',
    'Send Money Tk 500.00 to 01712345678 successful. Fee Tk 5.00. Balance Tk 1.00. TrxID 9AB1CD2EF3',
  ],
  [
    'money taken out',
    'Cash Out Tk 500.00 to 01712345678 successful. Fee Tk 9.25. Balance Tk 1.00. TrxID 9AB1CD2EF3',
  ],
  [
    'a payment that failed',
    'Sorry, your Send Money request to 01712345678 is unsuccessful! Tk 30 has been returned. TrxID BKA96AB813',
  ],
  ['a quotation', 'He wrote: You have received Tk 500.00 from 01712345678. TrxID 9AB1CD2EF3'],
  ['no amount', 'You have received Tk from 01712345678. TrxID 9AB1CD2EF3'],
  ['an amount of zero', 'You have received Tk 0.00 from 01712345678. TrxID 9AB1CD2EF3'],
  ['three decimals', 'You have received Tk 5.005 from 01712345678. TrxID 9AB1CD2EF3'],
  ['a landline', 'You have received Tk 500.00 from 0212345678. TrxID 9AB1CD2EF3'],
  ['no transaction', 'You have received Tk 500.00 from 01712345678.'],
])('tells of no payment received: %s', (_, text) => {
  expect(readPaymentSms(text)).toBeNull()
})

it.each(payoutChannels)('what %s is made to write reads as what was paid', (channel) => {
  const trxId = makeTrxId(channel, (below) => below - 1)
  const paid = {channel, sender: from, amount: 1_23_456_05n, trxId}
  const {text} = writePaymentSms(paid, Date.parse('2026-11-20T06:00:00Z'))
  expect(readPaymentSms(text)).toEqual({...paid, senderTail: null})
  expect(text).toContain('20/11/2026 12:00')
})
