import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {pathToFileURL} from 'node:url'

import {expect, test} from 'vitest'

import type {Finding} from '../../src/core/reconcile/finding.ts'
import type {ReconcileFacts} from '../../src/report/reconcile-report.ts'
import {delivery, minutesAgo} from '../core/reconcile/sample.ts'
import {accessibilityProblems, describeInBrowser, isTooWide} from '../sandbox/browser/in-browser.ts'
import {tempDir} from '../temp-dir.ts'
import {delivered, facts, finding, pageOf, remembered} from './sample.ts'

const explanation =
  'Booked as paid out, but failed at the service. The player was not paid and is owed the money. '.repeat(2)
const several = Array.from({length: 260}, (_, at) =>
  finding({
    ...{line: at + 2, orderNo: `P261121-1-${String(at).padStart(16, '0')}`, action: 'review', explanation},
    ...{atRisk: BigInt(at * 100), delivery: delivery({createdAt: minutesAgo(at * 3)})},
  }),
)
const formula = finding({orderNo: '=1+1', verdict: 'amount_mismatch', cause: null, action: 'review'})

function writeReport(change: Partial<ReconcileFacts> = {}, findings: readonly Finding[] = several): string {
  const path = join(tempDir(), 'report.html')
  const {tieOut} = facts([])
  const large = {...tieOut, ledgerCompleted: 98_76_54_321_00n, difference: -98_76_54_321_00n}
  const day = {day: '2026-11-18', complete: false, breaks: 3, atRisk: '1500.00'}
  const page = pageOf(
    facts([...findings, delivered, formula], {
      ...{closed: [remembered], notExamined: [remembered], clockSkewMs: 600_000},
      days: [{...day, resends: {sent: 2, delivered: 2}} as ReconcileFacts['days'][number]],
      tieOut: {...large, byKind: {deposit: large, payout: large}},
      merchantId: '5a9db0c5-0000-4000-8000-000000000001',
      evidence: {dir: '/evidence/run-1', sha256: '5e'.repeat(32)},
      ...change,
    }),
  )
  writeFileSync(path, page)
  return pathToFileURL(path).href
}

const desk = {viewport: {width: 1280, height: 800}} as const
/** A4 without its margins. */
const paper = {viewport: {width: 703, height: 1000}} as const
const telephone = {viewport: {width: 390, height: 844}} as const

describeInBrowser('report.html', (browser) => {
  test.each([
    ['wide', 'en', desk],
    ['dark', 'en', {...desk, colorScheme: 'dark'}],
    ['on a telephone, in Bangla', 'bn', telephone],
    ['on a telephone, dark', 'en', {...telephone, colorScheme: 'dark'}],
  ] as const)('%s: can be read by all, and nothing is wider than the window', async (_, lang, options) => {
    const page = await browser.open(writeReport({lang}), options)
    await page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true })`)
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
  })

  test.each([
    ['a desk', 'en', desk],
    ['a desk, dark, in Bangla', 'bn', {...desk, colorScheme: 'dark'}],
    ['a telephone', 'en', telephone],
    ['a telephone, in Bangla', 'bn', telephone],
    ['a sheet of paper', 'en', paper],
    ['a sheet of paper, in Bangla', 'bn', paper],
  ] as const)('answers five questions on the first screen of %s', async (_, lang, options) => {
    const page = await browser.open(writeReport({lang}), options)
    if (options === paper) await page.emulateMedia({media: 'print'})
    const {width, height} = options.viewport
    for (const answer of [
      'h1',
      '.card:nth-child(1) b',
      '.card:nth-child(2) b',
      '.todo .command',
      '.evidence code',
      '.evidence .command',
    ]) {
      const box = await page.locator(answer).first().boundingBox()
      expect((box?.y ?? Number.NaN) + (box?.height ?? 0), answer).toBeLessThanOrEqual(height)
      expect((box?.x ?? Number.NaN) + (box?.width ?? 0), answer).toBeLessThanOrEqual(width)
    }
    expect(await page.locator('.evidence .command').innerText()).toContain('hisab runs verify run-1')
  })

  test('its rows are sorted, filtered, turned and copied', async () => {
    const page = await browser.open(writeReport(), desk)
    const first = page.locator('#breaks tbody tr').first()
    await page.getByText('1–100 of 262').waitFor()
    await page.locator('#breaks thead button', {hasText: 'Amount at risk'}).click()
    expect(await first.locator('td').nth(4).textContent()).toBe('500.00')
    await page.getByRole('button', {name: 'After'}).click()
    await page.getByText('101–200 of 262').waitFor()
    await page.getByRole('searchbox').fill('0000000000000259')
    await page.getByText('1–1 of 1', {exact: true}).waitFor()
    expect(await first.locator('td').nth(4).textContent()).toBe('259.00')
    await page.getByRole('searchbox').fill('')
    await page.locator('.groups button', {hasText: 'amounts differ'}).click()
    await page.getByText('1–1 of 1', {exact: true}).waitFor()
    await page.evaluate(`navigator.clipboard.writeText = async (text) => { window.copied = text }`)
    await page.getByRole('button', {name: 'Copy rows'}).click()
    await page.getByRole('button', {name: 'Copied'}).waitFor()
    expect(await page.evaluate('window.copied')).toMatch(
      /^'=1\+1\tamounts differ\t\t500\.00\t500\.00\t500\.00\t/,
    )
  })

  test('hostile text of a row stays text when the script shows it', async () => {
    const hostile = '</script><img src=x onerror="document.title=1">\u202e'
    const page = await browser.open(writeReport({}, [finding({orderNo: hostile, action: 'review'})]), desk)
    await page.getByText('1–3 of 3').waitFor()
    expect(await page.locator('#breaks code').first().textContent()).toBe(
      hostile.replace('\u202e', '\\u{202e}'),
    )
    expect(await page.locator('img').count()).toBe(0)
  })

  test('without its script it has the gravest rows, and says that there are more', async () => {
    const page = await browser.open(writeReport(), {...desk, javaScriptEnabled: false})
    await page.getByText('Shown: the gravest 100 of 262.').waitFor()
    expect(await page.locator('#breaks tbody tr').count()).toBe(100)
  })

  test('a finding takes a part of a telephone’s screen, its figures named', async () => {
    const page = await browser.open(writeReport(), telephone)
    const row = page.locator('#breaks tbody tr').first()
    expect((await row.boundingBox())?.height).toBeLessThan(320)
    const named = await page.evaluate(
      `getComputedStyle(document.querySelector('.findings td:nth-child(5)'), '::before').content`,
    )
    expect(named).toBe('"Amount at risk "')
  })

  test('on paper nothing is cut off, every row of the window is there and each page repeats the heading', async () => {
    const page = await browser.open(writeReport(), paper)
    await page.emulateMedia({media: 'print'})
    expect(await isTooWide(page)).toBe(false)
    await page.evaluate(`window.dispatchEvent(new Event('beforeprint'))`)
    expect(await page.locator('#breaks tbody tr').count()).toBe(262)
    expect(await page.evaluate(`getComputedStyle(document.querySelector('#breaks thead')).display`)).toBe(
      'table-header-group',
    )
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.tools')).display`)).toBe('none')
  })
})
