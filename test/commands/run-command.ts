import {mkdirSync} from 'node:fs'
import {join} from 'node:path'

import type {Command} from '@oclif/core/command'
import type {Config} from '@oclif/core/config'
import {onTestFinished} from 'vitest'

import {startSandbox} from '../../src/sandbox/start.ts'
import {credentials, merchantId} from '../api/fixture.ts'
import {wordsOf} from '../snapshot/check-result.ts'
import {tempDir} from '../temp-dir.ts'
import {runCommand} from './run-here.ts'

export interface Ran {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
  /** stdout read as JSON. */
  json(): Record<string, unknown>
}

export type CommandClass = typeof Command & (new (argv: string[], config: Config) => Command)

/** One machine: a data folder, a folder for its configuration, and an environment that points at a service. Its commands are hurried. */
export interface Shell {
  readonly dataDir: string
  run(command: CommandClass, ...argv: string[]): Promise<Ran>
}

/** A machine whose environment alone reaches the service at `origin`, with secrets that must never be printed. */
export function shellAt(origin: string, env: Record<string, string> = {}): Shell {
  return shellWith({
    HISAB_MERCHANT_ID: merchantId,
    HISAB_API_SECRET: credentials.apiSecret,
    HISAB_API_KEY: credentials.apiKey,
    HISAB_BASE_URL: `${origin}/v1`,
    HISAB_APPLY_URL: `${origin}/pay/v1`,
    HISAB_LEGACY_URL: origin,
    HISAB_RETURN_URL: 'https://shop.example/hook',
    ...env,
  })
}

/** A machine on which nothing is configured. */
export const shellWithoutProfile = (): Shell => shellWith({})

/** A machine with the whole service beside it, in memory. */
export async function shellWithSandbox(options: Partial<Parameters<typeof startSandbox>[0]> = {}) {
  const sandbox = await startSandbox({port: 0, dataDir: null, ...options})
  onTestFinished(() => sandbox.close())
  const shell = shellWith({
    HISAB_PROFILE: 'sandbox',
    HISAB_BASE_URL: sandbox.baseUrl,
    HISAB_APPLY_URL: sandbox.applyUrl,
    HISAB_LEGACY_URL: sandbox.legacyUrl,
  })
  return {sandbox, shell}
}

function shellWith(env: Record<string, string>): Shell {
  const dir = tempDir()
  const dataDir = join(dir, 'data')
  mkdirSync(dataDir, {mode: 0o700})
  return {
    dataDir,
    run: async (command, ...argv) => {
      command.id = wordsOf(command).join(':')
      const {status, stdout, stderr} = await runCommand(command, argv, {
        env: {...ownEnv(), XDG_CONFIG_HOME: dir, ...env, HISAB_DATA_DIR: dataDir},
        isHurried: true,
      })
      return ran(status, stdout, stderr)
    },
  }
}

/** Without what is said to the tests themselves, such as a seed. */
function ownEnv(): Record<string, string> {
  const named = Object.entries(process.env).filter(([name]) => !name.startsWith('HISAB_'))
  return Object.fromEntries(named) as Record<string, string>
}

function ran(status: number, stdout: string, stderr: string): Ran {
  const secret = [credentials.apiSecret, credentials.apiKey].find((text) => (stdout + stderr).includes(text))
  if (secret !== undefined) throw new Error(`a secret was printed: ${secret}`)
  return {status, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown>}
}
