import {parse} from 'csv-parse/sync'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'

import {outageWords, resendCommand} from '../../src/cli/webhooks/resend-command.ts'
import {quoted} from '../../src/config/shell-quote.ts'
import {findOutages} from '../../src/core/outages.ts'
import {writeCurl} from '../../src/core/signing/curl.ts'
import {escapeInvisible, jsonText} from '../../src/core/text.ts'
import {delivery, nowMs} from '../core/reconcile/sample.ts'
import {campaignMs, casesOf, check, seed} from './cases.ts'
import {driving, hostileText} from './hostile-text.ts'
import {findingsFile, lists, page, payoutsFile, screens, type Text} from './renderings.ts'
import {shellWords} from './shell-grammar.ts'

const cases = casesOf(200)

const pieces = fc.array(hostileText, {minLength: 1, maxLength: 8})

/** Gives the pieces out in turn. */
function inTurn(some: readonly string[]): Text {
  let next = 0
  return () => some[next++ % some.length] ?? ''
}

/** What a spreadsheet would run: it looks past blanks, and takes the wide forms of the signs for the signs. */
const formula = /^[\s\u200b\ufeff]*[=+\-@\uff0b\uff0d\uff1d\uff20]/

function expectHarmless(shown: string): void {
  expect(shown).not.toMatch(driving)
  expect(shown.isWellFormed()).toBe(true)
}

function expectEscaped(csv: string, isNumber: (name: string) => boolean): void {
  const [header = [], ...rows] = parse(csv, {bom: true, relax_column_count: false}) as string[][]
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      expect(cell).not.toMatch(driving)
      if (isNumber(header[index] ?? '')) expect(cell).toMatch(/^(?:-?[0-9]+(?:\.[0-9]{2})?)?$/)
      else expect(cell).not.toMatch(formula)
    }
  }
}

/** The tags of a page with their attributes: what text must not add to. */
function tagsOf(html: string): string[] {
  return html.match(/<[^>]*>/g) ?? []
}

describe(`hostile text, ${cases} cases each, seed ${seed}`, () => {
  test.each(Object.entries(lists))('a list of %s', {timeout: campaignMs}, (_, show) => {
    const property = fc.property(pieces, (some) => {
      const {table, csv, ndjson, columns} = show(inTurn(some))
      expectHarmless(table)
      expectHarmless(ndjson)
      for (const line of ndjson.trimEnd().split('\n')) JSON.parse(line)
      expectEscaped(csv, (name) => columns.some((column) => column.name === name && column.kind === 'number'))
    })
    check(property, cases)
  })

  test.each(Object.entries(screens))('%s', {timeout: campaignMs}, (_, show) => {
    check(
      fc.property(pieces, (some) => expectHarmless(show(inTurn(some)))),
      cases,
    )
  })

  test('findings.csv and the result of payouts', {timeout: campaignMs}, () => {
    const numbers = /^(?:line|amount.*|.*_amount|delivery_attempts|delivery_response_code|age_days)$/
    const property = fc.property(pieces, (some) => {
      expectEscaped(findingsFile(inTurn(some)), (name) => numbers.test(name))
      expectEscaped(payoutsFile(inTurn(some)), (name) => numbers.test(name))
    })
    check(property, cases)
  })

  test('report.html has the same tags whatever the text, and nothing invisible', {
    timeout: campaignMs,
  }, () => {
    const tags = tagsOf(page(() => 'x'))
    const property = fc.property(pieces, (some) => {
      const html = page(inTurn(some))
      expectHarmless(html)
      expect(tagsOf(html)).toEqual(tags)
    })
    check(property, cases)
  })

  test('visible and jsonText themselves', {timeout: campaignMs}, () => {
    const property = fc.property(hostileText, (text) => {
      expectHarmless(escapeInvisible(text))
      expect(escapeInvisible(text)).not.toContain('\n')
      expectHarmless(jsonText({[text]: text}))
      expect(JSON.parse(jsonText({[text]: text}))).toEqual({[text]: text})
    })
    check(property, casesOf())
  })
})

describe(`printed commands, ${casesOf()} cases each, seed ${seed}`, () => {
  test('a shell reads the very words that were meant', {timeout: campaignMs}, () => {
    const words = fc.array(
      hostileText.filter((word) => !word.includes('\0')),
      {minLength: 1, maxLength: 4},
    )
    const property = fc.property(words, (some) => {
      const [first = ''] = some
      expect(shellWords(resendCommand(some, first))).toEqual([
        'hisab',
        'webhooks',
        'resend',
        ...some,
        '--profile',
        first,
      ])
      expect(shellWords(`chmod 600 ${quoted(first)}`)).toEqual(['chmod', '600', escapeInvisible(first)])
      const command = writeCurl({
        ...{method: 'POST', origin: 'https://m.example/v1', path: first, body: `{${some.join()}}`},
        headers: [
          {name: 'X-Note', value: first},
          {name: 'X-API-Key', value: '', fromVariable: 'HISAB_API_KEY'},
        ],
      })
      expect(shellWords(command).slice(5)).toEqual([
        ...[
          `https://m.example/v1${first}`,
          '--header',
          `X-Note: ${first}`,
          '--header',
          'X-API-Key: $HISAB_API_KEY',
        ],
        ...['--data-raw', `{${some.join()}}`],
      ])
    })
    check(property)
  })

  test('the words that select an outage are flags and their values, whatever the filter holds', {
    timeout: campaignMs,
  }, () => {
    const [outage] = findOutages([delivery()], {...nothing, event: null}, nowMs)
    if (!outage) throw new Error('there is an outage')
    const property = fc.property(
      hostileText,
      hostileText,
      hostileText,
      (event, merchantOrderId, urlStart) => {
        const words = outageWords(
          {id: outage.id, records: 1},
          {...nothing, event, merchantOrderId, urlStart},
          'UTC',
          100,
        )
        for (const [index, word] of words.entries()) {
          const isFlag = /^--[a-z-]+(?:=|$)/.test(word)
          expect(isFlag || /^--[a-z-]+$/.test(words[index - 1] ?? ''), word).toBe(true)
          if (!isFlag) expect(word).not.toMatch(/^-/)
        }
      },
    )
    check(property)
  })
})

const nothing = {
  ...{sinceMs: null, untilMs: null, event: null, merchantOrderId: null},
  ...{codes: [], host: null, urlStart: null},
}
