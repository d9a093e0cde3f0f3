import fc from 'fast-check'
import {parse} from 'smol-toml'
import {describe, expect, test} from 'vitest'

import {readKey, setTomlKeys, type TomlValue, writeTomlValue} from '../../src/config/toml-edit.ts'
import {casesOf} from '../fuzz/cases.ts'

const file = `# ours
default_profile = "live" # the shop

[profiles.live]            # do not touch
base_url   =  "https://pay.example/v1"   # deposits
api_secret = { file = "/run/secrets/a" }
status.completed = ["completed",
  "PAID", # seen on 3 May
]

# the second shop
[profiles.two]
  merchant_id = 'x'
[profiles.two.ledger]
columns = { order_no = "Order, ID # }" }
note = """
[profiles.live]
base_url = "not a key"
"""
`

/** Lines of the new text that are not in the old one, and the other way round. */
function changed(before: string, after: string): {added: string[]; gone: string[]} {
  const [old, now] = [before.split('\n'), after.split('\n')]
  return {added: now.filter((line) => !old.includes(line)), gone: old.filter((line) => !now.includes(line))}
}

describe('one key is set and every other byte stays', () => {
  test.each<[what: string, key: string, value: TomlValue, added: string[], gone: string[]]>([
    [
      'a value that is there, its comment kept',
      'profiles.live.base_url',
      'https://new.example/v1',
      ['base_url   =  "https://new.example/v1"   # deposits'],
      ['base_url   =  "https://pay.example/v1"   # deposits'],
    ],
    ['a key beside others', 'profiles.live.merchant_id', 'm', ['merchant_id = "m"'], []],
    ['a key with the indent of its neighbours', 'profiles.two.base_url', 'b', ['  base_url = "b"'], []],
    [
      'a list over several lines',
      'profiles.live.status.completed',
      ['DONE'],
      ['status.completed = ["DONE"]'],
      ['status.completed = ["completed",', '  "PAID", # seen on 3 May', ']'],
    ],
    [
      'a key of a table that is spelled with dots',
      'profiles.live.status.open',
      ['WAIT'],
      ['status.open = ["WAIT"]'],
      [],
    ],
    [
      'a key of an inline table',
      'profiles.two.ledger.columns.amount',
      'Amount',
      ['columns = { order_no = "Order, ID # }", amount = "Amount" }'],
      ['columns = { order_no = "Order, ID # }" }'],
    ],
    [
      'a key inside an inline table',
      'profiles.two.ledger.columns.order_no',
      'No',
      ['columns = { order_no = "No" }'],
      ['columns = { order_no = "Order, ID # }" }'],
    ],
    [
      'a new table',
      'profiles.two.legacy_signature.hash',
      'sha512',
      ['[profiles.two.legacy_signature]', 'hash = "sha512"'],
      [],
    ],
    ['a new profile', 'profiles."a.b".base_url', 'b', ['[profiles."a.b"]', 'base_url = "b"'], []],
    [
      'the top of the file',
      'default_profile',
      'two',
      ['default_profile = "two" # the shop'],
      ['default_profile = "live" # the shop'],
    ],
    ['a secret’s whole table', 'profiles.two.api_key', {env: 'K'}, ['  api_key = { env = "K" }'], []],
  ])('%s', (_, key, value, added, gone) => {
    const after = setTomlKeys(file, [{path: readKey(key) ?? [], value}])
    expect(changed(file, after)).toEqual({added, gone})
  })

  test('a new table stands behind its profile, not at the end of the file', () => {
    const after = setTomlKeys(file, [{path: ['profiles', 'live', 'not_found', 'http'], value: [404, 410]}])
    expect(after.indexOf('[profiles.live.not_found]')).toBeLessThan(after.indexOf('# the second shop'))
  })

  test('an empty file, and one of comments alone', () => {
    const change = {path: ['profiles', 'live', 'base_url'], value: 'b'}
    expect(setTomlKeys('', [change])).toBe('[profiles.live]\nbase_url = "b"\n')
    expect(setTomlKeys('# mine\n', [change])).toBe('# mine\n\n[profiles.live]\nbase_url = "b"\n')
  })

  test('default_profile goes above the first table and below the file’s own comment', () => {
    const text = '# hisab\n\n# live\n[profiles.live]\nbase_url = "b"\n'
    expect(setTomlKeys(text, [{path: ['default_profile'], value: 'live'}])).toBe(
      '# hisab\n\ndefault_profile = "live"\n\n# live\n[profiles.live]\nbase_url = "b"\n',
    )
  })

  test('Windows line ends stay', () => {
    const text = '[profiles.live]\r\nbase_url = "b"\r\n'
    const after = setTomlKeys(text, [{path: ['profiles', 'live', 'apply_url'], value: 'a'}])
    expect(after).toBe('[profiles.live]\r\nbase_url = "b"\r\napply_url = "a"\r\n')
  })
})

test('a file that cannot be changed safely is refused, with the line to put in by hand', () => {
  // A string stands where the new key would need a table.
  const text = 'profiles = "x"\n'
  expect(() => setTomlKeys(text, [{path: ['profiles', 'live', 'base_url'], value: 'b'}])).toThrow(
    expect.objectContaining({code: 'config_invalid', hint: expect.stringContaining('base_url = "b"')}),
  )
})

test('any text survives being written and read', () => {
  fc.assert(
    fc.property(fc.string({unit: 'grapheme-composite'}), fc.string(), (a, b) => {
      const words = [a, b, `${a}"#'\\${b}`]
      expect(parse(`x = ${writeTomlValue(words)}`).x).toEqual(words)
    }),
    {numRuns: casesOf()},
  )
})

test('any sequence of settings leaves what a plain assignment would leave', () => {
  const step = fc.constantFrom('live', 'status', 'ledger', 'a.b', 'columns')
  const change = fc.record({
    path: fc.array(step, {minLength: 2, maxLength: 4}).map((steps) => ['profiles', ...steps, 'key']),
    value: fc.oneof(fc.string(), fc.array(fc.string(), {maxLength: 3}), fc.integer()),
  })
  fc.assert(
    fc.property(fc.array(change, {maxLength: 8}), (changes) => {
      // The proof inside setTomlKeys throws where the two differ.
      const after = setTomlKeys(file, changes)
      for (const line of file.split('\n').filter((text) => text.includes('#') && !text.includes('= {'))) {
        expect(after).toContain(line)
      }
    }),
    {numRuns: casesOf(300)},
  )
})
