import {expect, test} from 'vitest'

import DepositCreate from '../../src/commands/deposit/create.ts'
import {type Answering, good, json, merchantId, serve} from '../api/fixture.ts'
import {shellAt, shellWithSandbox} from './run-command.ts'

const asked = {'--order-no': 'D-1', '--player-phone': '01712345678', '--player-ref': 'player-7'}
const argv = (changes: Record<string, string> = {}) => Object.entries({...asked, ...changes}).flat()
const here = ['--return-url', 'http://127.0.0.1:9/hook']

/** A service that answers queries as told; before the first create with a 404 that proves nothing (A5). */
function service(query: Answering) {
  let isKnown = false
  return serve((response, seen, nth) => {
    const isCreate = seen.path.endsWith('/create')
    isKnown ||= isCreate
    const answer = isCreate
      ? json(good.depositCreate)
      : isKnown
        ? query
        : json({message: 'no Route matched'}, 404)
    answer(response, seen, nth)
  })
}

test('a session is made, queried and confirmed; the same again is the existing order', async () => {
  const {shell, sandbox} = await shellWithSandbox()
  const first = await shell.run(DepositCreate, ...argv(), ...here, '--json')
  expect(first.json()).toEqual({
    merchantId: '5a9db0c5-0000-4000-8000-000000000001',
    orderNo: 'D-1',
    platformOrderNo: expect.any(String),
    payCode: expect.any(String),
    payUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/pay\//),
    confirmed: true,
  })
  await sandbox.control.payDeposit('D-1', 50_000n)
  const again = await shell.run(DepositCreate, ...argv(), ...here, '--json')
  expect(again.json()).toEqual({...first.json(), existing: true})
  expect(again.stderr).toMatch(
    /OLD ORDER: D-1 was sent before, at .* This is that order\. Nothing new was created/,
  )
  expect([first.status, again.status]).toEqual([0, 0])
})

test('as text it is the same data, one field a line', async () => {
  const {shell} = await shellWithSandbox()
  const {stdout, stderr} = await shell.run(DepositCreate, ...argv(), ...here)
  expect(stdout).toMatch(/^orderNo +D-1$/m)
  expect(stdout).toMatch(/^confirmed +true$/m)
  expect(stderr).toBe('')
})

test('a demonstration order completes at once and is confirmed all the same', async () => {
  const {shell} = await shellWithSandbox()
  const {status, ...ran} = await shell.run(DepositCreate, ...argv(), ...here, '--test', '--json')
  expect(ran.json()).toMatchObject({confirmed: true})
  expect(status).toBe(0)
})

test('a fresh number that is completed already is not confirmed', async () => {
  const {origin} = await service(json(good.query))
  const {status, ...ran} = await shellAt(origin).run(DepositCreate, ...argv(), '--json')
  expect(ran.json()).toMatchObject({confirmed: false, why: expect.stringContaining('already completed')})
  expect(status).toBe(7)
})

test('without a return address nothing is sent, and both places to set it are named', async () => {
  const {origin, seen} = await service(json(good.query))
  const ran = await shellAt(origin, {HISAB_RETURN_URL: ''}).run(DepositCreate, ...argv())
  expect(ran.stderr).toContain('--return-url')
  expect(ran.stderr).toContain('HISAB_RETURN_URL')
  expect({status: ran.status, calls: seen.length}).toEqual({status: 2, calls: 0})
})

test('a return address whose signed text reads as other fields is named', async () => {
  const {shell} = await shellWithSandbox()
  const ran = await shell.run(DepositCreate, ...argv(), '--return-url', 'http://127.0.0.1:9/h?a=1&b=2')
  expect(ran.stderr).toContain('warning: returnUrl contains "&" and "="')
  expect(ran.status).toBe(0)
})

test('--dry-run needs no service', async () => {
  const ran = await shellAt('http://127.0.0.1:9').run(DepositCreate, ...argv(), '--dry-run')
  expect(ran.stdout).toBe(
    `POST http://127.0.0.1:9/v1/pay/order/create\n\n{"merchantId":"${merchantId}","orderNo":"D-1","returnUrl":"https://shop.example/hook","playerPhone":"01712345678","playerRef":"player-7","signature":"***"}\n`,
  )
  expect(ran.status).toBe(0)
})

test.each([
  ['--player-phone', '0171234567', 'playerPhone'],
  ['--player-ref', 'u7&status=completed', 'playerRef'],
  ['--order-no', 'D'.repeat(33), 'orderNo'],
])('%s %s is refused before any call', async (flag, value, field) => {
  const {origin, seen} = await service(json(good.query))
  const ran = await shellAt(origin).run(DepositCreate, ...argv({[flag]: value}), '--json')
  expect(ran.json()).toMatchObject({error: {code: 'input_invalid', message: expect.stringContaining(field)}})
  expect({status: ran.status, calls: seen.length}).toEqual({status: 2, calls: 0})
})

test('a flag that is missing is named in one sentence', async () => {
  const ran = await shellAt('http://127.0.0.1:9').run(DepositCreate, '--order-no', 'D-1', '--json')
  expect(ran.json()).toMatchObject({error: {code: 'usage', message: expect.stringContaining('player-phone')}})
  expect(ran.status).toBe(2)
})
