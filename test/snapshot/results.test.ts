import {once} from 'node:events'
import {utimesSync, writeFileSync} from 'node:fs'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import type {Command} from '@oclif/core/command'
import {beforeAll, expect, onTestFinished, test, vi} from 'vitest'

import {steppedClock} from '../../src/sandbox/clock.ts'
import {type Shell, shellAt, shellWithSandbox} from '../commands/run-command.ts'
import {tempDir} from '../temp-dir.ts'
import {checkedCommands, checkResult} from './check-result.ts'
import {commandFiles} from './command-files.ts'

// Other files of this process have run some, too.
checkedCommands.clear()

/**
 * Real output of the commands, compared with the schema of each: `run` of the shell does that, here and in every other
 * test. Those that go on until somebody stops them are run by test/acceptance, `demo` among them.
 */
// Those of a shared journal: test/journal/postgres.
const runElsewhere = ['demo', 'sandbox start', 'journal migrate', 'journal import']

type CommandClass = Parameters<Shell['run']>[0]
const classes = new Map<string, CommandClass>()

beforeAll(async () => {
  for (const {words, file} of commandFiles()) {
    const {default: command} = (await import(new URL(`../../${file}`, import.meta.url).href)) as {
      default: typeof Command
    }
    classes.set(words, command as CommandClass)
  }
})

function commandOf(words = ''): CommandClass {
  const command = classes.get(words)
  if (!command) throw new Error(`no such command: ${words}`)
  return command
}

/** Runs a line as it is typed, with `--json`. */
async function hisab(shell: Shell, line: string, ...more: string[]) {
  const words = line.split(' ')
  const length = classes.has(words.slice(0, 2).join(' ')) ? 2 : 1
  const ran = await shell.run(
    commandOf(words.slice(0, length).join(' ')),
    ...words.slice(length),
    ...more,
    '--json',
  )
  // A failure has the schema of failures; here the result itself is meant.
  expect(ran.stdout, ran.stderr).not.toContain('"error":')
  return ran
}

test('orders, records and runs', async () => {
  const {sandbox, shell} = await shellWithSandbox({clock: steppedClock(Date.now() - 86_400_000)})
  const run = (line: string, ...more: string[]) => hisab(shell, line, ...more)
  const deposit =
    'deposit create --player-phone 01712345678 --player-ref u-1 --return-url http://127.0.0.1:9/hook'
  const payout = 'payout create --bank-type BKASH --account 01812345678 --return-url http://127.0.0.1:9/hook'
  await run(`${deposit} --order-no D-1`)
  await run(`${deposit} --order-no D-1`)
  await run(`${deposit} --order-no D-2 --dry-run`)
  await run(`${deposit} --order-no D-3 --wait-for 1s`)
  await run(`${payout} --order-no P-1 --amount 500 --yes`, '--user-name', 'Rahim Uddin')
  await run(`${payout} --order-no P-2 --amount 500 --dry-run`, '--user-name', 'Rahim Uddin')
  const payouts = join(tempDir(), 'payouts.csv')
  writeFileSync(
    payouts,
    'out_order_no,amount,bank_type,user_name,account\nP-3,700.00,BKASH,Karim,01912345678\n',
  )
  await run('payout create --dry-run --return-url http://127.0.0.1:9/hook --from', payouts)
  await run('payout create --yes --return-url http://127.0.0.1:9/hook --from', payouts)
  for (const list of ['deposit list', 'payout list', 'deposit list --in-doubt']) await run(list)
  await run('deposit query D-1 D-404')
  await run('payout query P-1 P-404')

  await sandbox.control.payDeposit('D-1', 500_00n)
  await run('sandbox clock --advance 8h')
  await run('sandbox chaos html=0.5')
  await run('sandbox chaos --off')
  const {records} = (await run('webhooks list')).json() as {records: {id: string}[]}
  expect(records).not.toEqual([])
  await run('webhooks list --all')
  await run('webhooks list --outages --amounts')
  await run(`webhooks get ${records[0]?.id}`)
  await run('find D-1')
  await run('webhooks resend --status failed --dry-run')
  await run('webhooks resend --status failed --yes --wait 1s')

  const ledger = join(tempDir(), 'ledger.csv')
  const rows = ['D-1,open,500.00', 'D-404,completed,20.00', 'D-3,completed,', 'D-3,open,', 'D-7,strange,1']
  writeFileSync(ledger, ['order_no,status,amount', ...rows].join('\n'))
  await run('ledger check', ledger)
  await run('ledger import', ledger)
  await run('ledger import --remove')
  await run('reconcile --plan', ledger)
  await run('reconcile --yes --all --wait 1s', ledger)
  await run('reconcile --dry-run', ledger)
  await run('runs trend')
  const {dir, last} = (await run('runs verify')).json() as {dir: string; last: {run: string}}
  await run('reconcile --cutoff 24h --from-evidence', join(dir, last.run))
  const {runs} = (await run('runs list')).json() as {runs: {id: string}[]}
  for (const {id} of runs) await run(`runs show ${id}`)
  await run(`runs sign-off ${runs.at(0)?.id} --note checked --by ops`)
  const added = await run('ignores add D-404 --reason paid --until 2099-01-01 --by rahima')
  await run('reconcile --yes --wait 1s', ledger)
  await run('ignores list')
  await run('items assign D-404 --to rahima --by ops')
  await run('items note D-404 --text asked --by ops')
  for (const words of ['list', 'show D-404', 'export']) await run(`items ${words}`)
  await run('items close --verdict duplicate_in_ledger --reason merged --yes --by ops')
  await run('items close D-404 --reason refunded --by ops')
  await run(`ignores remove ${added.json().id}`)

  const dated = join(tempDir(), 'dated.csv')
  writeFileSync(dated, 'order_no,status,amount,created_at\nD-1,paid,500.00,2026-11-20T09:00:00Z\n')
  await run('reconcile --yes --wait 1s', dated)
  await run('statement --month 2026-11')
  // A file that was just written may be half of one.
  utimesSync(dated, 0, 0)
  await run('nightly --wait 1s --day 2026-11-20 --ledger', dated)

  await run('doctor --offline')
  await run('doctor')
  await run('doctor --learn --failed D-404 --open D-3')
  await run('journal link')
  await run('journal merge')
  await run('journal status')
}, 60_000)

test('orders in doubt, and what a person says of them', async () => {
  const chaos = ['deposit-create.lost-answer-before', 'payout-create.lost-answer-before']
  const {shell} = await shellWithSandbox({faults: {chaos, seed: 1}})
  const hook = '--return-url http://127.0.0.1:9/hook --json'
  const deposit = `--order-no D-1 --player-phone 01712345678 --player-ref u-1 ${hook}`
  const payout = `--order-no P-1 --amount 9 --bank-type BKASH --user-name Karim --account 01812345678 --yes ${hook}`
  for (const [words, line] of [
    ['deposit create', deposit],
    ['payout create', payout],
  ]) {
    const {status} = await shell.run(commandOf(words), ...(line ?? '').split(' '))
    expect(status).toBe(6)
  }
  await hisab(shell, 'deposit list --in-doubt')
  await hisab(shell, 'payout list --in-doubt')
  await hisab(shell, 'deposit resolve D-1 --not-made --reason nobody-has-it')
  await hisab(shell, 'payout resolve P-1 --not-paid --reason nobody-has-it')
}, 60_000)

test('events', async () => {
  const {sandbox, shell} = await shellWithSandbox()
  let status = 503
  const server = createServer((_, response) => response.writeHead(status).end())
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const {port} = server.address() as AddressInfo
  const free = await freePort()
  const hook = `http://127.0.0.1:${free}/webhook`
  await hisab(
    shell,
    `deposit create --order-no D-1 --player-phone 01712345678 --player-ref u --return-url ${hook}`,
  )
  const listened = hisab(shell, `webhooks listen --port ${free} --count 1 --timeout 20s`)
  await vi.waitFor(() => fetch(`http://127.0.0.1:${free}/`), 10_000)
  await sandbox.control.payDeposit('D-1', 500_00n)
  expect((await listened).json()).toMatchObject({counts: {new: 1}})
  await hisab(shell, 'events list')
  await hisab(shell, 'events show D-1')
  await hisab(shell, `events forward --all --to http://127.0.0.1:${port}/webhook`)
  await hisab(shell, 'events close D-1 --reason booked --by ops')
  status = 200
  const triggered = `trigger deposit.completed --as all --delay 0s --to http://127.0.0.1:${port}/webhook`
  await hisab(shell, triggered, '--credits', 'echo 1')
}, 60_000)

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const {port} = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('signatures', async () => {
  const shell = shellAt('http://127.0.0.1:9')
  const {signature} = (await hisab(shell, 'sign outOrderNo=P-1 amount=500.00')).json()
  await hisab(shell, 'sign --scheme legacy --path /api/v1/merchant/webhooks --method GET')
  await hisab(shell, `verify outOrderNo=P-1 amount=500.00 --signature ${signature}`)
  await hisab(shell, `verify outOrderNo=P-1 amount=500 --signature ${signature}`)
  await hisab(shell, `verify outOrderNo=P-1 amount=501.00 --signature ${signature}`)
}, 60_000)

test('configuration, events and the state of a sandbox', async () => {
  const path = join(tempDir(), 'config.toml')
  writeFileSync(path, '[profiles.live]\nbase_url = "https://pay.example/v1"\n', {mode: 0o600})
  const env = {HISAB_CONFIG: path, HISAB_PROFILE: 'sandbox', HISAB_BASE_URL: 'http://127.0.0.1:1/v1'}
  const shell = shellAt('http://127.0.0.1:1', env)
  const run = (line: string) => hisab(shell, line)
  await run('config path')
  await run('completion zsh')
  await run('complete')
  await run('config show --profile sandbox')
  await run('config set status.completed completed PAID --profile live')
  await run(
    'config init --profile new --merchant-id 0d9e4c1a-7f43-4f0e-9a52-3b6a8a1f2c01 --base-url https://a.example/v1 --apply-url https://a.example/v1 --legacy-url https://a.example --return-url https://a.example/hook --api-secret-env SECRET --api-key-env KEY',
  )
  await run('sandbox seed --orders 50 --days 1')
  await run('sandbox export ledger')
  await run('sandbox export records')
  await run('sandbox env')
  await run('sandbox reset --yes')
  await run('sandbox reset --yes')
  await run('events list')
}, 60_000)

test('every other command was compared above', () => {
  const missing = commandFiles().flatMap(({words}) => (checkedCommands.has(words) ? [] : words))
  expect(
    missing.sort(),
    'npm run snapshot; then run it above with --json, or name it in runElsewhere',
  ).toEqual(runElsewhere.sort())
})

test('a result that its schema does not say is found', () => {
  expect(() => checkResult(['config', 'path', '--json'], '{"path":"/a"}')).toThrow(/exists/)
  expect(() => checkResult(['config', 'path', '--json'], '{"path":"/a","exists":true,"more":1}')).toThrow(
    /more/,
  )
  expect(() => checkResult(['config', 'path', '--json'], '{"error":{"code":"other"}}')).toThrow(/error/)
})
