import {execFileSync} from 'node:child_process'
import {mkdirSync, mkdtempSync, readdirSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {parseArgs} from 'node:util'

import {openJournal} from '../../../src/journal/journal.ts'
import {type VerifiedEvidence, verifyEvidence} from '../../../src/workflows/evidence/verify.ts'
import type {Outcome} from '../../acceptance/own-home.ts'
import {type Scenario, startScenario} from '../../acceptance/scenario.ts'
import {changeBytes, changeFolders, type Month} from './attack.ts'

// A month of the built binary's evidence, attacked: `npm run campaign:evidence -- [--runs 30] [--stride 11] [--whole 1024]`, every
// byte of files of `--whole` bytes or fewer, one in `--stride` of the others. As root it fills a disk at every size, too.
const {values} = parseArgs({
  options: {
    runs: {type: 'string', default: '30'},
    stride: {type: 'string', default: '11'},
    whole: {type: 'string', default: '1024'},
  },
})
const startedMs = Date.now()
const lines: string[] = []
const missed: string[] = []
const note = (what: string, tried: number, wrong: readonly string[]) => {
  missed.push(...wrong)
  lines.push(`| ${what} | ${tried} | ${tried - wrong.length} |`)
  console.error(lines.at(-1))
}

{
  await using scenario = await startScenario({isBuilt: true})
  const month = await playMonth(scenario, Number(values.runs))
  const whole = verifyEvidence(month.dir, {rows: month.rows})
  if (whole.problems.length > 0 || whole.runs !== Number(values.runs)) throw new Error(JSON.stringify(whole))
  const folders = changeFolders(month)
  note('files and runs removed, added, renamed, cut, linked, exchanged', folders.tried, folders.missed)
  const bytes = changeBytes(month, {stride: Number(values.stride), wholeMax: Number(values.whole)})
  note(`bytes changed, of ${whole.bytes} in ${whole.runs} runs`, bytes.tried, bytes.missed)
}
if (process.getuid?.() === 0) {
  await using scenario = await startScenario({isBuilt: true})
  const {tried, wrong} = await fillDisks(scenario)
  note('full disks, of 4 to 64 KiB', tried, wrong)
}
for (const one of missed) console.log(one)
console.log(`\n| Attack | Tried | Found and named |\n| --- | ---: | ---: |\n${lines.join('\n')}`)
console.log(`\n${Math.round((Date.now() - startedMs) / 1_000)} s`)
process.exitCode = missed.length === 0 ? 0 : 1

async function playMonth(scenario: Scenario, runs: number): Promise<Month> {
  for (let run = 1; run <= runs; run++) {
    scenario.addLost(`LOST-${run}`)
    for (let order = 1; order <= 3; order++) scenario.addOrder(`D-${run}-${order}`, 'completed', 'completed')
    const {status, stderr} = await reconcile(scenario)
    if (status !== 0 && status !== 7) throw new Error(`run ${run} ended with ${status}: ${stderr}`)
  }
  return await monthOf(scenario)
}

async function reconcile(scenario: Scenario): Promise<Outcome> {
  const flags = ['--yes', '--wait', '1s', '--json']
  return await scenario.machine.run(['reconcile', await scenario.ledger(), ...flags])
}

async function monthOf({machine}: Scenario): Promise<Month> {
  const {dir} = JSON.parse((await machine.run(['runs', 'verify', '--json'])).stdout) as VerifiedEvidence
  const [file = ''] = readdirSync(join(machine.dataDir, 'journal')).filter((name) => name.endsWith('.db'))
  const [merchantId = '', environment = ''] = file.replace(/\.db$/, '').split('@')
  const journal = openJournal(machine.dataDir, {merchantId, environment} as never)
  const rows = await journal.listEvidence()
  await journal.close()
  return {dir, rows}
}

/** A disk of its own for the evidence, of each size: what was sent and decided stays, and the next run names the last whole one. */
async function fillDisks(scenario: Scenario): Promise<{tried: number; wrong: string[]}> {
  const {machine} = scenario
  const disk = join(mkdtempSync(join(tmpdir(), 'hisab-test-disk-')), 'disk')
  mkdirSync(disk)
  const wrong: string[] = []
  let tried = 0
  machine.writeConfig(`[profiles.disk.evidence]\ndir = "${disk}"\n`)
  machine.env.HISAB_PROFILE = 'disk'
  try {
    for (let kib = 4; kib <= 64; kib += 4) {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k,mode=700`, 'tmpfs', disk])
      try {
        const id = scenario.addLost(`FULL-${kib}`)
        const full = await reconcile(scenario)
        const seen = await machine.run(['runs', 'verify', '--json'])
        const {problems} = JSON.parse(seen.stdout) as VerifiedEvidence
        const last = problems.filter(({what}) => what !== 'unfinished' && what !== 'gone')
        if (![0, 7, 8].includes(full.status ?? -1) || scenario.resendsOf(id) !== 1 || last.length > 0)
          wrong.push(`${kib} KiB: ${full.status}, ${scenario.resendsOf(id)} resends, ${JSON.stringify(last)}`)
        tried += 1
        console.error(
          `${kib} KiB: status ${full.status}, ${problems.filter(({what}) => what === 'unfinished').length} unfinished`,
        )
      } finally {
        execFileSync('umount', [disk])
      }
    }
  } finally {
    rmSync(disk, {recursive: true})
  }
  return {tried, wrong}
}
