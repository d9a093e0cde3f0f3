import {JsonNumber, type JsonValue} from '../../json.ts'
import type {Draft, DraftField} from './draft.ts'
import {type Attempt, listNames, type Mistake, withField, withoutFields} from './mistake.ts'

/** Mistakes in choosing what is signed (service §5.1, step 1). */

const nullSpellings = ['null', '', 'None', 'undefined', 'NULL', 'nil']

const nullIncluded: Mistake = {
  cause: 'null_included',
  *attempts(draft) {
    const nulls = draft.leftOut.filter(({source}) => source === null)
    if (nulls.length === 0) return
    for (const text of nullSpellings) {
      const fields = [...draft.fields, ...nulls.map((field) => ({...field, text}))]
      yield {draft: {...draft, fields}, detail: `${listNames(nulls)} as "${text}"`}
    }
  },
}

const emptyDropped: Mistake = {
  cause: 'empty_dropped',
  *attempts(draft) {
    const empties = draft.fields.filter(({text}) => text === '')
    yield* leaveOut(draft, empties)
    if (empties.length > 1) for (const empty of empties) yield* leaveOut(draft, [empty])
  },
}

const falsy: readonly ((value: JsonValue) => boolean)[] = [
  (value) => value === false || isZero(value),
  isZero,
  (value) => value === false,
  (value) => value === false || isZero(value) || value === '',
  (value) => value === '0',
  (value) => value === false || isZero(value) || value === '' || value === '0',
]

const zeroOrFalseDropped: Mistake = {
  cause: 'zero_or_false_dropped',
  *attempts(draft) {
    for (const isFalsy of falsy) {
      const out = draft.fields.filter(({source}) => isFalsy(source))
      if (out.some(({source}) => source !== '')) yield* leaveOut(draft, out)
    }
  },
}

const signatureIncluded: Mistake = {
  cause: 'signature_included',
  *attempts(draft, {signatureInBody}) {
    const texts = ['', 'null', 'undefined', ...(signatureInBody === null ? [] : [signatureInBody])]
    for (const text of texts) {
      yield {draft: withField(draft, 'signature', text), detail: `signature=${text} was part of the string`}
    }
  },
}

/** Documented fields (service §2): a missing one is a mistake of leaving out, another one of adding. */
const documentedNames = new Set(
  'merchantId orderNo outOrderNo returnUrl playerPhone playerRef isTest amount bankType userName account platformOrderNo status event order_id code payCode payUrl'.split(
    ' ',
  ),
)

const extras: readonly (readonly [name: string, text: string])[] = [
  ['sign_type', 'MD5'],
  ['signType', 'MD5'],
  ['signType', 'md5'],
  ['isTest', 'false'],
  ['isTest', 'true'],
  ['isTest', ''],
  ['isTest', 'null'],
  ['_', ''],
  ['charset', 'UTF-8'],
  ['version', '1.0'],
  ['version', 'v1'],
  ['format', 'json'],
  ['method', 'POST'],
  ['sign', ''],
]

const extraParameter: Mistake = {
  cause: 'extra_parameter',
  *attempts(draft) {
    for (const field of draft.fields) {
      if (documentedNames.has(field.name)) continue
      yield* leaveOut(
        draft,
        [field],
        'is in the body and was not signed: it was added later or by somebody else',
      )
    }
    const unknown = draft.fields.filter(({name}) => !documentedNames.has(name))
    if (unknown.length > 1) yield* leaveOut(draft, unknown, 'are in the body and were not signed')
    for (const [name, text] of extras) {
      if (hasField(draft, name)) continue
      yield {draft: withField(draft, name, text), detail: `${name}=${text} was signed and is not in the body`}
    }
    for (const {name, source} of draft.leftOut) {
      if (source === '')
        yield {
          draft: withField(draft, name, ''),
          detail: `${name}= was signed, and the profile drops empty values`,
        }
    }
  },
}

const forgettable: readonly (readonly [name: string, text: string])[] = [
  ['status', 'completed'],
  ['event', 'order.completed'],
  ['code', '0'],
  ['currency', 'BDT'],
  ['bankType', 'BKASH'],
  ['bankType', 'NAGAD'],
  ['bankType', 'ROCKET'],
  ['playerRef', ''],
  ['playerPhone', ''],
  ['returnUrl', ''],
  ['userName', ''],
]

const missingParameter: Mistake = {
  cause: 'missing_parameter',
  *attempts(draft, {merchantId}) {
    for (const field of draft.fields) {
      if (documentedNames.has(field.name))
        yield* leaveOut(draft, [field], 'is in the body and was not signed')
    }
    const known = merchantId === null ? [] : [['merchantId', merchantId] as const]
    for (const [name, text] of [...known, ...forgettable]) {
      if (hasField(draft, name)) continue
      yield {
        draft: withField(draft, name, text),
        detail: `${name}=${text} was signed and is missing from the body`,
      }
    }
  },
}

export const fieldsMistakes: readonly Mistake[] = [
  nullIncluded,
  emptyDropped,
  zeroOrFalseDropped,
  signatureIncluded,
  missingParameter,
  extraParameter,
]

function isZero(value: JsonValue): boolean {
  return value instanceof JsonNumber && Number(value.source) === 0
}

function hasField(draft: Draft, name: string): boolean {
  return draft.fields.some((field) => field.name === name)
}

function* leaveOut(
  draft: Draft,
  out: readonly DraftField[],
  how = out.length > 1 ? 'were left out' : 'was left out',
): Generator<Attempt> {
  const names = new Set(out.map(({name}) => name))
  const rest = withoutFields(draft, ({name}) => names.has(name))
  if (rest) yield {draft: rest, detail: `${listNames(out)} ${how}`}
}
