import {spawnSync} from 'node:child_process'
import {describe, expect, test} from 'vitest'

import {writeCurl} from '../../../src/core/signing/curl.ts'

/** Runs the command in a real POSIX shell whose `curl` prints its arguments, one a line, in hexadecimal. */
function runInShell(command: string): string[] {
  const stub = `curl() { for word in "$@"; do printf %s "$word" | od -An -v -tx1 | tr -d ' \\n'; echo; done; }`
  const {stdout, stderr, status} = spawnSync('sh', ['-c', `${stub}\n${command}`], {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      HISAB_API_KEY: 'key from the environment',
      HISAB_BASE_URL: 'https://m.example/v1',
    },
  })
  expect({stderr, status}).toEqual({stderr: '', status: 0})
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((hex) => Buffer.from(hex, 'hex').toString())
}

const request = {
  method: 'POST',
  origin: 'https://m.example/v1',
  path: '/pay/order/create',
  headers: [],
  body: '',
}

describe('a printed curl command, pasted into a shell', () => {
  test.each([
    '{"a":"1"}',
    `{"note":"it's"}`,
    `'''`,
    '{"n":"$(touch x) `id` $HOME \\\\ !! \\"*"}',
    '@/etc/passwd',
    'line\nline\r\n',
    'রহিম 🙂',
    '-d',
  ])('sends the body %j byte for byte', (body) => {
    expect(runInShell(writeCurl({...request, body})).slice(-2)).toEqual(['--data-raw', body])
  })

  test('takes what is secret from the environment', () => {
    const command = writeCurl({
      ...request,
      origin: {variable: 'HISAB_BASE_URL'},
      path: '/a b;c?d=$e',
      headers: [
        {name: 'X-API-Key', value: 'never printed', fromVariable: 'HISAB_API_KEY'},
        {name: 'X-Note', value: "it's"},
      ],
    })
    expect(command).not.toContain('never printed')
    expect(runInShell(command)).toEqual([
      '--silent',
      '--show-error',
      '--request',
      'POST',
      'https://m.example/v1/a b;c?d=$e',
      '--header',
      'X-API-Key: key from the environment',
      '--header',
      "X-Note: it's",
    ])
  })

  test('a NUL is refused, since no shell can carry it', () => {
    expect(() => writeCurl({...request, body: 'a\0b'})).toThrow(/NUL/)
  })
})
