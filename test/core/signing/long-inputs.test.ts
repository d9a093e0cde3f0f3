import {expect, test} from 'vitest'

import {readInput} from '../../../src/cli/signing/input.ts'
import {readConfigFile} from '../../../src/config/config-file.ts'
import {readServiceUrl} from '../../../src/config/urls.ts'
import {JsonNumber} from '../../../src/core/json.ts'
import {readCapture} from '../../../src/core/signing/capture.ts'
import {diagnose} from '../../../src/core/signing/diagnose/search.ts'
import {ambiguousNames, documentedRule} from '../../../src/core/signing/request.ts'

const many = (text: string, length = 1_000_000) => text.repeat(length / text.length)
const given = '0'.repeat(32)

/** Quadratic work on any of these takes minutes. */
test.each<readonly [what: string, work: () => unknown]>([
  ['blanks in a header', () => readCapture(Buffer.from(`POST /x HTTP/1.1\r\nA: ${many(' ')}x\r\n\r\n`), 'x')],
  ['slashes in an address', () => readServiceUrl(`https://pay.example.com/${many('/')}x`, 'base_url')],
  ...['%', '%2', '&', ' ', '&amp;', '9', '1,', '\\/', '[', '0.'].map((text) => {
    const fields = {a: many(text), b: '1'}
    return [`${text} in a field`, () => [ambiguousNames(fields), diagnoseOf(fields)]] as const
  }),
  ['a number of a million digits', () => diagnoseOf({a: new JsonNumber(many('9')), b: '1'})],
  [
    'a hundred fields',
    () => diagnoseOf(Object.fromEntries(Array.from({length: 100}, (_, n) => [`f${n}`, ' 1,0 ']))),
  ],
])('%s: ended within seconds', (_what, work) => {
  const before = process.cpuUsage()
  work()
  // Of the processor: a busy machine says nothing of the work.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000)
})

test('a device that never ends is a file that is too large', async () => {
  await expect(readInput('/dev/zero')).rejects.toMatchObject({code: 'input_invalid'})
  await expect(readConfigFile('/dev/zero')).rejects.toMatchObject({code: 'file_unreadable'})
})

function diagnoseOf(fields: Record<string, string | JsonNumber>) {
  return diagnose({fields, given, secret: 'sandbox-secret-not-for-live-use', rule: documentedRule}).cause
}
