import {existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'

import {verifyEvidence} from '../../../src/workflows/evidence/verify.ts'
import {hourMs} from '../../core/reconcile/sample.ts'
import {EvidenceBench} from './evidence-bench.ts'

const dayMs = 24 * hourMs

/** A paid deposit whose webhook was lost, and which is resent; `open`: one more row that nobody knows. */
function bench(change: Partial<EvidenceBench['settings']> = {}, open = false): EvidenceBench {
  const made = new EvidenceBench(
    {
      path: 'keep',
      sections: new Map([
        [
          'ledger.csv',
          `order_no,status,amount,created_at\nD-1,open,500.00,2026-11-20T09:00:00Z\n${open ? 'D-9,paid,20.00,2026-11-20T09:00:00Z\n' : ''}`,
        ],
        ['service.json', JSON.stringify([{orderNo: 'D-1'}])],
        [
          'deliveries.json',
          JSON.stringify([
            {
              orderNo: 'D-1',
              status: 'failed',
              attempts: 6,
              responseCode: 503,
              nextRetryAt: null,
              resend: 'delivers',
            },
          ]),
        ],
        ['options.json', JSON.stringify({yes: true})],
      ]),
    },
    change,
  )
  onTestFinished(() => made.journal.close())
  return made
}

/** What a file descriptor of this process is of; it may be gone already. */
function targetOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}

const verified = async ({settings: {dir}, journal}: EvidenceBench) =>
  verifyEvidence(dir, {rows: await journal.listEvidence()})
const files = ({settings: {dir}}: EvidenceBench, run: string) => readdirSync(join(dir, run)).sort()

test('a disk that refuses ends the evidence, not the run: what was decided is done and recorded, and the run ends with 8', async () => {
  const job = bench()
  writeFileSync(join(job.dir, 'evidence'), '')
  const {status, report} = await job.run('run-1')
  expect(report.resends).toMatchObject({sent: 1, delivered: 1})
  expect(status).toBe(8)
  expect(job.kept[0]).toMatchObject({sha256: null, failure: {code: 'storage_failed'}})
  expect(await job.journal.resendsOfRun('run-1')).toMatchObject([{state: 'delivered'}])
  expect(await job.journal.findRun('run-1')).toMatchObject({status: 'finished'})
  expect(await job.journal.listEvidence()).toMatchObject([{folder: 'run-1', sha256: null}])
})

test('a folder that goes away in the midst of it, or takes no document in the end, is the same', async () => {
  for (const spoil of [
    (folder: string) => rmSync(folder, {recursive: true}),
    (folder: string) => mkdirSync(join(folder, 'evidence.json')),
  ]) {
    const job = bench()
    let isSpoilt = false
    job.client.before = () => {
      if (!isSpoilt) spoil(join(job.settings.dir, 'run-1'))
      isSpoilt = true
    }
    const {status, report} = await job.run('run-1')
    expect([status, report.resends.delivered]).toEqual([8, 1])
    expect((await verified(job)).problems).toMatchObject([{run: 'run-1', what: 'unfinished'}])
  }
})

test('a run that was killed has unfinished evidence; the one that goes on with it has its own', async () => {
  const job = bench()
  const before = job.client.before
  job.client.before = () => {
    throw new Error('killed')
  }
  await expect(job.run('run-1')).rejects.toThrow('killed')
  const open = existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').map(targetOf) : []
  expect(open.filter((path) => path.startsWith(job.dir) && path.includes('evidence'))).toEqual([])
  expect((await verified(job)).problems).toMatchObject([{run: 'run-1', what: 'unfinished'}])
  job.client.before = before
  expect((await job.run('run-1', {resume: true})).status).toBe(0)
  for (const seen of [await verified(job), verifyEvidence(job.settings.dir, {rows: null})])
    expect(seen).toMatchObject({runs: 1, problems: [], stopped: ['run-1'], last: {run: 'run-1.2'}})
})

test('evidence is removed by age and by number, but not of what was signed off or has open items', async () => {
  const job = bench({keepMs: 10 * dayMs, keepRuns: 3})
  const nightly = async (id: string) => {
    await job.run(id)
    job.clock.ms += dayMs
  }
  await nightly('run-1')
  await job.journal.signOff('run-1', {by: 'rahima', note: 'seen', isAlone: false, atMs: 1})
  for (const id of ['run-2', 'run-3', 'run-4', 'run-5']) await nightly(id)
  expect(files(job, 'run-2')).toEqual(['SHA256SUMS', 'evidence.json'])
  for (const kept of ['run-1', 'run-3', 'run-4', 'run-5'])
    expect(files(job, kept)).toContain('rows.ndjson.zst')
  expect(await verified(job)).toMatchObject({runs: 5, removedByAge: 1, problems: []})

  job.clock.ms += 30 * dayMs
  await job.run('run-6')
  expect(files(job, 'run-5')).toEqual(['SHA256SUMS', 'evidence.json'])
  expect(files(job, 'run-1')).toContain('rows.ndjson.zst')

  const open = bench({keepMs: dayMs / 2, keepRuns: 1}, true)
  for (const id of ['run-1', 'run-2', 'run-3']) {
    await open.run(id)
    open.clock.ms += dayMs
  }
  expect(files(open, 'run-1')).toContain('rows.ndjson.zst')
  expect(files(open, 'run-2')).toEqual(['SHA256SUMS', 'evidence.json'])
})

test('what was removed by age, and only that, may be missing', async () => {
  const job = bench({keepMs: 10 * dayMs, keepRuns: 1})
  for (const id of ['run-1', 'run-2', 'run-3']) await job.run(id)
  const rows = await job.journal.listEvidence()
  const asKept = rows.map((row) => ({...row, removedAtMs: null}))
  expect(verifyEvidence(job.settings.dir, {rows}).problems).toEqual([])
  // In a copy a later run explains it, and only it.
  expect(verifyEvidence(job.settings.dir, {rows: null})).toMatchObject({problems: [], removedByAge: 1})
  rmSync(join(job.settings.dir, 'run-3', 'rows.ndjson.zst'))
  expect(verifyEvidence(job.settings.dir, {rows: null}).problems).toMatchObject([
    {run: 'run-3', what: 'removed', file: 'rows.ndjson.zst'},
  ])
  expect(verifyEvidence(job.settings.dir, {rows: asKept}).problems).toContainEqual(
    expect.objectContaining({run: 'run-2', what: 'removed', file: 'rows.ndjson.zst'}),
  )
  expect(existsSync(join(job.settings.dir, 'run-2', 'rows.ndjson.zst'))).toBe(false)
  expect(readFileSync(join(job.settings.dir, 'run-3', 'SHA256SUMS'), 'utf8')).toContain('rows.ndjson.zst')
})

test('killed before the journal has its sum, a run proves nothing, and the next one does not name it', async () => {
  const job = bench()
  const seal = job.journal.sealEvidence
  job.journal.sealEvidence = () => Promise.reject(new Error('killed'))
  await job.run('run-1')
  job.journal.sealEvidence = seal
  expect(files(job, 'run-1')).toContain('SHA256SUMS.new')
  await job.run('run-2')
  for (const seen of [await verified(job), verifyEvidence(job.settings.dir, {rows: null})])
    expect(seen.problems).toMatchObject([{run: 'run-1', what: 'unfinished'}])
})

test('two runs that end at once name one another, in turn', async () => {
  const job = bench()
  await Promise.all([job.run('run-1', {dryRun: true}), job.run('run-2', {dryRun: true})])
  expect(await verified(job)).toMatchObject({runs: 2, problems: []})
})
