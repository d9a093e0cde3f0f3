import {stripVTControlCharacters} from 'node:util'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'

import {editDistance, nearest} from '../../src/core/nearest.ts'
import {escapeInvisible, jsonDocument, jsonText, Listing, maskName, maskPhone} from '../../src/core/text.ts'
import {check} from '../fuzz/cases.ts'

describe('text from outside is made visible', () => {
  test.each([
    ['plain', 'BKASH 500.00', 'BKASH 500.00'],
    ['Bengali with its vowel signs', 'রহিম উদ্দিন', 'রহিম উদ্দিন'],
    ['colour', '\u001b[31mPAID\u001b[0m', '\\u{1b}[31mPAID\\u{1b}[0m'],
    ['a title that types', '\u001b]0;rm -rf\u0007', '\\u{1b}]0;rm -rf\\u{7}'],
    ['one-byte CSI', '\u009b2J', '\\u{9b}2J'],
    ['a line of its own', 'ok\r\nERROR', 'ok\\u{d}\\u{a}ERROR'],
    ['line separators', 'a\u2028b\u2029c\u0085d', 'a\\u{2028}b\\u{2029}c\\u{85}d'],
    ['text turned round', 'tx\u202egnp', 'tx\\u{202e}gnp'],
    ['isolates', '\u2066a\u2069', '\\u{2066}a\\u{2069}'],
    ['zero width', 'pay\u200b\u2060ee\ufeff', 'pay\\u{200b}\\u{2060}ee\\u{feff}'],
    ['hidden tags', 'a\u{e0041}', 'a\\u{e0041}'],
    ['a filler that looks empty', '\u3164', '\\u{3164}'],
    ['half a pair', 'a\ud83d', 'a\\u{d83d}'],
    ['NUL and DEL', '\u0000\u007f', '\\u{0}\\u{7f}'],
  ])('%s', (_, text, shown) => {
    expect(escapeInvisible(text)).toBe(shown)
  })

  test('long text is cut and says how long it was', () => {
    expect(escapeInvisible('a'.repeat(10), 4)).toBe('aaaa… (10 characters)')
    expect(escapeInvisible('abcd', 4)).toBe('abcd')
  })

  test('a cut never leaves half a pair behind', () => {
    expect(escapeInvisible('abc🙂', 4).isWellFormed()).toBe(true)
  })

  test('whatever comes in, nothing that drives a terminal goes out', () => {
    check(
      fc.property(fc.string({unit: 'binary', maxLength: 40}), (text) => {
        const shown = escapeInvisible(text)
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
        expect(stripVTControlCharacters(shown)).toBe(shown)
        expect(escapeInvisible(shown)).toBe(shown)
      }),
    )
  })
})

test.each([
  ['01712345678', '017****5678'],
  ['+8801712345678', '+88****5678'],
  ['0171', '****'],
  ['', '****'],
])('the phone %s is shown as %s', (phone, masked) => {
  expect(maskPhone(phone)).toBe(masked)
})

test.each([
  ['Rahim Uddin', 'R****'],
  ['রহিম', 'র****'],
  ['কিরণ', 'কি****'],
  ['', '****'],
])('the name %s is shown as %s', (name, masked) => {
  expect(maskName(name)).toBe(masked)
})

test('JSON keeps every character and shows none that is invisible', () => {
  const hostile = {note: '\u001b[2J\u009b1m\u202e\u200b\ufeff\u{e0041}\u2028', bn: 'ক্‍ষ', line: 'a\nb'}
  for (const indent of [0, 2]) {
    const text = jsonText(hostile, indent)
    expect(JSON.parse(text)).toEqual(hostile)
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u)
  }
  expect(jsonText(hostile, 2).split('\n')).toHaveLength(5)
})

describe('a document written piece by piece', () => {
  const json = fc.jsonValue({maxDepth: 3})

  test('is to the byte what it is written at once, and its list is walked anew each time', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), fc.array(json), (rest, items) => {
        const whole = {...rest, findings: items}
        const inPieces = {...rest, findings: new Listing(() => items.values())}
        const written = `${jsonText(whole, 2)}\n`
        expect([...jsonDocument(inPieces)].join('')).toBe(written)
        expect([...jsonDocument(inPieces)].join('')).toBe(written)
        expect([...jsonDocument(whole)].join('')).toBe(written)
      }),
      {numRuns: 300},
    )
  })

  test('comes an item at a time', () => {
    const pieces = jsonDocument({findings: new Listing(() => ['a', 'b', 'c'])})
    expect([...pieces].length).toBeGreaterThan(3)
  })
})

test.each([
  ['', '', 0],
  ['abc', '', 3],
  ['', 'abc', 3],
  ['abc', 'abc', 0],
  ['abc', 'abd', 1],
  ['abc', 'ab', 1],
  ['abc', 'xabc', 1],
  ['abc', 'acb', 1],
  ['bac', 'abc', 1],
  ['abcd', 'badc', 2],
  ['abc', 'cab', 2],
  ['ca', 'abc', 3],
  ['kitten', 'sitting', 3],
])('from "%s" to "%s" it is %i letters', (one, other, letters) => {
  expect([editDistance(one, other), editDistance(other, one)]).toEqual([letters, letters])
})

test.each([
  ['depsoit', 'deposit'],
  ['DEPOSIT', 'deposit'],
  ['pay', 'payout'],
  ['pa', null],
  ['zzzzzz', null],
  ['run', 'runs'],
  ['rans', 'runs'],
])('of some commands "%s" is most like %s', (word, like) => {
  expect(nearest(word, ['deposit', 'payout', 'ruins', 'runs', 'rund'])).toBe(like)
})

test('a list in a document is walked when it is written, and is an array in JSON', () => {
  let walks = 0
  const list = new Listing(() => {
    walks += 1
    return [1, 2]
  })
  expect(JSON.stringify({list})).toBe('{"list":[1,2]}')
  expect([...list, walks]).toEqual([1, 2, 2])
})

test.each([
  ['01712345678', '017****5678'],
  ['01234567', '012****4567'],
  ['0123456', '****'],
])('the phone %s is shown as %s', (phone, shown) => {
  expect(maskPhone(phone)).toBe(shown)
})
