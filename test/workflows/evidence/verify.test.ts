import {execFileSync} from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeEach, describe, expect, test} from 'vitest'

import {sha256} from '../../../src/evidence/manifest.ts'
import type {EvidenceRow} from '../../../src/journal/evidence.ts'
import {verifyEvidence} from '../../../src/workflows/evidence/verify.ts'
import {hourMs} from '../../core/reconcile/sample.ts'
import {tempDir} from '../../temp-dir.ts'
import {changeBytes, changeFolders} from './attack.ts'
import {EvidenceBench} from './evidence-bench.ts'

const days = 30
/** `npm run campaign:evidence` attacks all of them. */
const some = ['run-01', 'run-02', 'run-15', 'run-30']
const options = {
  path: 'evidence',
  sections: new Map([
    [
      'ledger.csv',
      'order_no,status,amount,created_at,player_ref\nD-1,open,500.00,2026-11-20T09:00:00Z,01712345678\nD-2,paid,500.00,2026-11-20T09:00:00Z,u-2\n',
    ],
    ['service.json', JSON.stringify([{orderNo: 'D-1'}, {orderNo: 'D-2'}])],
    [
      'deliveries.json',
      JSON.stringify([
        {orderNo: 'D-1', status: 'failed', attempts: 6, responseCode: 503, nextRetryAt: null},
        {orderNo: 'D-2', status: 'success', says: '500.00'},
      ]),
    ],
  ]),
}

describe('a month of evidence', () => {
  const month = mkdtempSync(join(tmpdir(), 'hisab-test-'))
  let rows: readonly EvidenceRow[] = []
  let runs: string[] = []
  afterAll(() => rmSync(month, {recursive: true}))
  beforeEach(async () => {
    if (runs.length > 0) return
    const bench = new EvidenceBench(options)
    for (let day = 1; day <= days; day++) {
      await bench.run(`run-${String(day).padStart(2, '0')}`)
      bench.clock.ms += 24 * hourMs
    }
    cpSync(bench.settings.dir, month, {recursive: true})
    rows = await bench.journal.listEvidence()
    await bench.journal.close()
    runs = readdirSync(month).sort()
  }, 60_000)

  /** A copy that an attacker has had. */
  function attacked(work: (dir: string) => void) {
    const dir = join(tempDir(), 'month')
    cpSync(month, dir, {recursive: true})
    work(dir)
    return {withJournal: verifyEvidence(dir, {rows}), alone: verifyEvidence(dir, {rows: null})}
  }
  const found = ({problems}: ReturnType<typeof verifyEvidence>) =>
    problems.map(({run, what, file}) => [run, what, file].filter(Boolean).join(' '))

  test('is whole, and sha256sum says the same', () => {
    const whole = attacked(() => {})
    expect(whole.withJournal).toMatchObject({runs: days, problems: [], comparedWithJournal: true})
    expect(whole.alone).toMatchObject({runs: days, problems: [], comparedWithJournal: false})
    expect(whole.alone.last).toEqual({run: runs.at(-1), sha256: rows.at(-1)?.sha256})
    for (const run of runs.slice(0, 3))
      execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], {cwd: join(month, run)})
  })

  test('a changed byte is found and named, whichever file of whichever run has it', () => {
    const {tried, missed} = changeBytes({dir: month, rows}, {stride: 401, wholeMax: 0}, some)
    expect(missed).toEqual([])
    expect(tried).toBeGreaterThan(some.length * 15)
  }, 120_000)

  test('a file or a run that was removed, added, renamed or exchanged is named', () => {
    const {tried, missed} = changeFolders({dir: month, rows}, some)
    expect(missed).toEqual([])
    expect(tried).toBeGreaterThan(some.length * 50)
  }, 120_000)

  test('runs of another machine are named and not missed; a machine may have another name every run', () => {
    const all = runs.map((run, at) => ({run, at}))
    const desks = rows.map((row, at) => ({...row, host: at % 2 ? 'desk-b' : 'desk-a', dir: '/evidence'}))
    const ofA = new Set(all.filter(({at}) => at % 2 === 0).map(({run}) => run))
    const {dir} = attacked((copy) => {
      for (const {run} of all) if (!ofA.has(run)) rmSync(join(copy, run), {recursive: true})
    }).alone
    const seen = verifyEvidence(dir, {rows: desks})
    expect(seen).toMatchObject({problems: [], runs: days / 2, last: {run: 'run-29'}})
    expect(seen.elsewhere).toHaveLength(days / 2)
    expect(seen.elsewhere[0]).toEqual({runId: 'run-02', host: 'desk-b', dir: '/evidence'})
    rmSync(join(dir, 'run-15'), {recursive: true})
    expect(found(verifyEvidence(dir, {rows: desks}))).toEqual(['run-15 gone'])

    const pods = rows.map((row, at) => ({...row, host: `pod-${at}`}))
    expect(verifyEvidence(month, {rows: pods})).toMatchObject({problems: [], elsewhere: [], runs: days})
  })

  test('a run that was killed while its sum went to the journal is proven where the journal, or the run after it, has the sum', () => {
    const seen = (run: string) =>
      attacked((dir) => renameSync(join(dir, run, 'SHA256SUMS'), join(dir, run, 'SHA256SUMS.new')))
    expect(found(seen('run-10').withJournal)).toEqual([])
    expect(found(seen('run-10').alone)).toEqual([])
    expect(found(seen('run-30').alone)).toEqual(['run-30 unfinished'])
    const {alone} = seen('run-30')
    const unsealed = rows.map((row) =>
      row.folder === 'run-30' ? {...row, sha256: null, sealedSeq: null} : row,
    )
    expect(verifyEvidence(alone.dir, {rows: unsealed})).toMatchObject({
      problems: [{run: 'run-30', what: 'unfinished'}],
      last: {run: 'run-29'},
    })
  })

  test.each<[what: string, row: Partial<EvidenceRow> | null, hasSums: boolean, found: string[]]>([
    ['has sealed it', {}, true, []],
    ['has sealed it, and its sums are gone', {}, false, ['run-30 removed SHA256SUMS']],
    ['does not know it', null, true, ['run-30 put_between']],
    ['does not know it, and it has no sums', null, false, ['run-30 unfinished']],
    [
      'has it as stopped, and somebody made sums for it',
      {sha256: null, sealedSeq: null},
      true,
      ['run-30 added SHA256SUMS', 'run-30 unfinished'],
    ],
    ['has it as stopped', {sha256: null, sealedSeq: null}, false, ['run-30 unfinished']],
    ['has other sums of it', {sha256: 'f'.repeat(64)}, true, ['run-30 rewritten SHA256SUMS']],
    ['has another run before it', {previous: 'f'.repeat(64)}, true, ['run-30 rewritten']],
  ])('the journal %s', (_what, change, hasSums, told) => {
    const {dir} = attacked((copy) => {
      if (!hasSums) rmSync(join(copy, 'run-30', 'SHA256SUMS'))
    }).alone
    const known = rows.flatMap((row) =>
      row.folder !== 'run-30' ? [row] : change === null ? [] : [{...row, ...change}],
    )
    expect(found(verifyEvidence(dir, {rows: known}))).toEqual(told)
  })

  test('the place is named by its bytes', () => {
    const {alone} = attacked((dir) => {
      const path = join(dir, 'run-09', 'reads.ndjson.zst')
      const content = readFileSync(path)
      content[20] = 0
      content[21] = 0
      writeFileSync(path, content)
    })
    expect(alone.problems).toEqual([
      expect.objectContaining({run: 'run-09', place: expect.stringMatching(/^bytes 1 to \d+$/)}),
    ])
  })

  test('a run that was put between is found: no other may name the run before it', () => {
    const seen = attacked((dir) => rewriteRun(dir, 'run-10', 'run-10a'))
    expect(found(seen.withJournal)).toContain('run-10a put_between')
    expect(found(seen.alone)).toContain('run-10a put_between')
  })

  test('a month that was changed and chained anew fits in itself; the journal, or a sum somebody has, tells', () => {
    const seen = attacked((dir) => {
      let previous: string | null = null
      for (const run of runs) {
        if (run >= 'run-10') rewriteRun(dir, run, run, previous)
        previous = sha256(readFileSync(join(dir, run, 'SHA256SUMS')))
      }
    })
    expect(seen.alone.problems).toEqual([])
    expect(found(seen.withJournal)).toContain('run-10 rewritten SHA256SUMS')
    expect(found(seen.withJournal)).toContain('run-30 rewritten SHA256SUMS')
    expect(verifyEvidence(seen.alone.dir, {rows: null, sum: rows[20]?.sha256 ?? ''}).problems).not.toEqual([])
    expect(verifyEvidence(seen.alone.dir, {rows: null, sum: rows[5]?.sha256 ?? ''}).problems).toEqual([])
  })

  test('no phone, secret or signature is in it', () => {
    for (const run of runs.slice(0, 2))
      for (const file of readdirSync(join(month, run))) {
        const path = join(month, run, file)
        const text = file.endsWith('.zst')
          ? execFileSync('zstd', ['-dc', path]).toString()
          : readFileSync(path, 'utf8')
        // A sum may have such digits by chance.
        expect(text, file).not.toMatch(/(?<![\da-f])(?:88)?01[3-9]\d{8}(?![\da-f])/)
        if (file.startsWith('rows')) expect(text).toContain('017****5678')
      }
  })
})

/** Changes a finding of a run and makes its sums fit, under another name perhaps. */
function rewriteRun(dir: string, run: string, name: string, previous?: string | null): void {
  const to = join(dir, name)
  if (name !== run) {
    mkdirSync(to)
    cpSync(join(dir, run), to, {recursive: true})
  }
  const path = join(to, 'evidence.json')
  const document = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(
    path,
    JSON.stringify({
      ...document,
      runId: name,
      folder: name,
      exitStatus: 0,
      ...(previous === undefined ? {} : {previous}),
    }),
  )
  const sums = readFileSync(join(to, 'SHA256SUMS'), 'utf8')
  const line = `${sha256(readFileSync(path))}  evidence.json`
  writeFileSync(join(to, 'SHA256SUMS'), sums.replace(/^\w+ {2}evidence\.json$/m, line))
}
