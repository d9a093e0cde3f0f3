import {type ChildProcess, spawn} from 'node:child_process'
import {chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {createServer} from 'node:net'
import {tmpdir} from 'node:os'
import {delimiter, join} from 'node:path'

import {afterAll, beforeAll, describe, expect, test} from 'vitest'

import {receiverPort, sandboxApplyUrl} from '../../src/core/profile.ts'
import type {Sandbox} from '../../src/sandbox/start.ts'
import {canRunHere, runHere} from '../commands/run-here.ts'
import {Background} from './background.ts'
import {type Fence, listPages, readFences, root} from './pages.ts'
import {type Rehearsal, rehearse} from './rehearsal.ts'
import {isAsShown, readCurl, readSteps, type Step, tidy} from './transcript.ts'

/**
 * Every `console` block of README.md and docs/ is run and compared. In a block, `$ hisab …` runs the command,
 * the built binary where the line needs a shell, `$ curl …` asks the sandbox, `$ cat FILE` puts the file that is shown where the
 * next command finds it, and `$ echo $?` shows the status of the command before. A `&` at the end leaves a command
 * running, and `$ wait` shows what the last such one printed from there to its end. `$ eval "$(hisab sandbox env)"` holds for
 * what follows. `…` stands for what varies.
 * A page's blocks follow one another: one working folder, one sandbox.
 */
const shownUrl = 'http://127.0.0.1:4010'
const shownReceiver = `http://127.0.0.1:${receiverPort}`

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
      await playPage(page, run, {work, sandbox, port: await freePort(), env: {}})
    } finally {
      await sandbox.close()
    }
  })
})

/** Where a page is played: its folder, its service, and the port that stands in for the receiver's. */
interface Stage {
  readonly work: string
  readonly sandbox: Sandbox
  readonly port: number
  /** What the page has set. */
  env: Readonly<Record<string, string>>
}

async function playPage(page: string, blocks: readonly Fence[], stage: Stage): Promise<void> {
  let status = 0
  const background: Background[] = []
  let own: string | undefined
  const shownAs = (text: string) => {
    own ??= /^The sandbox runs at (\S+)$/m.exec(text)?.[1]
    return (
      (own === undefined ? text : shownOwn(text, own))
        .replaceAll(stage.sandbox.applyUrl, `${sandboxApplyUrl(shownUrl)}/v1`)
        .replaceAll(stage.sandbox.url, shownUrl)
        .replaceAll(`http://127.0.0.1:${stage.port}`, shownReceiver)
        // What takes ten seconds on a slow machine says so, a line each time.
        .replaceAll(/^\d{4}-\d\d-\d\dT[\d:.]+Z .*\n/gm, '')
    )
  }
  try {
    for (const step of blocks.flatMap(readSteps)) {
      const {command, expected} = step
      const file = /^cat (\S+)$/.exec(command)?.[1]
      if (file !== undefined) {
        writeFileSync(join(stage.work, file), `${expected.join('\n').trimEnd()}\n`)
        continue
      }
      let printed = {text: String(status), status}
      const [, printing] = /^eval "\$\((.+)\)"$/.exec(command) ?? []
      const last = background.at(-1)
      if (printing !== undefined) {
        const port = own === undefined ? '' : ` --port ${new URL(own).port}`
        const {text} = await new Background(start(`${printing}${port}`, stage)).wait()
        const set = Object.fromEntries([...text.matchAll(/^export (\w+)=(.*)$/gm)].map(([, ...pair]) => pair))
        stage.env = {...set, HISAB_RETURN_URL: `http://127.0.0.1:${stage.port}/webhook`}
        printed = {text: '', status: 0}
      } else if (command.endsWith(' &')) {
        const begun = new Background(start(command.slice(0, -2), stage))
        background.push(begun)
        printed = {text: await begun.begin(expected, shownAs), status: 0}
      } else if (command === 'wait' && last) printed = await last.wait()
      else if (command !== 'echo $?') printed = await play(step, stage)
      status = printed.status
      const shown = shownAs(printed.text)
      if (isAsShown(shown, expected)) continue
      expect(tidy(shown), `${page}:${step.line}: $ ${command}`).toBe(tidy(expected.join('\n')))
      throw new Error(`${page}:${step.line}: the text is the same and still not as shown`)
    }
  } finally {
    for (const one of background) one.kill()
  }
}

/** A sandbox that a page starts is at any free ports, and shown at its own. */
function shownOwn(text: string, own: string): string {
  const {port} = new URL(own)
  return text
    .replaceAll(` --port ${port}`, '')
    .replaceAll(`127.0.0.1:${Number(port) + 1}`, new URL(sandboxApplyUrl(shownUrl)).host)
    .replaceAll(own, shownUrl)
}

async function play({command}: Step, stage: Stage): Promise<{text: string; status: number}> {
  if (command.startsWith('curl ')) {
    const request = readCurl(command)
    const answer = await fetch(request.url.replace(shownUrl, stage.sandbox.url), request.init)
    return {text: await answer.text(), status: 0}
  }
  const line = shownHere(command, stage)
  const args = simpleWords(line)
  if (!args || !canRunHere(args)) return await new Background(start(command, stage)).wait()
  return await runHere(args, {env: envOf(stage), cwd: stage.work})
}

/** The words after `hisab` where the line needs no shell: nothing is set, joined, put into a file or left running. */
function simpleWords(line: string): string[] | undefined {
  const plain = line.replaceAll('\\\n', ' ')
  if (!/^hisab (?:'[^']*'|"[^"$`\\]*"|[^\s'"$`\\|&;<>*?(){}~]|\s)*$/.test(plain)) return undefined
  const [, ...words] = plain.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []
  return words.map((word) => word.replaceAll(/['"]/g, ''))
}

function envOf({work, sandbox: {url}, port, env}: Stage): Record<string, string> {
  return {
    PATH: `${join(dir, 'bin')}${delimiter}${process.env.PATH ?? ''}`,
    HOME: work,
    HISAB_PROFILE: 'sandbox',
    HISAB_BASE_URL: `${url}/v1`,
    HISAB_RETURN_URL: `http://127.0.0.1:${port}/webhook`,
    HISAB_DATA_DIR: join(work, '.hisab'),
    HISAB_CONFIG_DIR: join(work, '.hisab'),
    ...env,
  }
}

/** The line as it is run, of what is free on this machine. */
function shownHere(command: string, {sandbox: {url}, port}: Stage): string {
  return command
    .replaceAll(shownUrl, url)
    .replaceAll(shownReceiver, `http://127.0.0.1:${port}`)
    .replace(/^hisab webhooks listen/, `$& --port ${port}`)
    .replace(/^hisab sandbox start/, '$& --port 0')
    .replace(/^hisab sandbox seed/, `$& --return-url http://127.0.0.1:${port}/webhook`)
}

function start(command: string, stage: Stage): ChildProcess {
  if (!/^([A-Z_]+=\S* )*hisab /.test(command)) throw new Error(`$ ${command}: a transcript cannot run this`)
  // One pipe for both streams, so that they come in the order a terminal shows them.
  return spawn('sh', ['-c', `exec 2>&1\n${shownHere(command, stage)}`], {
    ...{cwd: stage.work, env: envOf(stage), stdio: ['ignore', 'pipe', 'ignore']},
    // A process group of its own: what is left running is ended with its shell.
    detached: true,
  })
}

/** The receiver's own port may be taken by whoever else works on this machine. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const {port} = server.address() as {port: number}
  await new Promise((resolve) => server.close(resolve))
  return port
}
