import {randomBytes} from 'node:crypto'
import {readdirSync, readFileSync, statSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import {type Ended, OwnHome} from '../acceptance/own-home.ts'
import {playAftermath} from './aftermath.ts'
import {answerFaults} from './answer-faults.ts'
import type {Work} from './books.ts'
import type {Certificates} from './certificates.ts'
import {account, type Document, playerPhone, type Row, recipient, rows} from './commands.ts'
import {connectionFaults} from './connection-faults.ts'
import {type Fault, isWrite, type Meaning, provesNothingDone, worksOf} from './fault.ts'
import {merchantId, type Operation} from './honest-service.ts'
import {HostileService, originOf} from './hostile-service.ts'
import {judgeByBooks} from './judge-books.ts'

/** One command under one fault, and what the work came to where that is at a write. */
export interface Cell {
  readonly row: Row
  readonly fault: Fault
  readonly work: Work
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
/** A list that proves nothing is read four times, sixteen pages ahead; of a long one 100 pages and its ends. */
const callsMax = 120

const payouts = `out_order_no,amount,bank_type,user_name,account
P-1,500.00,BKASH,${recipient},${account}
`

/** Where Node keeps compiled code by default: a home of its own for each cell would double the work. */
const cacheDir = join(tmpdir(), 'node-compile-cache')

export const cells: readonly Cell[] = rows.flatMap((row) =>
  faults
    .filter((fault) => isMet(row, fault))
    .flatMap((fault) => worksAt(row, fault).map((work) => ({row, fault, work}))),
)

function worksAt({target, isText}: Row, fault: Fault): readonly Work[] {
  if (target === null) return ['done']
  const works = worksOf(fault, target)
  return isText ? works.slice(0, 1) : works
}

export function nameOf({row, fault, work}: Cell): string {
  const isChosen = worksAt(row, fault).length > 1
  return `${row.name}: ${fault.name}${isChosen ? `, ${work}` : ''}`
}

export function needsCertificates({fault}: Cell): boolean {
  return fault.door?.is === 'tls' || fault.door?.is === 'proxied'
}

/**
 * Runs the built binary against the fault, or the command in this process (`isHere`: no certificates can be given to it),
 * and looks at everything it left behind.
 */
export async function play(
  cell: Cell,
  certificates: Certificates | null,
  {isHere = false} = {},
): Promise<Verdict> {
  const {row, fault, work} = cell
  const service = await new HostileService(fault, row.target, work).open(certificates)
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
    const args = [...row.args, ...(row.isText ? [] : ['--json']), '--debug']
    const ended = await (isHere ? home.runHere(args) : runBuilt(home, args))
    const signatures = signaturesOf(service)
    const problems = [...judgeEnd(cell, ended, service), ...judgeCalls(row, fault, service)]
    const after = await playAftermath(cell, ended, service, home)
    const marked = [...Object.values(secrets), ...signatures, ...signaturesOf(service)]
    problems.push(...after.problems, ...findLeaks(home, [ended, ...after.ended], marked))
    return {status: ended.status, problems, ended}
  } finally {
    home.remove()
    await service.close()
  }
}

async function runBuilt(home: OwnHome, args: readonly string[]): Promise<Ended> {
  const running = home.start(args)
  const guard = setTimeout(() => process.kill(running.pid, 'SIGKILL'), hangMs)
  try {
    return await running.ended
  } finally {
    clearTimeout(guard)
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

function judgeEnd(cell: Cell, ended: Ended, service: HostileService): string[] {
  const {row, fault} = cell
  const {status, stdout, stderr} = ended
  const meanings = meaningsOf(row, fault)
  const allowed = meanings.flatMap((meaning) => row.statuses[meaning])
  const problems: string[] = []
  // What was done, and what may have been, the answers do not tell: the books do.
  const isForBooks = row.target !== null && isWrite(row.target) && !provesNothingDone(meanings)
  if (!isForBooks && !allowed.includes(status))
    problems.push(`ended with ${status} instead of ${allowed.join(' or ')}`)
  if (/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\ufeff]/.test(stdout + stderr))
    problems.push('drives the terminal')
  if (row.isText) return [...problems, ...judgeByBooks(cell, service, ended, null)]
  let document: Document
  try {
    document = JSON.parse(stdout)
  } catch {
    return [...problems, 'stdout is not one JSON document']
  }
  problems.push(...judgeByBooks(cell, service, ended, document))
  if (document.error && document.error.exitCode !== status) problems.push('stdout tells another status')
  // That there is no legacy API is an answer, too.
  const isAnswered = isForBooks || meanings.includes('good') || meanings.includes('gone')
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
  const isRead = target === null || !isWrite(target)
  const resendsMax = isRead && !fault.means(target ?? 'deposit query').includes('good') ? 0 : 1
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
function findLeaks(home: OwnHome, ended: readonly Ended[], secrets: readonly string[]): string[] {
  const places = new Map([
    ['stdout', ended.map(({stdout}) => stdout).join('\n')],
    ['stderr', ended.map(({stderr}) => stderr).join('\n')],
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
refusal_codes = ["INSUFFICIENT_BALANCE", "BAD_FIELD"]
timeouts = { connect = "1s", answer = "1s", total = "1500ms" }
`
}
