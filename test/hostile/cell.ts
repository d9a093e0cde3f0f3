import {randomBytes} from 'node:crypto'
import {readdirSync, readFileSync, statSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import {type Ended, OwnHome} from '../acceptance/own-home.ts'
import {answerFaults} from './answer-faults.ts'
import type {Certificates} from './certificates.ts'
import {account, type Document, playerPhone, type Row, recipient, rows} from './commands.ts'
import {connectionFaults} from './connection-faults.ts'
import type {Fault, Meaning} from './fault.ts'
import {merchantId, type Operation} from './honest-service.ts'
import {HostileService, originOf} from './hostile-service.ts'

/** One command under one fault. */
export interface Cell {
  readonly row: Row
  readonly fault: Fault
}

export interface Verdict {
  readonly status: number
  /** What was not as it must be, a sentence each; none where all is well. */
  readonly problems: readonly string[]
  readonly ended: Ended
}

export const faults: readonly Fault[] = [...answerFaults, ...connectionFaults]

/** Far above the longest wait there is: who meets it hangs. */
const hangMs = 90_000
const callsMax = 60

const payouts = `out_order_no,amount,bank_type,user_name,account
P-1,500.00,BKASH,${recipient},${account}
`

/** Where Node keeps compiled code by default: a home of its own for each cell would double the work. */
const cacheDir = join(tmpdir(), 'node-compile-cache')

export const cells: readonly Cell[] = rows.flatMap((row) =>
  faults.filter((fault) => isMet(row, fault)).map((fault) => ({row, fault})),
)

export function nameOf({row, fault}: Cell): string {
  return `${row.name}: ${fault.name}`
}

export function needsCertificates({fault}: Cell): boolean {
  return fault.door?.is === 'tls' || fault.door?.is === 'proxied'
}

/** Runs the built binary against the fault and looks at everything it left behind. */
export async function play({row, fault}: Cell, certificates: Certificates | null): Promise<Verdict> {
  const service = await new HostileService(fault, row.target).open(certificates)
  const secrets = {CELL_SECRET: canary('secret'), CELL_KEY: canary('key')}
  const trust = certificates ? {NODE_EXTRA_CA_CERTS: certificates.authorityPath} : {}
  const home = new OwnHome({
    ...secrets,
    ...trust,
    ...service.env,
    HISAB_PROFILE: 'hostile',
    NODE_COMPILE_CACHE: cacheDir,
  })
  try {
    home.writeConfig(profileAt(service))
    home.write(
      'ledger.csv',
      'order_no,kind,status,amount,created_at\npaid,deposit,completed,500.00,2026-11-20\nlost,deposit,open,700.00,2026-11-20\n',
    )
    home.write('payouts.csv', payouts)
    const running = home.start([...row.args, ...(row.isText ? [] : ['--json']), '--debug'])
    const guard = setTimeout(() => process.kill(running.pid, 'SIGKILL'), hangMs)
    const ended = await running.ended
    clearTimeout(guard)
    const problems = [
      ...judgeEnd(row, fault, ended),
      ...judgeCalls(row, fault, service),
      ...findLeaks(home, ended, [...Object.values(secrets), ...signaturesOf(service)]),
    ]
    return {status: ended.status, problems, ended}
  } finally {
    home.remove()
    await service.close()
  }
}

/** What the command's calls come to. Of a row that is hit everywhere, the first call that goes wrong decides. */
function meaningsOf(row: Row, fault: Fault): readonly Meaning[] {
  if (row.target !== null) return fault.means(row.target)
  const order: readonly Operation[] = ['deposit query', 'list']
  const hit = order.filter((operation) => fault.operations?.includes(operation) ?? true)
  const meanings = hit.map((operation) => fault.means(operation))
  return meanings.find(([first]) => first !== 'good') ?? ['good']
}

function isMet(row: Row, fault: Fault): boolean {
  if (fault.door && !row.isFirst) return false
  return fault.operations === undefined || row.target === null || fault.operations.includes(row.target)
}

function judgeEnd(row: Row, fault: Fault, {status, stdout, stderr}: Ended): string[] {
  const meanings = meaningsOf(row, fault)
  const allowed = meanings.flatMap((meaning) => row.statuses[meaning])
  const problems: string[] = []
  if (!allowed.includes(status)) problems.push(`ended with ${status} instead of ${allowed.join(' or ')}`)
  if (/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\ufeff]/.test(stdout + stderr))
    problems.push('drives the terminal')
  if (row.isText) return problems
  let document: Document
  try {
    document = JSON.parse(stdout)
  } catch {
    return [...problems, 'stdout is not one JSON document']
  }
  if (document.error && document.error.exitCode !== status) problems.push('stdout tells another status')
  // That there is no legacy API is an answer, too.
  const isAnswered = meanings.includes('good') || meanings.includes('gone')
  if (!isAnswered && row.claims(document)) problems.push('claims what it cannot know')
  return problems
}

function judgeCalls({target}: Row, fault: Fault, service: HostileService): string[] {
  const problems: string[] = []
  if (service.strayConnections > 0) problems.push('went to an address nobody configured')
  if (service.seen.length > callsMax) problems.push(`made ${service.seen.length} calls`)
  for (const create of ['deposit create', 'payout create'] as const) {
    const bodies = service.callsOf(create).flatMap(({request}) => request?.body ?? [])
    if (service.callsOf(create).length > 3) problems.push(`tried to create ${bodies.length} times`)
    if (new Set(bodies).size > 1) problems.push('did not send the same bytes again')
  }
  const resends = service.callsOf('resend').length
  const meanings = fault.means(target ?? 'deposit query')
  const resendsMax =
    target === 'resend' ? (fault.name.startsWith('429') ? 3 : 1) : meanings.includes('good') ? 1 : 0
  if (resends > resendsMax) problems.push(`resent ${resends} times, where ${resendsMax} is the most`)
  return problems
}

function signaturesOf(service: HostileService): string[] {
  return service.seen.flatMap(({request}) => {
    const inBody = /"signature":"(\w+)"/.exec(request?.body ?? '')?.[1]
    return [inBody, request?.headers.get('x-signature')].filter((signature) => signature !== undefined)
  })
}

/** P20 and P25: what must be in no output and in no file, and who may read the files. */
function findLeaks(home: OwnHome, {stdout, stderr}: Ended, secrets: readonly string[]): string[] {
  const places = new Map([
    ['stdout', stdout],
    ['stderr', stderr],
  ])
  const problems: string[] = []
  for (const entry of readdirSync(home.dir, {recursive: true, withFileTypes: true})) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && entry.name !== 'payouts.csv') places.set(entry.name, readFileSync(path, 'latin1'))
    // P25: what hisab itself made; the home and its folders are the test's.
    const isOurs = entry.isFile() || path.startsWith(home.dataDir) || entry.name === 'report'
    if (isOurs && (statSync(path).mode & 0o077) !== 0)
      problems.push(`other users can look into ${entry.name}`)
  }
  const marked = [...secrets, playerPhone, account, recipient]
  for (const [place, text] of places) {
    problems.push(
      ...marked.filter((secret) => text.includes(secret)).map((secret) => `"${secret}" is in ${place}`),
    )
  }
  return problems
}

function canary(name: string): string {
  return `canary-${name}-${randomBytes(12).toString('hex')}`
}

/** Timeouts short enough for hundreds of faults, long enough for a machine that is busy with as many. */
function profileAt(service: HostileService): string {
  const url = (operation: Operation) => service.urlOf(originOf(operation))
  return `[profiles.hostile]
merchant_id = "${merchantId}"
base_url = "${url('deposit create')}/v1"
apply_url = "${url('payout create')}/v1"
legacy_url = "${url('list')}"
return_url = "https://merchant.example/webhooks"
api_secret = { env = "CELL_SECRET" }
api_key = { env = "CELL_KEY" }
timeouts = { connect = "1s", answer = "1s", total = "1500ms" }
`
}
