import {spawnSync} from 'node:child_process'

import {expect, test} from 'vitest'

const module = new URL('../../src/cli/streams.ts', import.meta.url).href

/** Runs a line of code in a process of its own, after `secret` was hidden; answers what both streams show. */
function shown(secret: string, line: string): string {
  const code = `import {hideSecret} from ${JSON.stringify(module)}
    const secret = ${JSON.stringify(secret)}
    hideSecret(secret)
    ${line}`
  const {stdout, stderr, status} = spawnSync(
    process.execPath,
    ['--input-type=module-typescript', '-e', code],
    {
      encoding: 'utf8',
    },
  )
  expect(status, stderr).toBe(0)
  return stdout + stderr
}

test.each([
  ['stdout', "process.stdout.write('a ' + secret + ' b ' + secret)"],
  ['stderr', 'process.stderr.write(secret)'],
  ['console', "console.log('a', secret)"],
  ['bytes', "process.stdout.write(Buffer.from('a ' + secret + ' b'))"],
  ['JSON, where it is escaped', 'process.stdout.write(JSON.stringify({secret}))'],
])('the second net: a hidden secret does not leave by %s', (_, line) => {
  const secret = 'canary "quoted" \\ ক্ষ'
  const text = shown(secret, line)
  expect(text).toContain('***')
  expect(text).not.toContain('canary')
})

test('bytes that hold no secret pass unchanged, text or not', () => {
  expect(shown('canary', 'process.stdout.write(Buffer.from([0xe0, 0xa6, 0x95]))')).toBe('ক')
})
