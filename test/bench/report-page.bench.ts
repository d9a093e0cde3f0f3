import {mkdtempSync, rmSync, statSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {pathToFileURL} from 'node:url'

import type {Finding, Findings} from '../../src/core/reconcile/finding.ts'
import {writeFileAtomically} from '../../src/files/private-files.ts'
import {reportHtml} from '../../src/report/html/page.ts'
import {buildReport} from '../../src/report/reconcile-report.ts'
import {facts, finding, paths} from '../report/sample.ts'
import {findChromium, openBrowser} from '../sandbox/browser/chromium.ts'

// How long report.html takes to be written, and to be opened: until its first screen is painted, and until its table is
// sorted by its script. A million breaks make no larger page than a hundred thousand.
const openGoalMs = 2_000
const chromium = findChromium()
if (chromium === null) throw new Error('There is no Chromium on the PATH, and no CHROMIUM_PATH.')
const dir = mkdtempSync(join(tmpdir(), 'hisab-bench-'))
const browser = await openBrowser(chromium)

for (const breaks of [1_000, 100_000, 1_000_000]) {
  const path = join(dir, 'report.html')
  const found = findingsOf(breaks)
  const all = facts([], {findings: found})
  const begunMs = performance.now()
  writeFileAtomically(path, reportHtml(buildReport(all, paths), all))
  const writtenMs = performance.now() - begunMs
  const page = await browser.newPage({viewport: {width: 1280, height: 800}})
  const openedMs = performance.now()
  await page.goto(pathToFileURL(path).href)
  await page.locator('.tools').waitFor()
  const readyMs = performance.now() - openedMs
  const paintMs = Number(
    await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`),
  )
  const size = (statSync(path).size / 1e6).toFixed(1)
  console.log(
    `${breaks} breaks: written in ${(writtenMs / 1000).toFixed(1)} s, ${size} MB; painted after ${Math.round(paintMs)} ms, its table ready after ${Math.round(readyMs)} ms (goal ${openGoalMs})`,
  )
  if (readyMs > openGoalMs) process.exitCode = 1
  await page.close()
}
await browser.close()
rmSync(dir, {recursive: true})

/** Made as they are walked, as those of a run are read. */
function findingsOf(count: number): Findings {
  function* walk(): Generator<Finding> {
    for (let at = 0; at < count; at++) {
      const atRisk = BigInt(50_000 + ((at * 37) % 900_000))
      const explanation = `Paid by the player (BDT ${atRisk / 100n}.00), but still open in the ledger. Your server accepted the webhook, but did not book it.`
      const orderNo = `D-20261120-${String(at).padStart(9, '0')}`
      yield finding({line: at + 2, orderNo, atRisk, action: at % 3 === 0 ? 'wait' : 'review', explanation})
    }
  }
  const findings = {[Symbol.iterator]: walk}
  return {...findings, all: findings}
}
