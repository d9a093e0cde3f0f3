import {mkdirSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'

import type {Command} from '@oclif/core/command'
import {Config} from '@oclif/core/config'
import {onTestFinished, vi} from 'vitest'

import {startSandbox} from '../../src/sandbox/start.ts'
import {credentials, merchantId} from '../api/fixture.ts'
import {checkResult, wordsOf} from '../snapshot/check-result.ts'
import {tempDir} from '../temp-dir.ts'

export interface Ran {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
  /** stdout read as JSON. */
  json(): Record<string, unknown>
}

type CommandClass = typeof Command & (new (argv: string[], config: Config) => Command)

/** One machine: a data folder, a folder for its configuration, and an environment that points at a service. */
export interface Shell {
  readonly dataDir: string
  run(command: CommandClass, ...argv: string[]): Promise<Ran>
}

const root = fileURLToPath(new URL('../..', import.meta.url))

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
      // In the environment: a command loads its configuration anew, whatever it is handed.
      const own = {XDG_CONFIG_HOME: dir, ...env, HISAB_DATA_DIR: dataDir}
      for (const [name, value] of Object.entries(own)) vi.stubEnv(name, value)
      const config = new Config({root})
      await config.load()
      const out = capture(process.stdout)
      const err = capture(process.stderr)
      const before = process.exitCode
      process.exitCode = undefined
      try {
        await command.run(argv, config)
        checkResult([...wordsOf(command), ...argv], out.text())
        return ran(Number(process.exitCode ?? 0), out.text(), err.text())
      } finally {
        process.exitCode = before
        out.restore()
        err.restore()
        vi.unstubAllEnvs()
      }
    },
  }
}

function ran(status: number, stdout: string, stderr: string): Ran {
  const secret = [credentials.apiSecret, credentials.apiKey].find((text) => (stdout + stderr).includes(text))
  if (secret !== undefined) throw new Error(`a secret was printed: ${secret}`)
  return {status, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown>}
}

function capture(stream: NodeJS.WriteStream) {
  const {write} = stream
  let text = ''
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    text += chunk.toString()
    const done = rest.at(-1)
    if (typeof done === 'function') done()
    return true
  }) as typeof stream.write
  return {
    text: () => text,
    restore() {
      stream.write = write
    },
  }
}
