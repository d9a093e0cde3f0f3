import {expect, test} from 'vitest'

import type {PreparedRequest} from '../../../src/api/client.ts'
import type {JsonObject} from '../../../src/core/json.ts'
import type {RequestRow} from '../../../src/journal/rows.ts'
import {echoOfRequest, echoOfRow, fieldsToKeep} from '../../../src/workflows/orders/echo.ts'
import {payout} from '../../journal/sample.ts'

const amount = 50_000n
const of =
  (key: string) =>
  (...parts: readonly (string | bigint)[]) =>
    `${key}.${parts.join(' ')}`
const sentWith = of('key-id-0')
const body = {
  ...{merchantId: 'm-1', outOrderNo: 'P-1', amount: 500, bankType: 'BKASH'},
  ...{account: '01812345678', userName: 'Rahim Uddin', playerPhone: '01712345678', playerRef: 'u-7'},
}
const prepared = {kind: 'payout', bodyText: JSON.stringify(body)} as PreparedRequest
const row = {
  ...{...payout, amount, channel: 'BKASH', maskedAccount: '018****5678'},
  ...{payeeFingerprint: sentWith('01812345678', amount), sentFields: fieldsToKeep(prepared, sentWith)},
} as unknown as RequestRow

const texts = ({differs, identifies}: {differs: string | null; identifies: boolean}) =>
  `${differs ?? 'same'}${identifies ? ', names whom' : ''}`

test('what an answer says of whom a payout went to, by the request and by what the journal keeps of it', () => {
  const answers: readonly JsonObject[] = [
    {},
    body as unknown as JsonObject,
    {account: '01812345678'},
    {account: '01912345678'},
    {account: '+880 1812-345678'},
    {account: '8801812345678'},
    {account: '1812345678'},
    {account: '018****5678'},
    {account: '018****5679'},
    {account: '019****5678'},
    {account: '*********78'},
    {account: '********678'},
    {account: 'wallet-7'},
    {account: ['01812345678']},
    {account: null},
    {bankType: 'bkash'},
    {bankType: 'B-Kash'},
    {bankType: 'NAGAD'},
    {bankType: 'wallet'},
    {userName: 'RAHIM  UDDIN '},
    {userName: 'Karim Uddin'},
    {playerPhone: '01712345678'},
    {playerPhone: '017****5678'},
    {playerPhone: '01799995678'},
    {playerRef: 'u-8'},
    {merchantId: 'M-1'},
    {merchantId: 'm-2'},
  ]
  const lines = answers.map((answer) => {
    const one = echoOfRequest(prepared)(answer)
    const kept = [echoOfRow(row, sentWith), echoOfRow(row, of('another!'))].map((read) => texts(read(answer)))
    const [ofRow, ofOtherKey] = kept
    return [
      JSON.stringify(answer === answers[1] ? 'all' : answer),
      `${texts(one)}${one.isAnothers ? ', another’s' : ''}`,
      ...(ofRow === texts(one) ? [] : [`kept: ${ofRow}`]),
      ...(ofOtherKey === ofRow ? [] : [`kept with another key: ${ofOtherKey}`]),
    ].join(' | ')
  })
  expect(lines).toMatchInlineSnapshot(`
    [
      "{} | same",
      ""all" | same, names whom",
      "{"account":"01812345678"} | same, names whom",
      "{"account":"01912345678"} | account, another’s",
      "{"account":"+880 1812-345678"} | same, names whom",
      "{"account":"8801812345678"} | same, names whom",
      "{"account":"1812345678"} | same, names whom",
      "{"account":"018****5678"} | same, names whom",
      "{"account":"018****5679"} | account, another’s",
      "{"account":"019****5678"} | account, another’s",
      "{"account":"*********78"} | same",
      "{"account":"********678"} | same, names whom",
      "{"account":"wallet-7"} | account",
      "{"account":["01812345678"]} | account | kept: same",
      "{"account":null} | same",
      "{"bankType":"bkash"} | same",
      "{"bankType":"B-Kash"} | same",
      "{"bankType":"NAGAD"} | bankType, another’s",
      "{"bankType":"wallet"} | bankType",
      "{"userName":"RAHIM  UDDIN "} | same",
      "{"userName":"Karim Uddin"} | userName | kept with another key: same",
      "{"playerPhone":"01712345678"} | same",
      "{"playerPhone":"017****5678"} | same",
      "{"playerPhone":"01799995678"} | playerPhone | kept with another key: same",
      "{"playerRef":"u-8"} | playerRef | kept with another key: same",
      "{"merchantId":"M-1"} | same",
      "{"merchantId":"m-2"} | merchantId | kept: same",
    ]
  `)
})

test('a deposit is for its player; what was not sent says nothing', () => {
  const bodyText = JSON.stringify({merchantId: 'm-1', orderNo: 'D-1', playerRef: 'u-7'})
  const read = echoOfRequest({kind: 'deposit', bodyText} as PreparedRequest)
  const answers: readonly JsonObject[] = [{playerRef: 'u-7'}, {playerRef: 'u-8'}, {account: '01812345678'}]
  expect(answers.map((answer) => texts(read(answer)))).toEqual(['same, names whom', 'playerRef', 'same'])
})

test('a row of an older hisab knows the channel and the masked account alone', () => {
  const read = echoOfRow({...row, payeeFingerprint: null, sentFields: {}}, sentWith)
  const none = echoOfRow({...row, channel: null, maskedAccount: null, sentFields: {}}, sentWith)
  const answers: readonly JsonObject[] = [
    {account: '01812345678'},
    {account: '01912345678'},
    {bankType: 'NAGAD'},
  ]
  expect(answers.map((answer) => texts(read(answer)))).toEqual(['same, names whom', 'account', 'bankType'])
  expect(answers.map((answer) => texts(none(answer)))).toEqual(['same', 'same', 'same'])
})

test('of what identifies a person the journal keeps no more than a fingerprint and a mask', () => {
  expect(fieldsToKeep(prepared, sentWith)).toEqual({
    userName: {fingerprint: 'key-id-0.userName RAHIM UDDIN'},
    nameParts: {fingerprint: 'key-id-0.userName RAHIM key-id-0.userName UDDIN'},
    playerRef: {fingerprint: 'key-id-0.playerRef u-7'},
    playerPhone: {masked: '017****5678', fingerprint: 'key-id-0.playerPhone 01712345678'},
  })
})
