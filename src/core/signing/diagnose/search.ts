import {escapeInvisible} from '../../text.ts'
import {decodeDigest} from '../given.ts'
import type {RequestSignatureRule, SignableFields} from '../request.ts'
import {maskSecret} from '../secret.ts'
import {causeTexts, type MistakeCause, type SigningCause} from './cause.ts'
import {type Draft, rightDraft, showDraft, signDraft} from './draft.ts'
import {fieldsMistakes} from './fields-mistakes.ts'
import type {Mistake, World} from './mistake.ts'
import {nestedAsJson} from './nested-mistake.ts'
import {shapeMistakes} from './shape-mistakes.ts'
import {valuesMistakes} from './values-mistakes.ts'

/** In the order in which they would be made, so that of two mistakes the earlier is applied first. */
export const mistakes: readonly Mistake[] = [
  ...fieldsMistakes,
  nestedAsJson,
  ...valuesMistakes,
  ...shapeMistakes,
]

/**
 * The search stops after writing this much into strings: a second or two. Documented bodies need a twentieth. For a
 * body of hundreds of fields, or of long ones, the answer says that it stopped.
 */
const workMax = 4_000_000
/** A text this long counts as one more field. */
const charactersOfOne = 64
/** Longer bodies are not searched, because some rewritings take long; no body of the service comes near. */
const charactersMax = 100_000

export interface DiagnosisInput {
  readonly fields: SignableFields
  /** A digest in hexadecimal of any case, or in base64. */
  readonly given: string
  readonly secret: string
  readonly rule: RequestSignatureRule
  readonly merchantId?: string
  /** It may have been taken for the secret. */
  readonly apiKey?: string | null
}

/** Why a signature is wrong: the mistake that reproduces it, or what was tried. */
export interface Diagnosis {
  readonly cause: SigningCause
  /** One or two sentences with the names, safe to show. */
  readonly explanation: string
  readonly fix: string
  /** The string that reproduces the signature, its key as `***`, or null. */
  readonly canonical: string | null
  /** The mistakes of `several` in their order; else the one cause, or none. */
  readonly causes: readonly MistakeCause[]
  readonly tried: number
}

interface Step {
  readonly cause: MistakeCause
  readonly detail: string
}

/**
 * Tries every known mistake, then every pair, for a wrong signature. Never three: then the body or the secret is
 * another.
 */
export function diagnose(input: DiagnosisInput): Diagnosis {
  const search = diagnoseInSteps(input)
  for (;;) {
    const {done, value} = search.next()
    if (done) return value
  }
}

/** The same in steps of one string, for callers with other work. */
export function diagnoseInSteps(input: DiagnosisInput): Generator<undefined, Diagnosis> {
  return new Search(input).run()
}

class Search {
  private tried = 0
  private work = 0
  private readonly input: DiagnosisInput
  private readonly wanted: string
  private readonly caseSteps: readonly Step[]
  private readonly world: World

  constructor(input: DiagnosisInput) {
    this.input = input
    const {given} = input
    const isHex = /^[0-9a-f]+$/i.test(given)
    this.wanted = isHex ? given.toLowerCase() : (decodeDigest(given)?.toString('hex') ?? given)
    const cause = isHex ? 'digest_upper_case' : 'digest_base64'
    this.caseSteps =
      given === this.wanted ? [] : [{cause, detail: `write ${this.wanted} instead of ${given}`}]
    const {signature} = input.fields
    this.world = {
      apiKey: input.apiKey || null,
      merchantId: input.merchantId ?? null,
      signatureInBody: typeof signature === 'string' && signature !== input.given ? signature : null,
    }
  }

  *run(): Generator<undefined, Diagnosis> {
    const right = rightDraft(this.input.fields, this.input.rule)
    if (this.caseSteps.length > 0 && right.nested.length === 0 && this.fits(right))
      return this.found(right, this.caseSteps)
    const length = right.fields.reduce((sum, {name, text}) => sum + name.length + (text?.length ?? 0), 0)
    if (length > charactersMax) this.work = workMax
    for (const {draft, steps} of this.candidates(right)) {
      if (this.work >= workMax) break
      this.work += draft.fields.length + 1
      if (draft.nested.length === 0 && this.fits(draft))
        return this.found(draft, [...steps, ...this.caseSteps])
      yield
    }
    return this.nothing()
  }

  private *candidates(right: Draft): Generator<{draft: Draft; steps: readonly Step[]}> {
    for (const {cause, attempts} of mistakes) {
      for (const {draft, detail} of attempts(right, this.world)) yield {draft, steps: [{cause, detail}]}
    }
    for (const [index, first] of mistakes.entries()) {
      for (const begun of first.attempts(right, this.world)) {
        const step = {cause: first.cause, detail: begun.detail}
        for (const {cause, attempts} of mistakes.slice(index)) {
          for (const {draft, detail} of attempts(begun.draft, this.world)) {
            yield {draft, steps: [step, {cause, detail}]}
          }
        }
      }
    }
  }

  private fits(draft: Draft): boolean {
    if (draft.digest.hexLength !== this.wanted.length) return false
    this.tried += 1
    for (const {text} of draft.fields) this.work += (text?.length ?? 0) / charactersOfOne
    return signDraft(draft, this.input.secret) === this.wanted
  }

  private found(draft: Draft, steps: readonly Step[]): Diagnosis {
    const causes = [...new Set(steps.map(({cause}) => cause))]
    const canonical = showDraft(draft, this.input.secret)
    const say = ({cause, detail}: Step) =>
      `${causeTexts[cause].summary} Here: ${escapeInvisible(maskSecret(detail, this.input.secret), 300)}.`
    const [only] = steps
    if (only && steps.length === 1) {
      const {cause} = only
      return {cause, explanation: say(only), fix: causeTexts[cause].fix, canonical, causes, tried: this.tried}
    }
    return {
      cause: 'several',
      explanation: `${steps.length} mistakes together reproduce it: ${steps.map((step) => `${step.cause}: ${say(step)}`).join(' And ')}`,
      fix: causes.map((cause) => causeTexts[cause].fix).join(' '),
      canonical,
      causes,
      tried: this.tried,
    }
  }

  private nothing(): Diagnosis {
    const {summary, fix} = causeTexts.none_found
    const bound = this.work >= workMax ? ' The search stopped at its bound before all pairs were tried.' : ''
    return {
      cause: 'none_found',
      explanation: `${summary} Tried: ${mistakes.length + 2} kinds of mistake, singly and in pairs, ${this.tried} strings in all.${bound}`,
      fix,
      canonical: null,
      causes: [],
      tried: this.tried,
    }
  }
}
