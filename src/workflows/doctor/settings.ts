import type {EvidenceKeeping} from '../../config/evidence-settings.ts'
import type {LoadedProfile} from '../../config/load-profile.ts'
import {type Check, type CheckName, failed, ok, warning} from '../../core/doctor/check.ts'
import {asFailure, type Failure} from '../../core/failure.ts'
import {secretLengthMin} from '../../core/signing/secret.ts'
import {escapeInvisible} from '../../core/text.ts'
import {inspect, nearestFolder} from '../../files/inspect.ts'

/** Whether all settings that calls to the service need are present. */
export function settingsCheck({profile, warnings, evidence}: LoadedProfile): Check {
  const {merchantId, baseUrl, applyUrl} = profile
  const missing = Object.entries({merchant_id: merchantId, base_url: baseUrl, apply_url: applyUrl})
    .filter(([, value]) => value === '')
    .map(([key]) => key)
  if (missing.length > 0) {
    const names = missing.join(', ')
    const next = missing.map((key) => `HISAB_${key.toUpperCase()}`).join(', ')
    return failed(
      'settings',
      'config_invalid',
      `missing: ${names}`,
      `Set ${next}, or ${names} in the profile.`,
    )
  }
  const mixture = warnings.find((text) => text.includes('for the profile’s own'))
  if (mixture !== undefined) return warning('settings', clauseOf(mixture), 'Unset them unless you mean it.')
  return evidenceTrouble(evidence) ?? ok('settings', 'complete')
}

const monthDays = 31

/** Why the evidence of a month of nightly runs would be missing; null if it would be kept. */
function evidenceTrouble({keepMs, runs, dir}: EvidenceKeeping): Check | null {
  if (dir !== null) {
    const place = escapeInvisible(dir)
    const found = inspect(dir)
    const isFolder = (found?.kind ?? 'folder') === 'folder'
    if (!isFolder || !(found ?? inspect(nearestFolder(dir)))?.isWritable)
      return failed(
        'settings',
        'storage_failed',
        `evidence.dir, ${place}, ${isFolder ? 'cannot be written' : 'is no folder'}`,
        'Name a folder that hisab can write. Until then a run ends with 8.',
      )
  }
  const next = `Set evidence.keep to ${monthDays}d or more, and evidence.runs to ${monthDays} or more.`
  if (keepMs === null) return warning('settings', 'evidence.keep is "off": no run can be proven', next)
  const days = Math.min(runs, Math.floor(keepMs / 86_400_000))
  return days < monthDays
    ? warning('settings', `the evidence of nightly runs is kept for ${days} days: less than a month`, next)
    : null
}

/** The facts of a secret that may be shown: its source and its length. */
export type ReadSecret = Awaited<ReturnType<typeof readSecretOf>>

export async function readSecretOf(loaded: LoadedProfile, name: 'api_secret' | 'api_key') {
  const {warnings, notes} = loaded
  const origin = loaded.secretOrigins[name]
  if (origin === null && name === 'api_key') {
    return {
      secret: null,
      check: warning(
        'api_key',
        'not set, so webhooks cannot be listed or resent',
        'Set HISAB_API_KEY_FILE, or api_key = { file = "…" } in the profile.',
      ),
    }
  }
  const [warningsBefore, notesBefore] = [warnings.length, notes.length]
  try {
    const secret = await (name === 'api_secret' ? loaded.apiSecret() : loaded.apiKey())
    const remarks = [...warnings.slice(warningsBefore), ...notes.slice(notesBefore)].map(clauseOf)
    const length = `${secret.length} characters`
    const why = [`set, from ${origin?.where ?? 'nowhere'}, ${length}`, ...remarks].join('; ')
    return {
      secret,
      check: checkSecret(name, secret, why, origin?.isPlainText ?? false, warnings.length > warningsBefore),
    }
  } catch (thrown) {
    const error = asFailure(thrown)
    return {secret: null, check: failed(name, error.code, error.clause, error.hint)}
  }
}

function checkSecret(
  name: CheckName,
  secret: string,
  why: string,
  isPlainText: boolean,
  isRemarked: boolean,
): Check {
  if (secret.length < secretLengthMin)
    return warning(name, why, 'A secret this short can be guessed: is it whole?')
  if (isPlainText) return warning(name, why, `Keep it apart: ${name} = { file = "…" } or { command = […] }.`)
  return isRemarked ? warning(name, why, 'Compare it with the one that was issued.') : ok(name, why)
}

/** The profile could not be read at all. */
export function profileFailure({code, clause, hint}: Failure): Check {
  return failed('profile', code, escapeInvisible(clause), hint)
}

function clauseOf(sentence: string): string {
  return sentence.replace(/\.$/, '')
}
