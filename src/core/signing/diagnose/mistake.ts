import type {MistakeCause} from './cause.ts'
import type {Draft, DraftField} from './draft.ts'

/** One way of making a mistake, applied: the changed draft, and in words what exactly was changed. */
export interface Attempt {
  readonly draft: Draft
  readonly detail: string
}

/** What is known besides the body, and may have slipped into the string. */
export interface World {
  readonly merchantId: string | null
  readonly apiKey: string | null
  /** The `signature` field the body itself carries, where it is not the one judged. */
  readonly signatureInBody: string | null
}

/** A known mistake of this scheme family: every way it is made, as changes of a draft. */
export interface Mistake {
  readonly cause: MistakeCause
  readonly attempts: (draft: Draft, world: World) => Iterable<Attempt>
}

/** `draft` with each text rewritten, or null where that changes nothing. */
export function rewriteTexts(
  draft: Draft,
  rewrite: (text: string, field: DraftField) => string | null,
): Draft | null {
  let isChanged = false
  const fields = draft.fields.map((field) => {
    if (field.text === null) return field
    const text = rewrite(field.text, field) ?? field.text
    if (text === field.text) return field
    isChanged = true
    return {...field, text}
  })
  return isChanged ? {...draft, fields} : null
}

/** The same rewriting everywhere, then on each field alone: libraries do the first, people the second. */
export function* rewriteEach(
  draft: Draft,
  rewrite: (text: string, field: DraftField) => string | null,
  detail: string,
): Generator<Attempt> {
  const all = rewriteTexts(draft, rewrite)
  if (!all) return
  yield {draft: all, detail}
  const changed = all.fields.filter((field, index) => field !== draft.fields[index])
  if (changed.length < 2) return
  for (const {name} of changed) {
    const one = rewriteTexts(draft, (text, field) => (field.name === name ? rewrite(text, field) : null))
    if (one) yield {draft: one, detail: `${detail}, ${name} only`}
  }
}

export function withField(draft: Draft, name: string, text: string | null): Draft {
  return {...draft, fields: [...draft.fields, {name, text, source: null}]}
}

export function withoutFields(draft: Draft, isOut: (field: DraftField) => boolean): Draft | null {
  const fields = draft.fields.filter((field) => !isOut(field))
  return fields.length === draft.fields.length ? null : {...draft, fields}
}

export function listNames(fields: readonly DraftField[]): string {
  return fields.map(({name}) => name).join(', ')
}
