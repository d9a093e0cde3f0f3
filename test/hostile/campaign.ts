import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import {type Cell, cells, nameOf, needsCertificates, play, type Verdict} from './cell.ts'
import {hasOpenssl, makeCertificates} from './certificates.ts'

// Every command under every fault: `npm run campaign:hostile [-- TEXT]`, TEXT to be found in a cell's name.
const atOnce = 4
const [wanted = ''] = process.argv.slice(2)
const chosen = cells.filter(
  (cell) => nameOf(cell).includes(wanted) && (hasOpenssl || !needsCertificates(cell)),
)
const dir = mkdtempSync(join(tmpdir(), 'hisab-certificates-'))
const certificates = hasOpenssl ? makeCertificates(dir) : null
const verdicts = new Map<Cell, Verdict>()
const startedMs = Date.now()
const queue = chosen.values()
await Promise.all(Array.from({length: atOnce}, work))
rmSync(dir, {recursive: true})
print()

async function work(): Promise<void> {
  for (const cell of queue) {
    const verdict = await play(cell, certificates)
    verdicts.set(cell, verdict)
    for (const problem of verdict.problems) console.log(`WRONG  ${nameOf(cell)}: ${problem}`)
    if (verdicts.size % 50 === 0) console.error(`${verdicts.size} of ${chosen.length}`)
  }
}

function print(): void {
  const rowNames = [...new Set(chosen.map(({row}) => row.name))]
  console.log(
    `\n| ${['Command', 'Cells', 'Right', 'Exit statuses'].join(' | ')} |\n| --- | --- | --- | --- |`,
  )
  for (const name of rowNames) {
    const ended = chosen.filter(({row}) => row.name === name).flatMap((cell) => verdicts.get(cell) ?? [])
    const right = ended.filter(({problems}) => problems.length === 0).length
    const counts = Object.entries(Object.groupBy(ended, ({status}) => status))
    const statuses = counts.map(([status, those]) => `${status}: ${those?.length}`).join(', ')
    console.log(`| ${name} | ${ended.length} | ${right} | ${statuses} |`)
  }
  const wrong = [...verdicts.values()].filter(({problems}) => problems.length > 0).length
  const seconds = Math.round((Date.now() - startedMs) / 1_000)
  console.log(`\n${chosen.length} cells, ${chosen.length - wrong} right, ${wrong} wrong, ${seconds} s.`)
  process.exitCode = wrong === 0 ? 0 : 1
}
