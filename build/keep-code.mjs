// Keeps what Node compiles of the built program for bin/load.cjs: every file, and the functions that ran in those
// commands that are run by hand and in loops. Preloaded into a run of bin/run.js, it keeps what that run used.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join, resolve} from 'node:path'

import {codeDir, codeFileOf, load, loaded} from '../bin/load.cjs'

const lines = [
  '--help',
  'sign --help',
  'sign amount=5',
  'verify amount=5 --signature 0123456789abcdef0123456789abcdef',
  'deposit query D-1',
]

export async function keepCode() {
  for (const file of globSync('dist/{.,libraries}/*.cjs')) load(resolve(file))
  writeCode()
  const {startSandbox} = await import('../dist/sandbox/library.mjs')
  await using sandbox = await startSandbox()
  const home = mkdtempSync(join(tmpdir(), 'hisab-build-'))
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    HISAB_MERCHANT_ID: sandbox.merchantId,
    HISAB_BASE_URL: sandbox.baseUrl,
    HISAB_APPLY_URL: sandbox.applyUrl,
    HISAB_API_SECRET: sandbox.credentials.apiSecret,
  }
  for (const line of lines) {
    const args = ['--import', import.meta.url, 'bin/run.js', ...line.split(' ')]
    const [status] = await once(spawn('node', args, {env, stdio: ['ignore', 'ignore', 'inherit']}), 'exit')
    // 7: the signature is wrong, and there is no such order.
    if (status !== 0 && status !== 7) throw new Error(`hisab ${line} ended with status ${status}`)
  }
  rmSync(home, {recursive: true})
}

function writeCode() {
  mkdirSync(codeDir, {recursive: true})
  for (const [file, {script}] of loaded) writeFileSync(codeFileOf(file), script.createCachedData())
}

if (process.execArgv.includes(import.meta.url)) process.on('exit', writeCode)
