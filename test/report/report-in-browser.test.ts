import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {pathToFileURL} from 'node:url'

import {expect, test} from 'vitest'

import {buildReport} from '../../src/report/reconcile-report.ts'
import {reportHtml} from '../../src/report/report-html.ts'
import {accessibilityProblems, describeInBrowser, isTooWide} from '../sandbox/browser/in-browser.ts'
import {tempDir} from '../temp-dir.ts'
import {facts, finding, paths, remembered} from './sample.ts'

const explanation =
  'Booked as paid out, but failed at the service. The player was not paid and is owed the money. '.repeat(2)
const findings = Array.from({length: 60}, (_, at) =>
  finding({line: at + 2, orderNo: `P261121-1-000000000000000${at}`, action: 'review', explanation}),
)

function writeReport(): string {
  const path = join(tempDir(), 'report.html')
  const {tieOut} = facts([])
  const large = {...tieOut, ledgerCompleted: 98_76_54_321_00n, difference: -98_76_54_321_00n}
  const night = facts(findings, {
    closed: [remembered],
    notExamined: [remembered],
    clockSkewMs: 600_000,
    tieOut: {...large, byKind: {deposit: large, payout: large}},
  })
  writeFileSync(path, [...reportHtml(buildReport(night, paths))].join(''))
  return pathToFileURL(path).href
}

describeInBrowser('report.html', (browser) => {
  test.each([
    ['wide', {viewport: {width: 1280, height: 900}}],
    ['dark', {viewport: {width: 1280, height: 900}, colorScheme: 'dark'}],
    ['on a telephone', {}],
    ['on a telephone, dark', {colorScheme: 'dark'}],
  ] as const)('%s: can be read by all, and nothing is wider than the window', async (_, options) => {
    const page = await browser.open(writeReport(), options)
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
  })

  test('a finding takes a part of a telephone’s screen, its figures named', async () => {
    const page = await browser.open(writeReport())
    const row = page.getByText('P261121-1-0000000000000000').locator('xpath=ancestor::tr')
    expect((await row.boundingBox())?.height).toBeLessThan(320)
    const named = await page.evaluate(
      `getComputedStyle(document.querySelector('.findings td:nth-child(6)'), '::before').content`,
    )
    expect(named).toBe('"Amount at risk "')
  })

  test('on paper nothing is cut off, and each page repeats the heading', async () => {
    const page = await browser.open(writeReport(), {viewport: {width: 1030, height: 700}})
    await page.emulateMedia({media: 'print'})
    expect(await isTooWide(page)).toBe(false)
    expect(await page.evaluate(`getComputedStyle(document.querySelector('thead')).display`)).toBe(
      'table-header-group',
    )
  })
})
