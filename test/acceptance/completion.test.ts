import {spawnSync} from 'node:child_process'
import {chmodSync, existsSync, mkdirSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'

import {afterAll, beforeAll, expect, it} from 'vitest'

import {root} from '../docs/pages.ts'
import {binary, OwnHome} from './own-home.ts'

let home: OwnHome
beforeAll(() => {
  home = new OwnHome({HISAB_PROFILE: 'sandbox', SHELL: '/bin/bash'})
  const bin = join(home.dir, 'bin')
  mkdirSync(bin)
  chmodSync(home.write(join(bin, 'hisab'), `#!/bin/sh\nexec '${process.execPath}' '${binary}' "$@"\n`), 0o755)
  home.env.PATH = `${bin}:${home.env.PATH}`
  home.write(join(home.dir, '.bashrc'), '# mine')
})
afterAll(() => home.remove())

function bash(script: string) {
  return spawnSync('bash', ['-c', script], {cwd: home.workDir, env: home.env, encoding: 'utf8'})
}

/** What bash offers for these words, the last of which is being typed. */
function offered(...words: string[]): string[] {
  const {stdout} = bash(
    `. ~/.bashrc; COMP_WORDS=(hisab ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
    _hisab; printf '%s\\n' "\${COMPREPLY[@]}"`,
  )
  return stdout.split('\n').filter((word) => word !== '')
}

it('one command sets it up, once', () => {
  for (const _ of [1, 2]) expect(bash('hisab completion --install').status).toBe(0)
  const start = readFileSync(join(home.env.HOME ?? '', '.bashrc'), 'utf8')
  expect(start.match(/completion\.bash/g)).toHaveLength(1)
  expect(bash('. ~/.bashrc; complete -p hisab').stdout).toBe('complete -o default -F _hisab hisab\n')
})

it('completes commands, flags, values and profiles, and leaves files to bash', () => {
  expect(offered('dep')).toEqual(['deposit'])
  expect(offered('webhooks', 're')).toEqual(['resend'])
  expect(offered('payout', 'create', '--acc')).toEqual(['--account'])
  expect(offered('webhooks', 'list', '--status', '')).toEqual(['failed', 'pending', 'success'])
  expect(offered('doctor', '--profile', 's')).toEqual(['sandbox'])
  expect(offered('reconcile', '')).toEqual([])
})

it.each(['zsh', 'fish'])('%s has a script that asks hisab', (shell) => {
  expect(bash(`hisab completion ${shell}`).stdout).toContain('hisab complete -- ')
})

it('has a manual page for every command that man reads without a warning', () => {
  const dir = join(root, 'dist/man')
  const pages = readdirSync(dir)
  expect(pages).toContain('hisab.1')
  expect(pages).toContain('hisab-webhooks-resend.1')
  if (!existsSync('/usr/bin/groff')) return
  const {stderr, stdout} = spawnSync(
    'groff',
    ['-man', '-Tascii', '-ww', '-Kutf8', join(dir, 'hisab-webhooks-resend.1')],
    {encoding: 'utf8'},
  )
  expect(stderr).toBe('')
  expect(stdout).toContain('webhooks resend')
})
