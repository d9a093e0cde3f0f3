import {execFileSync} from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
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
import {EvidenceBench} from './evidence-bench.ts'

const nights = 30
const night = {
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
    const bench = new EvidenceBench(night)
    for (let day = 1; day <= nights; day++) {
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
    return {withJournal: verifyEvidence(dir, rows), alone: verifyEvidence(dir, null)}
  }
  const found = ({problems}: ReturnType<typeof verifyEvidence>) =>
    problems.map(({run, what, file}) => [run, what, file].filter(Boolean).join(' '))

  test('is whole, and sha256sum says the same', () => {
    const whole = attacked(() => {})
    expect(whole.withJournal).toMatchObject({runs: nights, problems: [], comparedWithJournal: true})
    expect(whole.alone).toMatchObject({runs: nights, problems: [], comparedWithJournal: false})
    expect(whole.alone.last).toEqual({run: runs.at(-1), sha256: rows.at(-1)?.sha256})
    for (const run of runs.slice(0, 3))
      execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], {cwd: join(month, run)})
  })

  test('a changed byte is found and named, whichever file of whichever run has it', () => {
    const dir = join(tempDir(), 'month')
    cpSync(month, dir, {recursive: true})
    let tried = 0
    for (const [at, run] of runs.entries()) {
      for (const file of readdirSync(join(dir, run))) {
        const path = join(dir, run, file)
        const content = readFileSync(path)
        for (const place of new Set([0, (at * 7_919) % content.length, content.length - 1])) {
          const bad = Buffer.from(content)
          bad[place] = (bad[place] ?? 0) ^ (1 << (at % 8))
          writeFileSync(path, bad)
          for (const known of [null, rows]) {
            const {problems} = verifyEvidence(dir, known, new Set([run]))
            expect(problems, `${run}/${file} at ${place}`).not.toEqual([])
            // A manifest that reads as one may name a sum, or a file, that is not there.
            if (file !== 'SHA256SUMS')
              expect(problems, `${run}/${file} at ${place}`).toContainEqual(
                expect.objectContaining({run, file, what: 'changed'}),
              )
          }
          tried += 1
        }
        writeFileSync(path, content)
      }
    }
    expect(tried).toBeGreaterThan(nights * 15)
    expect(verifyEvidence(dir, rows).problems).toEqual([])
  }, 60_000)

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

  test.each([
    ['removed', (dir: string) => rmSync(join(dir, 'run-10'), {recursive: true}), 'run-10 gone', 'run-11 gap'],
    [
      'truncated',
      (dir: string) => truncateSync(join(dir, 'run-10', 'rows.ndjson.zst'), 10),
      'run-10 changed rows.ndjson.zst',
      'run-10 changed rows.ndjson.zst',
    ],
    [
      'without a file',
      (dir: string) => rmSync(join(dir, 'run-10', 'rows.ndjson.zst')),
      'run-10 removed rows.ndjson.zst',
      null,
    ],
    [
      'with one more file',
      (dir: string) => writeFileSync(join(dir, 'run-10', 'more'), ''),
      'run-10 added more',
      'run-10 added more',
    ],
    [
      'without its manifest',
      (dir: string) => rmSync(join(dir, 'run-10', 'SHA256SUMS')),
      'run-10 removed SHA256SUMS',
      'run-10 unfinished',
    ],
    [
      'renamed',
      (dir: string) => renameSync(join(dir, 'run-10'), join(dir, 'run-99')),
      'run-10 gone',
      'run-99 renamed',
    ],
  ] as const)('a run that is %s is found', (_how, work, withJournal, alone) => {
    const seen = attacked(work)
    expect(found(seen.withJournal)).toContain(withJournal)
    if (alone) expect(found(seen.alone)).toContain(alone)
  })

  test('two runs that changed places are found', () => {
    const seen = attacked((dir) => {
      renameSync(join(dir, 'run-10'), join(dir, 'x'))
      renameSync(join(dir, 'run-11'), join(dir, 'run-10'))
      renameSync(join(dir, 'x'), join(dir, 'run-11'))
    })
    for (const run of ['run-10', 'run-11']) {
      expect(found(seen.withJournal)).toContain(`${run} rewritten`)
      expect(found(seen.alone)).toContain(`${run} renamed`)
    }
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
    expect(found(seen.withJournal)).toContain('run-10 rewritten')
    expect(found(seen.withJournal)).toContain('run-30 rewritten')
    expect(verifyEvidence(seen.alone.dir, null, null, rows[20]?.sha256 ?? '').problems).not.toEqual([])
    expect(verifyEvidence(seen.alone.dir, null, null, rows[5]?.sha256 ?? '').problems).toEqual([])
  })

  test('no phone, secret or signature is in it', () => {
    for (const run of runs.slice(0, 2))
      for (const file of readdirSync(join(month, run))) {
        const path = join(month, run, file)
        const text = file.endsWith('.zst')
          ? execFileSync('zstd', ['-dc', path]).toString()
          : readFileSync(path, 'utf8')
        expect(text, file).not.toMatch(/01[3-9]\d{8}/)
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
    JSON.stringify({...document, runId: name, exitStatus: 0, ...(previous === undefined ? {} : {previous})}),
  )
  const sums = readFileSync(join(to, 'SHA256SUMS'), 'utf8')
  const line = `${sha256(readFileSync(path))}  evidence.json`
  writeFileSync(join(to, 'SHA256SUMS'), sums.replace(/^\w+ {2}evidence\.json$/m, line))
}
