import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'

import axe from 'axe-core'

import type {Browser, BrowserContextOptions, ConsoleMessage, Page} from 'playwright-core'
import {afterAll, beforeAll, describe, expect, onTestFinished} from 'vitest'

import {findChromium, openBrowser} from './chromium.ts'

const chromium = findChromium()
const isRequired = process.env.BROWSER_TESTS === 'required'

const why = 'no Chromium on the PATH and no CHROMIUM_PATH'

export interface TestBrowser {
  /** A page without cookies. Each test has a sandbox of its own, and so an origin. What goes wrong in it fails the test. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>
}

/**
 * A `describe` whose tests run in a real browser. Without one they are skipped, and a line says so; with
 * BROWSER_TESTS=required, as in .ci/run, they fail.
 */
export function describeInBrowser(name: string, body: (browser: TestBrowser) => void): void {
  const isPlayed = chromium !== null || isRequired
  if (!isPlayed) process.stderr.write(`Skipped in a browser: "${name}". There is ${why}.\n`)
  describe.skipIf(!isPlayed)(name, () => {
    let browser: Browser
    const idle = new Map<string, Page[]>()
    beforeAll(async () => {
      if (chromium === null) throw new Error(`BROWSER_TESTS=required, and there is ${why}.`)
      browser = await openBrowser(chromium)
    }, 60_000)
    afterAll(() => browser?.close())
    body({
      async open(url, {viewport = {width: 390, height: 800}, colorScheme = 'light', ...options} = {}) {
        const kind = JSON.stringify(options)
        const page = idle.get(kind)?.pop() ?? (await newPage(browser, options))
        await page.setViewportSize(viewport ?? {width: 390, height: 800})
        await page.emulateMedia({colorScheme, media: null})
        const problems: string[] = []
        const note = (error: Error) => problems.push(error.message)
        const hear = (message: ConsoleMessage) => {
          // Chromium reports every answer of 400 and more, and every one that does not come; the pages are made for both.
          const isAnswer = message.text().startsWith('Failed to load resource')
          if (message.type() === 'error' && !isAnswer) problems.push(message.text())
        }
        page.on('pageerror', note).on('console', hear)
        onTestFinished(async () => {
          page.off('pageerror', note).off('console', hear)
          await page.unrouteAll()
          await page.context().clearCookies()
          await page.goto('about:blank')
          idle.set(kind, [...(idle.get(kind) ?? []), page])
          expect(problems).toEqual([])
        })
        await page.goto(url)
        return page
      },
    })
  })
}

/** To begin a browser's context takes longer than most tests: the next test goes on with the page of one before. */
async function newPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({locale: 'en-GB', ...options})
  context.setDefaultTimeout(15_000)
  return await context.newPage()
}

/** What the accessibility rules of axe-core (WCAG 2 A and AA, and best practice) find wrong with the page. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // By the debugger, not by a script element: the page's own policy would refuse that, as it should.
  return await page.evaluate(`(async () => {
    if (!window.axe) { ${axe.source} }
    const {violations} = await axe.run(document)
    return violations.flatMap(({id, nodes}) => nodes.map(({html, failureSummary}) => id + ': ' + html + ' ' + failureSummary))
  })()`)
}

/** Whether the page is wider than its window, so that a telephone scrolls sideways; or something to press is cut off. */
export async function isTooWide(page: Page): Promise<boolean> {
  return await page.evaluate(`(() => {
    const {scrollWidth, clientWidth} = document.documentElement
    const pressed = [...document.querySelectorAll('a, button, input, select')]
    const isCut = (one) => !one.closest('.wide') && one.getBoundingClientRect().right > clientWidth + 1
    return scrollWidth > clientWidth || pressed.some(isCut)
  })()`)
}

/** A page of a merchant's own site, at another origin than the sandbox's. */
export async function openSite(html: string): Promise<string> {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://localhost:${(server.address() as AddressInfo).port}/`
}
