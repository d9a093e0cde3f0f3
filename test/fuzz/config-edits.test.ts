import fc from 'fast-check'
import {parse} from 'smol-toml'
import {describe, expect, test} from 'vitest'

import {setTomlKeys, type TomlValue} from '../../src/config/toml-edit.ts'
import {Failure} from '../../src/core/failure.ts'
import {campaignMs, casesOf, check, seed} from './cases.ts'
import {hostileText} from './hostile-text.ts'
import {part} from './ledger-files.ts'

const cases = casesOf(1_000)

/** Words of the user's own, which no edit may touch. */
const comments = ['# ours', '#"', "# it's [mine]", '# = {', '# a comment', '# [profiles.live]']
const comment = fc.constantFrom('', ' # ours', ' #"', "  # it's [mine]", ' # = {')
const value = fc.constantFrom(
  ...['"x"', "'a # b'", '"""\nline\n[profiles.live]\n"""', "'''\n'''", '5', 'true', '2026-11-20', '1.5'],
  ...['["a", "b"]', '[\n  "a", # one\n  "b",\n]', '{ file = "/run/x" }', '{ a = { b = 1 } }', '[]', '{}'],
)
const key = fc.constantFrom(
  'base_url',
  'merchant_id',
  'status.completed',
  'api_secret',
  '"odd key"',
  "'q'",
  'ledger.columns',
  'x',
)
/** No arrays of tables: the configuration has none, and a file with one is refused before it is edited. */
const header = fc.constantFrom(
  ...[
    '[profiles.live]',
    '[profiles.two]',
    '[profiles.live.status]',
    '[ profiles . "a.b" ]',
    '[profiles.live.ledger]',
  ],
)
const line = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(key, value, comment, fc.constantFrom('', '  ', '\t'))
      .map(([k, v, c, indent]) => `${indent}${k} = ${v}${c}`),
  },
  {weight: 2, arbitrary: fc.tuple(header, comment).map((pair) => pair.join(''))},
  fc.constantFrom('', '# a comment', '   ', '# [profiles.live]'),
)
/** Configurations as people write them, line by line, and now and then a character astray. */
const file = fc
  .tuple(
    fc.array(line, {maxLength: 10}),
    fc.constantFrom('\n', '\r\n'),
    fc.option(fc.tuple(part, fc.constantFrom('"', '=', ']', '\n', '#')), {freq: 8}),
  )
  .map(([lines, eol, astray]) => {
    const text = lines.map((one) => `${one.replaceAll('\n', eol)}${eol}`).join('')
    if (!astray) return text
    const place = Math.floor(astray[0] * text.length)
    return text.slice(0, place) + astray[1] + text.slice(place)
  })

const step = fc.constantFrom('live', 'two', 'a.b', 'status', 'ledger', 'columns')
const path = fc.oneof(
  fc
    .tuple(
      fc.array(step, {minLength: 1, maxLength: 3}),
      fc.constantFrom('base_url', 'completed', 'x', 'odd key'),
    )
    .map(([steps, last]) => ['profiles', ...steps, last]),
  fc.constant(['default_profile']),
)
const setTo: fc.Arbitrary<TomlValue> = fc.oneof(
  hostileText.map((text) => text.toWellFormed()),
  fc.array(
    hostileText.map((text) => text.toWellFormed()),
    {maxLength: 3},
  ),
  fc.constant({env: 'HISAB_X'}),
)

function parsed(text: string): unknown {
  try {
    return structuredClone(parse(text))
  } catch {
    return null
  }
}

/** What a plain assignment makes of a tree. */
function assign(tree: unknown, [first = '', ...rest]: readonly string[], to: TomlValue): unknown {
  const table = (tree ?? {}) as Record<string, unknown>
  return {...table, [first]: rest.length === 0 ? to : assign(table[first], rest, to)}
}

describe(`edits of a configuration, ${cases} cases, seed ${seed}`, () => {
  test('one key is set and nothing else is another, or the file is left as it was', {
    timeout: campaignMs,
  }, () => {
    let edited = 0
    const property = fc.property(file, path, setTo, (before, at, to) => {
      // A file that is no TOML is told to be so before anything is laid on top of it.
      fc.pre(parsed(before) !== null)
      let after: string
      try {
        after = setTomlKeys(before, [{path: at, value: to}])
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        expect(error.code).toBe('config_invalid')
        return
      }
      edited += 1
      expect(parsed(after)).toEqual(assign(parsed(before), at, to))
      for (const words of comments) {
        expect(after.split(words).length).toBeGreaterThanOrEqual(before.split(words).length)
      }
    })
    check(property, cases)
    expect(edited).toBeGreaterThan(cases / 20)
  })
})
