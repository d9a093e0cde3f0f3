import fc from 'fast-check'
import {describe, expect, test} from 'vitest'

import {isJsonObject, JsonNumber, JsonSyntaxError, parseJson, parseJsonBytes} from '../../src/core/json.ts'
import {casesOf, check, seed} from '../fuzz/cases.ts'

describe('accepted', () => {
  test.each([
    'null',
    'true',
    'false',
    '0',
    '-0',
    '10.00',
    '1E+7',
    '""',
    '"ক"',
    '[]',
    '[ ]',
    '{ }',
    '{}',
    ' [ 1 , "a" ] ',
    '{"a":{"b":[null]}}',
  ])('%s, and written again it means the same', (text) => {
    expect(JSON.parse(JSON.stringify(parseJson(text)))).toEqual(JSON.parse(text))
  })

  test('numbers keep their text', () => {
    for (const source of ['10.00', '1e3', '12345678901234567890', '0.1']) {
      expect(parseJson(source)).toEqual(new JsonNumber(source))
      expect(JSON.stringify({n: parseJson(source)})).toBe(`{"n":${source}}`)
    }
  })

  test('objects have no prototype, and numbers are no objects', () => {
    const value = parseJson('{"toString":1}')
    expect(Object.getPrototypeOf(value)).toBeNull()
    expect([isJsonObject(value), isJsonObject(parseJson('1')), isJsonObject(parseJson('[]'))]).toEqual([
      true,
      false,
      false,
    ])
  })
})

describe('refused, with the place', () => {
  const table: [text: string, problem: string, line: number, column: number][] = [
    ['', 'the JSON document ends too early', 1, 1],
    ['{"a":1,"a":2}', 'the name "a" is there twice', 1, 8],
    ['{"a":1,\n  "\\u0061":2}', 'is there twice', 2, 3],
    ['{"__proto__":1}', 'is not accepted', 1, 2],
    ['{"constructor":1}', 'is not accepted', 1, 2],
    ['[1,]', 'expected a JSON value', 1, 4],
    ['{"a":1,}', 'expected a name', 1, 8],
    ['{a:1}', 'expected a name', 1, 2],
    ["{'a':1}", 'expected a name', 1, 2],
    ['[1 2]', 'expected "," or "]"', 1, 4],
    ['{"a" 1}', 'expected ":"', 1, 6],
    ['1 2', 'more after the end', 1, 3],
    ['01', 'more after the end', 1, 2],
    ['+1', 'expected a JSON value', 1, 1],
    ['.5', 'expected a JSON value', 1, 1],
    ['1.', 'more after the end', 1, 2],
    ['NaN', 'expected a JSON value', 1, 1],
    ['nul', 'expected a JSON value', 1, 1],
    ['"a', 'does not end', 1, 1],
    ['"a\nb"', 'control character', 1, 3],
    ['"\\x"', 'an escape JSON does not know', 1, 2],
    ['"\\u12g4"', 'an escape JSON does not know', 1, 2],
    ['"\\x0041"', 'an escape JSON does not know', 1, 2],
    ['"\\u00"', 'an escape JSON does not know', 1, 2],
    ['"\\ud800"', 'half of a surrogate pair', 1, 1],
    ['\ufeff{}', 'byte order mark', 1, 1],
    ['"\u00a0"\u00a0', 'more after the end', 1, 4],
    [`${'['.repeat(40)}1`, 'nested deeper than 32', 1, 34],
  ]
  test.each(table)('%j', (text, problem, line, column) => {
    const error = catchError(() => parseJson(text))
    expect(error).toBeInstanceOf(JsonSyntaxError)
    expect(error).toMatchObject({line, column, message: expect.stringContaining(problem)})
  })

  test('bytes that are no UTF-8', () => {
    expect(() => parseJsonBytes(Buffer.from([0x22, 0xff, 0x22]))).toThrow('not valid UTF-8')
    expect(() => parseJsonBytes(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toThrow('not valid UTF-8')
  })

  test('more values than any answer has, and an error far into a large document in good time', () => {
    expect(() => parseJson(`[${'0,'.repeat(1_000_001)}0]`)).toThrow('more than 1000000 values')
    expect(() => parseJson(`[${'"a",\n'.repeat(100_000)}]`)).toThrow(/line 100001, column 1/)
  })
})

describe(`against JSON.parse, ${casesOf()} cases each, seed ${seed}`, () => {
  test('whatever JSON writes is read the same', () => {
    check(
      fc.property(fc.json(), fc.constantFrom(undefined, 2, '\t'), (json, space) => {
        const text = JSON.stringify(JSON.parse(json), null, space)
        const plain = JSON.parse(text) as unknown
        const own = catchResult(() => parseJson(text))
        if ('error' in own) expect(own.error).toMatch(/not accepted|surrogate|deeper/)
        else expect(JSON.parse(JSON.stringify(own.value))).toEqual(plain)
      }),
    )
  })

  test('a damaged document is refused wherever JSON.parse refuses it; where only we refuse, we say why', () => {
    const damage = fc.record({
      json: fc.json(),
      at: fc.nat(200),
      cut: fc.nat(3),
      insert: fc.string({
        unit: fc.constantFrom(
          '{',
          '}',
          '[',
          ']',
          '"',
          ',',
          ':',
          '\\',
          '0',
          '.',
          'e',
          '-',
          ' ',
          '\n',
          '\u0000',
          '\ud800',
        ),
        maxLength: 3,
      }),
    })
    check(
      fc.property(damage, ({json, at, cut, insert}) => {
        const text = json.slice(0, at) + insert + json.slice(at + cut)
        const theirs = catchResult(() => JSON.parse(text) as unknown)
        const own = catchResult(() => parseJson(text))
        if ('error' in theirs) expect(own).toHaveProperty('error')
        else if ('error' in own) expect(own.error).toMatch(/twice|not accepted|surrogate|deeper/)
        else expect(JSON.parse(JSON.stringify(own.value))).toEqual(theirs.value)
      }),
    )
  })
})

function catchError(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return null
}

function catchResult(work: () => unknown): {readonly value: unknown} | {readonly error: string} {
  try {
    return {value: work()}
  } catch (error) {
    return {error: error instanceof Error ? error.message : String(error)}
  }
}
