import type {MistakeCause} from './cause.ts'
import type {Draft, DraftField} from './draft.ts'

/** One way of making a mistake: the changed draft, and what was changed, in words. */
export interface Attempt {
  readonly draft: Draft
  readonly detail: string
}

/** Facts besides the body that may have got into the string. */
export interface World {
  readonly merchantId: string | null
  readonly apiKey: string | null
  /** The `signature` field of the body, if another signature is checked. */
  readonly signatureInBody: string | null
}

/** A known mistake, with every way to make it as changes of a draft. */
export interface Mistake {
  readonly cause: MistakeCause
  readonly attempts: (draft: Draft, world: World) => Iterable<Attempt>
}

/** `draft` with each text rewritten, or null if nothing changes. */
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

/** The same change everywhere, as libraries do, then in each field alone, as people do. */
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
