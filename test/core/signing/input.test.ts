import {describe, expect, test} from 'vitest'

import {readCapture, readHeaders, signedPath} from '../../../src/core/signing/capture.ts'
import {joinFields, readArgument, readBody, writeSignedBody} from '../../../src/core/signing/fields.ts'
import {decodeDigest, requireDigest} from '../../../src/core/signing/given.ts'
import {signFields} from '../../../src/core/signing/request.ts'
import {givenSignature, verifyRequest} from '../../../src/core/signing/verdict.ts'

const bytes = (text: string) => Buffer.from(text)

describe('arguments', () => {
  const table: [argument: string, name: string, json: string][] = [
    ['a=1', 'a', '"1"'],
    ['a=', 'a', '""'],
    ['a= x ', 'a', '" x "'],
    ['a=b=c', 'a', '"b=c"'],
    ['url=https://m/?a:=1', 'url', '"https://m/?a:=1"'],
    ['a:=10.00', 'a', '10.00'],
    ['a:=true', 'a', 'true'],
    ['a:=null', 'a', 'null'],
    ['a:="1"', 'a', '"1"'],
  ]
  test.each(table)('%s', (argument, name, json) => {
    const read = readArgument(argument)
    expect([read.name, JSON.stringify(read.value)]).toEqual([name, json])
  })

  test.each([
    ['a', /not NAME=VALUE/],
    ['=1', /not NAME=VALUE/],
    [':=1', /not NAME=VALUE/],
    ['a:=', /not JSON after ":=".*line 1, column 1/],
    ['a:={"b":', /not JSON/],
    ['__proto__=1', /not accepted/],
  ])('%s is refused', (argument, problem) => {
    expect(() => readArgument(argument)).toThrow(problem)
  })

  test('a name given twice is refused, wherever the two stand', () => {
    const a = readArgument('a=1')
    expect(() => joinFields({}, [a, readArgument('a=1')])).toThrow(/given twice, as two arguments/)
    expect(() => joinFields({a: '1'}, [a])).toThrow(/in the body and as an argument/)
    expect(Object.keys(joinFields({b: '1'}, [a]))).toEqual(['b', 'a'])
  })
})

describe('bodies', () => {
  test.each([
    ['{"a":1,\n "a":2}', /line 2, column 2/],
    ['{"a":1', /line 1/],
    ['\ufeff{}', /byte order mark/],
    ['[1]', /not an object/],
    ['', /ends too early/],
  ])('%j is refused', (text, problem) => {
    expect(() => readBody(bytes(text), 'body.json')).toThrow(problem)
  })

  test('the signed body keeps numbers as they were written, and replaces an old signature', () => {
    const body = readBody(bytes('{"amount": 10.00, "signature":"old", "n":null}'), 'body.json')
    expect(writeSignedBody(body, 'new')).toBe('{"amount":10.00,"signature":"new","n":null}')
  })
})

describe('what can be judged', () => {
  const digest = signFields({a: '1'}, 'secret-1')
  test('right, wrong, and upper case, which is wrong too', () => {
    expect(verifyRequest({a: '1'}, digest, 'secret-1').isValid).toBe(true)
    expect(verifyRequest({a: '2'}, digest, 'secret-1').isValid).toBe(false)
    expect(verifyRequest({a: '1'}, digest.toUpperCase(), 'secret-1').isValid).toBe(false)
    // As long as another hash's, and beginning as the right one does.
    expect(verifyRequest({a: '1'}, digest + digest, 'secret-1').isValid).toBe(false)
  })

  test.each(['', 'x', digest.slice(1), `${digest}0`, `${digest.slice(1)}g`, ` ${digest}`, `${digest}\n`])(
    '%j cannot be a signature, and is no mismatch',
    (given) => {
      expect(() => requireDigest(given)).toThrow(/cannot be one|empty/)
      expect(() => verifyRequest({a: '1'}, given, 'secret-1')).toThrow()
    },
  )

  test('digests in hexadecimal and base64, with and without padding; nothing else', () => {
    const sha = Buffer.alloc(32, 0xfb)
    for (const text of [
      sha.toString('hex'),
      sha.toString('base64'),
      sha.toString('base64url'),
      sha.toString('hex').toUpperCase(),
    ]) {
      expect(decodeDigest(text)).toEqual(sha)
    }
    for (const text of [
      '',
      '00',
      'sha256=00',
      `${sha.toString('base64')}=`,
      sha.toString('base64').slice(1),
      'é'.repeat(32),
    ]) {
      expect(decodeDigest(text)).toBeNull()
    }
  })

  test('the signature is the one given apart, else the field; none and not-a-string are refused', () => {
    expect(givenSignature({signature: 'a'}, 'b')).toBe('b')
    expect(givenSignature({signature: 'a'}, undefined)).toBe('a')
    expect(() => givenSignature({}, undefined)).toThrow(/no signature/)
    expect(() => givenSignature({signature: ['a']}, undefined)).toThrow(/not a string/)
  })
})

describe('captured requests', () => {
  test('raw HTTP: header names in any case, the body byte for byte', () => {
    const raw = 'POST /p?q=1 HTTP/1.1\r\nHost: m.example\r\nx-SIGNATURE:  ab \r\nContent-Length: 4\r\n\r\n{ক'
    const {method, path, headers, body} = readCapture(bytes(raw), 'good.http')
    expect({method, path, body: Buffer.from(body).toString()}).toEqual({
      method: 'POST',
      path: '/p?q=1',
      body: '{ক',
    })
    expect(headers.get('x-signature')).toBe('ab')
    expect(signedPath(path)).toBe('/p')
  })

  test('without a length one newline at the end is the editor’s', () => {
    expect(Buffer.from(readCapture(bytes('POST /p\nA: 1\n\n{}\n'), 'f').body).toString()).toBe('{}')
    expect(readCapture(bytes('GET /p HTTP/1.1\nA: 1\n'), 'f').body).toHaveLength(0)
  })

  test('JSON', () => {
    const json = '{"method":"GET","url":"https://m/p?x=1","headers":{"X-Timestamp":1761234567},"body":""}'
    const {headers, path} = readCapture(bytes(json), 'good.json')
    expect([headers.get('x-timestamp'), signedPath(path)]).toEqual(['1761234567', '/p'])
  })

  test.each([
    ['hello', /first line/],
    ['1 POST /p', /first line is not "POST \/path HTTP\/1\.1" but "1 POST \/p"/],
    ['POST /p HTTP/x', /first line/],
    ['POST /p\nContent-Length: 1\n\n', /0 bytes and Content-Length says 1/],
    ['{"path":"/p","headers":[]}', /"headers" is not an object/],
    ['{"path":"/p","body":1}', /"body" is not a string/],
    ['POST /p\nContent-Length: 9\n\n{}', /2 bytes and Content-Length says 9/],
    ['{"method":"GET"}', /no "path"/],
    ['{"path":"/p","body":{}}', /"body" is not a string/],
    ['{"path":', /line 1/],
  ])('%j is refused', (text, problem) => {
    expect(() => readCapture(bytes(text), 'f')).toThrow(problem)
  })

  test.each([
    ['{"path":"/p"}', 'POST /p '],
    ['{"path":"/p","url":"/u","body":null,"method":"PUT"}', 'PUT /p '],
    ['{"url":"https://m/u","body":"{}"}', 'POST https://m/u {}'],
    ['POST /p\r\nContent-Length: 2\r\n\r\n{}\n', 'POST /p {}'],
  ])('%j is a request', (text, read) => {
    const {method, path, body} = readCapture(bytes(text), 'f')
    expect(`${method} ${path} ${Buffer.from(body)}`).toBe(read)
  })

  test('a header given twice with two values is refused, whatever its case', () => {
    expect(() => readHeaders(['X-Signature: a', 'x-signature: b'])).toThrow(/given twice/)
    expect(readHeaders(['X-Signature: a', 'x-signature: a']).size).toBe(1)
    expect(() => readHeaders(['nonsense'])).toThrow(/not a header/)
  })

  test.each([
    ['/a?b=1#c', '/a'],
    ['https://m.example', '/'],
    ['https://m.example/a/?b', '/a/'],
    ['?b', '/'],
  ])('of %s the path %s is signed', (given, path) => {
    expect(signedPath(given)).toBe(path)
  })
})
