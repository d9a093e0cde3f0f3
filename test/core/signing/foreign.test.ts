import {spawnSync} from 'node:child_process'
import {readFileSync} from 'node:fs'
import {describe, expect, test} from 'vitest'

import {signFields} from '../../../src/core/signing/request.ts'

/**
 * The signature (service §5.1) written once more, with the standard library of another language: it shares nothing with
 * `src`. Python compares text by code point, which checks the order of names independently.
 */
const program = `
import hashlib, json, sys
def text(v):
    return 'true' if v is True else 'false' if v is False else v
out = []
for case in json.load(sys.stdin):
    params = {k: v for k, v in case['params'].items() if k != 'signature' and v is not None}
    joined = '&'.join(k + '=' + text(params[k]) for k in sorted(params))
    out.append(hashlib.md5((joined + '&key=' + case['secret']).encode('utf-8')).hexdigest())
json.dump(out, sys.stdout)
`

interface Case {
  readonly secret: string
  readonly params: Record<string, string | boolean | null>
  readonly rule?: string
  readonly signature?: string
}

const published = JSON.parse(
  readFileSync(new URL('../../vectors/md5-sorted.json', import.meta.url), 'utf8'),
) as Case[]

const ours: Case[] = [
  {secret: 'secret-1', params: {}},
  {secret: 'secret-1', params: {a: '', b: null, c: true, d: false}},
  {secret: 'secret-1', params: {b: '2', a: '1', A: '3', _: '4', '10': 'x', '9': 'y'}},
  {secret: 'গোপন-চাবি', params: {userName: 'রহিম উদ্দিন', account: '01712345678', note: '🙂 & ¬'}},
  {secret: 'secret-1 ', params: {signature: 'old', returnUrl: 'https://m.example/?a=1&b=%20+'}},
  ...Array.from({length: 60}, (_, n) => ({
    secret: `secret-${n}`,
    params: Object.fromEntries(
      Array.from({length: n % 9}, (_field, at) => [
        String.fromCharCode(65 + ((n * 7 + at * 11) % 58)),
        `${n}.${at}0`,
      ]),
    ),
  })),
]

const python = spawnSync('python3', ['-c', program], {
  input: JSON.stringify([...published, ...ours]),
  encoding: 'utf8',
})

describe('the same signatures by Python’s standard library', () => {
  test.skipIf(python.error !== undefined)('agree, published and our own', () => {
    expect(python.stderr).toBe('')
    const theirs = JSON.parse(python.stdout) as string[]
    expect(theirs).toHaveLength(published.length + ours.length)
    expect([...published, ...ours].map(({params, secret}) => signFields(params, secret))).toEqual(theirs)
    for (const [index, {rule, signature}] of published.entries()) {
      if (rule === '5.1') expect(theirs[index]).toBe(signature)
    }
  })
})
