import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import DepositQuery from '../../src/commands/deposit/query.ts'
import PayoutQuery from '../../src/commands/payout/query.ts'
import {type Answering, json, merchantId, serve, text} from '../api/fixture.ts'
import {type Shell, shellAt} from './run-command.ts'

const orderNoOf = (body: string) => {
  const {orderNo, outOrderNo} = JSON.parse(body) as Record<string, string>
  return orderNo ?? outOrderNo ?? ''
}

/** Answers by order number; a number it does not name does not exist. */
async function service(answers: Record<string, Answering>) {
  const {origin, seen} = await serve((response, call, nth) => {
    const answer = answers[orderNoOf(call.body)] ?? json({code: 'ORDER_NOT_FOUND'}, 404)
    answer(response, call, nth)
  })
  return {shell: shellAt(origin), asked: () => seen.map(({body}) => orderNoOf(body))}
}

function order(orderNo: string, fields: Record<string, unknown> = {}): Answering {
  return json({
    code: 0,
    data: {merchantId, orderNo, platformOrderNo: `PL-${orderNo}`, status: 'completed', ...fields},
  })
}

function listIn({dataDir}: Shell, content: string): string {
  const path = join(dataDir, 'numbers.txt')
  writeFileSync(path, content)
  return path
}

const unknown = {status: null, rawStatus: null, amount: null, platformOrderNo: null}

test('orders come in the order they were asked for, whatever each answer is', async () => {
  const {shell} = await service({
    'D-1': order('D-1', {amount: '500.00'}),
    'D-3': text('<html>', 200, {'content-type': 'text/html'}),
    'D-4': order('D-4', {status: 'Completed', amount: 7}),
  })
  const ran = await shell.run(DepositQuery, 'D-1', 'D-2', 'D-3', 'D-4', '--json')
  expect(ran.json()).toEqual({
    orders: [
      {
        orderNo: 'D-1',
        found: true,
        status: 'completed',
        rawStatus: 'completed',
        amount: '500.00',
        platformOrderNo: 'PL-D-1',
      },
      {orderNo: 'D-2', found: false, ...unknown},
      {orderNo: 'D-3', found: null, ...unknown, why: expect.stringContaining('JSON')},
      {
        orderNo: 'D-4',
        found: true,
        status: 'unknown_status',
        rawStatus: 'Completed',
        amount: '7.00',
        platformOrderNo: 'PL-D-4',
      },
    ],
  })
  expect(ran.status).toBe(8)
})

test.each<[what: string, answers: Record<string, Answering>, status: number]>([
  ['all are there', {'P-1': order('P-1'), 'P-2': order('P-2')}, 0],
  ['one does not exist', {'P-1': order('P-1')}, 7],
  ['one is about another order', {'P-1': order('P-1'), 'P-2': order('P-9')}, 8],
  ['the credentials are rejected', {'P-1': json({code: 1}, 401)}, 3],
])('the exit status tells: %s', async (_what, answers, status) => {
  const {shell} = await service(answers)
  expect((await shell.run(PayoutQuery, 'P-1', 'P-2')).status).toBe(status)
})

test('an address where something else answers is named once, and not where the service answers too', async () => {
  const page = text('no such page', 404, {'content-type': 'text/plain'})
  const says = /No answer from base_url was one of the payment service/g
  const elsewhere = await service({'D-1': page, 'D-2': page})
  const {stderr} = await elsewhere.shell.run(DepositQuery, 'D-1', 'D-2')
  expect(stderr.match(says)).toHaveLength(1)
  const once = await service({'D-1': page, 'D-2': order('D-2')})
  expect((await once.shell.run(DepositQuery, 'D-1', 'D-2')).stderr).not.toMatch(says)
})

test('a service nobody reaches is one failure, not a list of holes', async () => {
  const ran = await shellAt('http://127.0.0.1:9').run(DepositQuery, 'D-1', '--json')
  expect(ran.json()).toMatchObject({error: {code: 'service_unreachable', exitCode: 5}})
})

test('--from takes a BOM, CRLF and blank lines, and each number is asked once', async () => {
  const {shell, asked} = await service({'D-1': order('D-1'), 'D-2': order('D-2')})
  const from = listIn(shell, '\ufeffD-1\r\n\r\n   \r\nD-2\r\nD-1\r\n')
  const ran = await shell.run(DepositQuery, 'D-2', '--from', from, '--format', 'ndjson')
  const lines = ran.stdout.trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as {orderNo: string}).orderNo)).toEqual(['D-2', 'D-1'])
  expect(asked().sort()).toEqual(['D-1', 'D-2'])
})

test('a pasted blank is named where the service has no such number', async () => {
  const {shell} = await service({'D-1': order('D-1')})
  const {stdout, stderr, status} = await shell.run(DepositQuery, 'D-1 ', 'D-2')
  expect({status, rows: stdout.match(/no .*D-/g)?.length}).toEqual({status: 7, rows: 2})
  expect(stderr).toContain('the number "D-1 " ends with a blank')
  expect(stderr).not.toContain('D-2')
})

test('too many requests: the row says so, and the next step is below it', async () => {
  const {shell} = await service({'D-1': json({code: 429}, 429)})
  const {stdout, stderr, status} = await shell.run(DepositQuery, 'D-1')
  expect(status).toBe(8)
  expect(stdout).toContain('HTTP 429, application/json, 12 bytes (too many requests) (3 tries)')
  expect(stderr).toContain('Wait, then run it again.')
})

test('rejected with a code: the code is shown, as text and for programs', async () => {
  const {shell} = await service({'D-1': json({code: 'SIGNATURE_INVALID', message: 'no'}, 401)})
  const {stderr} = await shell.run(DepositQuery, 'D-1')
  expect(stderr).toMatch(/HTTP 401, .* with the code SIGNATURE_INVALID\.\n.*Check that api_secret/)
  const {error} = (await shell.run(DepositQuery, 'D-1', '--json')).json() as {error: object}
  expect(error).toMatchObject({code: 'credentials_rejected', serviceCode: 'SIGNATURE_INVALID'})
})

test('nothing listens at the address: it is named, with what starts the sandbox', async () => {
  const {stderr} = await shellAt('http://127.0.0.1:1').run(DepositQuery, 'D-1')
  expect(stderr).toMatch(/: 127\.0\.0\.1:1: the connection was refused.*`hisab sandbox start`/s)
})

test.each<[what: string, content: string | Buffer, code: string]>([
  ['a trailing blank', 'D-1\nD-2 \n', 'input_invalid'],
  ['a zero-width space', 'D-1\nD\u200b-2\n', 'input_invalid'],
  ['nothing', '\n\n', 'input_invalid'],
])('a list with %s is refused, and nothing is asked', async (_what, content, code) => {
  const {shell, asked} = await service({})
  const from = listIn(shell, String(content))
  const ran = await shell.run(DepositQuery, '--from', from, '--json')
  expect(ran.json()).toMatchObject({error: {code}})
  expect({status: ran.status, asked: asked()}).toEqual({status: 2, asked: []})
})

test('a list that is not UTF-8, or not there, is said to be so', async () => {
  const {shell} = await service({})
  const path = join(shell.dataDir, 'latin.txt')
  writeFileSync(path, Buffer.from([0x44, 0xe9, 0x0a]))
  expect((await shell.run(DepositQuery, '--from', path)).stderr).toContain('not UTF-8')
  expect((await shell.run(DepositQuery, '--from', `${path}x`)).stderr).toContain('there is no such file')
})

test('what the service says cannot drive the terminal or a spreadsheet', async () => {
  const {shell} = await service({'=1+1': order('=1+1', {status: '\u001b[31mred\u202e', amount: '5'})})
  const table = await shell.run(DepositQuery, '=1+1')
  expect(table.stdout).toContain('\\u{1b}[31mred\\u{202e}')
  const csv = await shell.run(DepositQuery, '=1+1', '--format', 'csv')
  expect(csv.stdout).toBe(
    "orderNo,found,status,rawStatus,amount,platformOrderNo,why\n'=1+1,true,unknown_status,\\u{1b}[31mred\\u{202e},5.00,PL-=1+1,\n",
  )
})
