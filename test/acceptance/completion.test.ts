import {spawnSync} from 'node:child_process'
import {chmodSync, mkdirSync} from 'node:fs'
import {join} from 'node:path'

import {afterAll, beforeAll, expect, it} from 'vitest'

import {readFences} from '../docs/pages.ts'
import {binary, OwnHome} from './own-home.ts'

/** The lines of docs/operating.md, zsh's left out. */
const setup = readFences('docs/operating.md')
  .flatMap(({lines}) => lines)
  .filter((line) => line.includes('hisab autocomplete') && !line.includes('zsh'))

let home: OwnHome
beforeAll(() => {
  home = new OwnHome()
  const bin = join(home.dir, 'bin')
  mkdirSync(bin)
  chmodSync(home.write(join(bin, 'hisab'), `#!/bin/sh\nexec '${process.execPath}' '${binary}' "$@"\n`), 0o755)
  home.env.PATH = `${bin}:${home.env.PATH}`
  expect(setup).toHaveLength(2)
  expect(bash(setup.join(' && ')).status).toBe(0)
})
afterAll(() => home.remove())

function bash(script: string) {
  return spawnSync('bash', ['-c', script], {cwd: home.workDir, env: home.env, encoding: 'utf8'})
}

/** What bash offers for these words, the last of which is being typed, after the lines of docs/operating.md. */
function offered(...words: string[]): string[] {
  const {stdout} = bash(
    `. ~/.bashrc; COMP_WORDS=(hisab ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
    _hisab_autocomplete; printf '%s\\n' "\${COMPREPLY[@]}"`,
  )
  return [...new Set(stdout.split('\n'))].filter((word) => word !== '')
}

it.each([
  [['dep'], ['deposit']],
  [['webhooks', 're'], ['resend']],
  [['payout', 'create', '--acc'], ['--account']],
  [['reconcile', '--dr'], ['--dry-run']],
])('bash completes %j to %j', (words, expected) => {
  expect(offered(...words)).toEqual(expected)
})

it('offers every topic and command', () => {
  const topics = offered('')
  for (const topic of ['deposit', 'payout', 'reconcile', 'sign', 'webhooks']) expect(topics).toContain(topic)
})

it('leaves file names to bash', () => {
  expect(bash('. ~/.bashrc; complete -p hisab').stdout).toBe(
    'complete -o default -F _hisab_autocomplete hisab\n',
  )
})
