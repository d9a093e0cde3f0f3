import {chmodSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {type LoadedProfile, loadProfile} from '../../src/config/load-profile.ts'
import {Failure} from '../../src/core/failure.ts'
import {tempDir} from '../temp-dir.ts'

/** A secret that must be in no message: every test that plants it looks for it. */
export const canary = 'canary-5e1f9c-do-not-print'

export const merchantId = '0d9e4c1a-7f43-4f0e-9a52-3b6a8a1f2c01'

/** A live profile with nothing left out that a command needs. Tables can be added below it. */
export const liveToml = `
default_profile = "live"
[profiles.live]
merchant_id = "${merchantId}"
base_url = "https://pay.example.com/v1/"
apply_url = "https://apply.example.com/v1"
api_secret = { env = "LIVE_SECRET" }
api_key = { env = "LIVE_KEY" }
`

/** Everything a command needs, in variables. */
export const liveEnvironment = {
  HISAB_MERCHANT_ID: merchantId,
  HISAB_BASE_URL: 'https://pay.example.com/v1',
  HISAB_APPLY_URL: 'https://apply.example.com/v1',
  HISAB_API_SECRET: 'the secret',
  HISAB_API_KEY: 'the key',
}

export interface Given {
  readonly toml?: string
  readonly fileMode?: number
  readonly env?: Record<string, string | undefined>
  readonly profileFlag?: string
  readonly needs?: 'service' | 'signing'
}

/** Writes the TOML into a folder of the test's own and loads from it. */
export function load(given: Given): Promise<LoadedProfile> {
  const configPath = join(tempDir(), 'config.toml')
  if (given.toml !== undefined) {
    writeFileSync(configPath, given.toml)
    chmodSync(configPath, given.fileMode ?? 0o600)
  }
  return loadProfile({
    env: given.env ?? {},
    configPath,
    profileFlag: given.profileFlag ?? null,
    needs: given.needs ?? 'service',
  })
}

/** The failure of something that must fail. */
export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof Failure) return error
  throw error ?? new Error('it should have failed, and did not')
}
