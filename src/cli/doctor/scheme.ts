import {setTimeout as delay} from 'node:timers/promises'

import {ServiceProbe} from '../../api/probe.ts'
import {editConfig} from '../../config/edit-config.ts'
import {Failure} from '../../core/failure.ts'
import {writeRecipeToml} from '../../core/signing/discover/toml.ts'
import type {SignatureRecipe} from '../../core/signing/recipe.ts'
import {findLegacyScheme, schemeTriesMax} from '../../workflows/doctor/find-legacy-scheme.ts'
import type {Context} from '../context.ts'
import {Progress} from '../progress.ts'
import {confirm} from '../prompt.ts'
import {hideSecret} from '../streams.ts'
import type {DoctorFlags} from './flags.ts'

type SchemeFlags = Pick<DoctorFlags, 'profile' | 'exact-secret' | 'tries' | 'rate' | 'yes'>

const rateDefault = 0.5

/**
 * Asks, then tries recipes on the live service. Throws `confirmation_needed` without a terminal and `--yes`,
 * `declined` on a no: nothing was sent then.
 */
export async function searchScheme(context: Context, flags: SchemeFlags) {
  const isSecretExact = flags['exact-secret']
  const loaded = await context.loadProfile(flags.profile, 'service', {isSecretExact})
  const {profile} = loaded
  const {tries = schemeTriesMax, rate = rateDefault} = flags
  const credentials = await loaded.credentials()
  for (const secret of Object.values(credentials)) hideSecret(secret)
  const host = new URL(profile.legacyUrl).host
  if (!flags.yes) await askToStart(tries, host)

  const probe = new ServiceProbe(profile, credentials, Date.now)
  const progress = new Progress()
  const search = await findLegacyScheme(
    profile,
    credentials,
    {triesMax: tries, spacingMs: 1_000 / rate},
    {
      probe,
      signal: context.signal,
      // Ctrl-C between two tries ends the wait.
      sleep: (ms) => delay(ms, undefined, {signal: context.signal}).catch(() => undefined),
      onTry: (done, total) => progress.update('recipes tried', done, total),
    },
  ).finally(() => probe.close())
  progress.end()
  const {found} = search
  if (!found) return {search, toml: null, edited: null}
  const place = {profile: profile.name, table: 'legacy_signature', header: '', timestampHeader: ''} as const
  const toml = writeRecipeToml(found, place)
  if (search.isCurrent) return {search, toml, edited: null}
  return {
    search,
    toml,
    edited: await editConfig(context.configPath, profile.name, changesOf(found, profile.name)),
  }
}

async function askToStart(tries: number, host: string): Promise<void> {
  const question = `Send up to ${tries} differently signed GET requests to ${host}? Wrong ones may count towards a lock-out.`
  const answer = await confirm(question)
  if (answer === true) return
  if (answer === false) {
    throw new Failure(
      'declined',
      'You answered no. Nothing was sent.',
      'To search offline, run hisab verify --discover --capture FILE.',
    )
  }
  throw new Failure(
    'confirmation_needed',
    'The search sends wrongly signed requests to a live service, and there is no terminal to ask in. Nothing was sent.',
    'Add --yes. Or find the recipe offline from one captured request: hisab verify --discover --capture FILE.',
  )
}

function changesOf({input, hash, encoding, key, keyEncoding}: SignatureRecipe, profile: string) {
  const settings = {input, hash, encoding, key, key_encoding: keyEncoding}
  return Object.entries(settings).map(([name, value]) => ({
    path: ['profiles', profile, 'legacy_signature', name],
    value,
  }))
}
