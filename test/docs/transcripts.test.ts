import {spawn} from 'node:child_process'
import {chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {delimiter, join} from 'node:path'

import {afterAll, beforeAll, describe, expect, test} from 'vitest'

import type {Sandbox} from '../../src/sandbox/start.ts'
import {type Fence, listPages, readFences, root} from './pages.ts'
import {type Rehearsal, rehearse} from './rehearsal.ts'
import {isAsShown, readCurl, readSteps, type Step, tidy} from './transcript.ts'

/**
 * Every `console` block of README.md and docs/ is run and compared. In a block, `$ hisab …` runs the built
 * binary (`npm run build`), `$ curl …` asks the sandbox, `$ cat FILE` puts the file that is shown where the
 * next command finds it, and `$ echo $?` shows the status of the command before. `…` stands for what varies.
 * A page's blocks follow one another: one working folder, one sandbox.
 */
const shownUrl = 'http://127.0.0.1:4010'

let dir: string
let rehearsal: Rehearsal

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'hisab-docs-'))
  mkdirSync(join(dir, 'bin'))
  const shim = join(dir, 'bin', 'hisab')
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin/run.js')}' "$@"\n`)
  chmodSync(shim, 0o755)
  rehearsal = await rehearse(dir)
}, 30_000)

afterAll(async () => {
  await rehearsal.close()
  rmSync(dir, {recursive: true, force: true})
})

// docs/signing.md brings the files its transcripts read, and a test of its own (signing-page.test.ts).
describe.each(listPages().filter((page) => page !== 'docs/signing.md'))('%s', (page) => {
  const blocks = readFences(page).filter(({language}) => language === 'console')
  const run = blocks.filter(({info}) => !info.startsWith('no-run'))

  test('says why a transcript is not run', () => {
    const unexplained = blocks.filter(({info}) => info !== '' && !/^no-run \S+ \S+/.test(info))
    expect(unexplained.map(({line, info}) => `${page}:${line} ${info}`)).toEqual([])
  })

  test.runIf(run.length > 0)('shows what the program prints', async () => {
    const work = join(dir, page.replaceAll('/', '_'))
    mkdirSync(work)
    const sandbox = await rehearsal.serve(join(work, 'sandbox'))
    try {
      await playPage(page, run, work, sandbox)
    } finally {
      await sandbox.close()
    }
  })
})

async function playPage(
  page: string,
  blocks: readonly Fence[],
  work: string,
  sandbox: Sandbox,
): Promise<void> {
  let status = 0
  for (const step of blocks.flatMap(readSteps)) {
    const file = /^cat (\S+)$/.exec(step.command)?.[1]
    if (file !== undefined) {
      writeFileSync(join(work, file), `${step.expected.join('\n').trimEnd()}\n`)
      continue
    }
    const printed =
      step.command === 'echo $?' ? {text: String(status), status} : await play(step, work, sandbox)
    status = printed.status
    const shown = printed.text.replaceAll(sandbox.url, shownUrl)
    if (isAsShown(shown, step.expected)) continue
    expect(tidy(shown), `${page}:${step.line}: $ ${step.command}`).toBe(tidy(step.expected.join('\n')))
    throw new Error(`${page}:${step.line}: the text is the same and still not as shown`)
  }
}

async function play({command}: Step, work: string, {url}: Sandbox): Promise<{text: string; status: number}> {
  if (command.startsWith('curl ')) {
    const request = readCurl(command)
    const answer = await fetch(request.url.replace(shownUrl, url), request.init)
    return {text: await answer.text(), status: 0}
  }
  if (!/^([A-Z_]+=\S* )*hisab /.test(command)) throw new Error(`$ ${command}: a transcript cannot run this`)
  const env = {
    PATH: `${join(dir, 'bin')}${delimiter}${process.env.PATH ?? ''}`,
    HOME: work,
    HISAB_PROFILE: 'sandbox',
    HISAB_BASE_URL: `${url}/v1`,
    HISAB_DATA_DIR: join(work, '.hisab'),
    HISAB_CONFIG_DIR: join(work, '.hisab'),
  }
  // One pipe for both streams, so that they come in the order a terminal shows them.
  const child = spawn('sh', ['-c', `exec 2>&1\n${command.replaceAll(shownUrl, url)}`], {
    cwd: work,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let text = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) text += chunk
  const status = child.exitCode ?? (await new Promise<number>((resolve) => child.once('exit', resolve)))
  return {text, status}
}
