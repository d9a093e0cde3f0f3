import type {SigningCause} from '../core/signing/diagnose/cause.ts'
import type {Explanation} from '../core/signing/explanation.ts'
import {escapeInvisible} from '../core/text.ts'
import {wrapText} from './wrap.ts'

export interface VerifyResult {
  readonly valid: boolean
  readonly scheme: string
  readonly given: string
  /** Null if the body has no right signature: it holds nested values. */
  readonly expected: string | null
  readonly canonical: string | null
  readonly diagnosis: VerifyDiagnosis | null
  /** Fields that can be read as other fields (P22); absent if there are none. */
  readonly ambiguous?: readonly string[]
  /** Fields that neither the service's document nor the profile names (P22); absent if there are none. */
  readonly undocumented?: readonly string[]
}

export interface VerifyDiagnosis {
  readonly cause: SigningCause
  readonly explanation: string
  readonly canonical: string | null
  readonly fix: string
  readonly causes?: readonly SigningCause[]
}

export interface DiscoverResult {
  readonly matches: readonly {
    readonly input: string
    readonly hash: string
    readonly encoding: string
    readonly key: string
    readonly key_encoding: string
    readonly toml: string
  }[]
  readonly tried: number
  readonly elapsedMs: number
}

const textWidthMax = 100

/** Each step of the signature (service §5.1) and its result here. */
export function renderExplanation(explanation: Explanation): string {
  const {leftOut, sorted, joined, canonical, bytes} = explanation
  const names = leftOut.map(({name, why}) => `   left out: ${escapeInvisible(name)} (${why})`)
  const pieces = bytes.map(({text, hex}) => `   "${escapeInvisible(text)}" is ${hex}`)
  return [
    '1. Take every field but signature and those that are null.',
    ...(names.length > 0 ? names : ['   left out: nothing']),
    '2. Sort the names by code unit.',
    `   ${escapeInvisible(sorted.join(', '))}`,
    '3. Join name=value with &.',
    `   ${escapeInvisible(joined)}`,
    '4. Append &key= and the API secret.',
    `   ${escapeInvisible(canonical)}`,
    '5. MD5 over the UTF-8 bytes, in lower-case hexadecimal.',
    ...pieces,
    '',
  ].join('\n')
}

/** The verdict: yes, or no with the reason, the difference and what to do. */
export function renderVerdict(result: VerifyResult, width = Number.POSITIVE_INFINITY): string {
  const {valid, given, expected, canonical, diagnosis} = result
  if (valid) return `The signature is right.\n  signed  ${escapeInvisible(canonical ?? '')}`
  const lines = ['The signature is wrong.', `  given     ${escapeInvisible(given)}`]
  if (expected !== null) lines.push(`  expected  ${expected}`)
  if (diagnosis) {
    const texts = [`${diagnosis.cause}: ${diagnosis.explanation}`, `Mend it: ${diagnosis.fix}`]
    lines.push('', ...texts.map((text) => wrapText(text, width, '')))
    if (diagnosis.canonical !== null && canonical !== null && diagnosis.canonical !== canonical) {
      lines.push('', ...showDifference(canonical, diagnosis.canonical, width))
    }
  } else if (canonical !== null) lines.push(`  signed    ${escapeInvisible(canonical)}`)
  return lines.join('\n')
}

/** Both strings around their first difference, with a caret under it. */
export function showDifference(right: string, made: string, width = Number.POSITIVE_INFINITY): string[] {
  // The labels and both ellipses need room.
  const shownMax = Math.max(20, Math.min(textWidthMax, width - 15))
  const [a, b] = [escapeInvisible(right), escapeInvisible(made)]
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  // Long values are cut before the difference, both alike.
  const start = at > Math.floor(shownMax / 2) ? at - Math.floor(shownMax / 2) : 0
  const lead = start > 0 ? '…' : ''
  const cut = (text: string) =>
    `${lead}${text.slice(start, start + shownMax)}${text.length > start + shownMax ? '…' : ''}`
  const indent = ' '.repeat('  right     '.length + lead.length + columnsOf(a.slice(start, at)))
  return [`  right     ${cut(a)}`, `  this one  ${cut(b)}`, `${indent}^ they part here`]
}

export function renderMatches({matches, tried, elapsedMs}: DiscoverResult, captures: number): string {
  const count = `${tried.toLocaleString('en')} recipes tried in ${(elapsedMs / 1000).toFixed(1)} s.`
  const [first, ...others] = matches
  if (!first) return `No recipe reproduces the signature. ${count}`
  const lines = [`Found. ${count}`, '', first.toml.trimEnd()]
  if (others.length > 0) {
    lines.push('', 'These give the same signature for what was captured:')
    lines.push(...others.slice(0, 10).map(({input}) => `  input = ${JSON.stringify(input)}`))
    if (others.length > 10) lines.push(`  and ${others.length - 10} more (--json lists them)`)
  }
  const verb = others.length > 0 ? 'says which' : 'confirms it'
  if (others.length > 0 || captures === 1) {
    lines.push('', `Another capture, with another path and a body, ${verb}: add --capture FILE.`)
  }
  return lines.join('\n')
}

/** Terminal columns: wide characters take two, combining marks none. */
function columnsOf(text: string): number {
  let columns = 0
  for (const char of text) {
    if (/\p{M}/u.test(char)) continue
    columns +=
      /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u.test(
        char,
      )
        ? 2
        : 1
  }
  return columns
}
