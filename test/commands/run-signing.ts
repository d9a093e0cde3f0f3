import {Readable} from 'node:stream'
import {Config} from '@oclif/core/config'
import {vi} from 'vitest'

import Sign from '../../src/commands/sign.ts'
import Verify from '../../src/commands/verify.ts'
import {sandboxCredentials} from '../../src/core/profile.ts'
import {checkResult} from '../snapshot/check-result.ts'

export interface Finished {
  readonly stdout: string
  readonly stderr: string
  readonly status: number
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string | Uint8Array
  /** Leaves HISAB_API_SECRET unset. */
  readonly withoutSecret?: boolean
}

const commands = {
  sign: (argv: string[], config: Config) => Sign.run(argv, config),
  verify: (argv: string[], config: Config) => Verify.run(argv, config),
}
const root = new URL('../..', import.meta.url).pathname
let config: Promise<Config> | undefined

/**
 * Runs one command in this process as the shell would: arguments, environment, standard input. Only what is
 * given in `env` is set of hisab's variables; the secret is the sandbox's unless it is given.
 */
export async function runSigning(
  name: keyof typeof commands,
  argv: readonly string[],
  {env = {}, stdin = '', withoutSecret = false}: RunOptions = {},
): Promise<Finished> {
  const out: string[] = []
  const err: string[] = []
  vi.unstubAllEnvs()
  for (const variable of Object.keys(process.env)) {
    if (variable.startsWith('HISAB_') && variable !== 'HISAB_PROPERTY_RUNS') vi.stubEnv(variable, undefined)
  }
  const known = withoutSecret ? {} : {HISAB_API_SECRET: sandboxCredentials.apiSecret}
  const settings = {...known, XDG_CONFIG_HOME: '/nonexistent', ...env}
  for (const [variable, value] of Object.entries(settings)) vi.stubEnv(variable, value)
  const spies = [
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([Buffer.from(stdin)]) as never),
    vi.spyOn(process.stdout, 'write').mockImplementation(collect(out)),
    vi.spyOn(process.stderr, 'write').mockImplementation(collect(err)),
  ]
  process.exitCode = undefined
  try {
    config ??= Config.load({root})
    await commands[name]([...argv], await config)
    checkResult([name, ...argv], out.join(''))
    return {stdout: out.join(''), stderr: err.join(''), status: Number(process.exitCode ?? 0)}
  } finally {
    process.exitCode = undefined
    for (const spy of spies) spy.mockRestore()
    vi.unstubAllEnvs()
  }
}

function collect(chunks: string[]): typeof process.stdout.write {
  return ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    chunks.push(String(chunk))
    const done = rest.find((argument) => typeof argument === 'function')
    if (done) done()
    return true
  }) as typeof process.stdout.write
}
