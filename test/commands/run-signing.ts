import {sandboxCredentials} from '../../src/core/profile.ts'
import {type Ended, runHere} from './run-here.ts'

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string | Uint8Array
  /** Leaves HISAB_API_SECRET unset. */
  readonly withoutSecret?: boolean
}

/** Runs `sign` or `verify`. Of hisab's variables only those of `env` are set, and the secret, which is the sandbox's. */
export async function runSigning(
  name: 'sign' | 'verify',
  argv: readonly string[],
  {env = {}, stdin = '', withoutSecret = false}: RunOptions = {},
): Promise<Ended> {
  const known = withoutSecret ? {} : {HISAB_API_SECRET: sandboxCredentials.apiSecret}
  const variables = {...known, XDG_CONFIG_HOME: '/nonexistent', ...env}
  const {status, stdout, stderr} = await runHere([name, ...argv], {env: variables, stdin})
  return {status, stdout, stderr}
}
