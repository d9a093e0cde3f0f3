import {type Mistake, withField} from './mistake.ts'

/** Mistakes with the secret (service §5.1, step 4). */

type Frame = (text: string, key: string) => string

const frames: Readonly<
  Record<'key_missing' | 'key_without_name' | 'key_first', readonly (readonly [string, Frame])[]>
> = {
  key_missing: [
    ['nothing was appended', (text) => text],
    ['&key= was appended without the secret', (text) => `${text}&key=`],
    ['only & was appended', (text) => `${text}&`],
    ['the word null is in place of the secret', (text) => `${text}&key=null`],
    ['the word undefined is in place of the secret', (text) => `${text}&key=undefined`],
  ],
  key_without_name: [
    ['the bare secret was appended', (text, key) => `${text}${key}`],
    ['& and the bare secret were appended', (text, key) => `${text}&${key}`],
    ['key= was appended without &', (text, key) => `${text}key=${key}`],
    ['= is missing', (text, key) => `${text}&key${key}`],
    ['& is there twice', (text, key) => `${text}&&key=${key}`],
    ['another & follows', (text, key) => `${text}&key=${key}&`],
    ...'KEY Key secret apiKey apiSecret api_key api_secret API_SECRET secretKey secret_key appSecret signKey token'
      .split(' ')
      .map(
        (name) =>
          [`it was appended as &${name}=`, (text: string, key: string) => `${text}&${name}=${key}`] as const,
      ),
  ],
  key_first: [
    ['key= comes first', (text, key) => `key=${key}&${text}`],
    ['the bare secret comes first', (text, key) => `${key}${text}`],
    ['the bare secret and & come first', (text, key) => `${key}&${text}`],
    ['the bare secret is on both sides', (text, key) => `${key}${text}${key}`],
  ],
}

function framed(cause: keyof typeof frames): Mistake {
  return {
    cause,
    *attempts(draft) {
      for (const [detail, frame] of frames[cause]) yield {draft: {...draft, frame}, detail}
      if (cause !== 'key_first') return
      for (const name of ['key', 'apiSecret', 'secret']) {
        const inside = {...withField(draft, name, null), frame: (text: string) => text}
        yield {draft: inside, detail: `${name}= was sorted in among the fields`}
      }
    },
  }
}

/** What shells, editors and settings add around a secret, or remove. */
export const secretWears: readonly (readonly [detail: string, wear: (key: string) => string])[] = [
  ['a newline after the secret', (key) => `${key}\n`],
  ['CR and LF after the secret', (key) => `${key}\r\n`],
  ['a blank after the secret', (key) => `${key} `],
  ['a blank before the secret', (key) => ` ${key}`],
  ['a tab after the secret', (key) => `${key}\t`],
  ['double quotes around the secret', (key) => `"${key}"`],
  ['single quotes around the secret', (key) => `'${key}'`],
  ['a byte order mark before the secret', (key) => `\ufeff${key}`],
  ['the blanks of the configured secret taken off', (key) => key.trim()],
  ['the quotes of the configured secret taken off', (key) => key.replace(/^(["'])(.*)\1$/s, '$2')],
]

const secretWhitespace: Mistake = {
  cause: 'secret_whitespace',
  *attempts(draft) {
    for (const [detail, wear] of secretWears) yield {draft: {...draft, wear}, detail}
  },
}

const apiKeyAsSecret: Mistake = {
  cause: 'api_key_as_secret',
  *attempts(draft, {apiKey}) {
    if (apiKey === null) return
    for (const [detail, wear] of [['as it is', (key: string) => key] as const, ...secretWears])
      yield {draft: {...draft, wear: () => wear(apiKey)}, detail}
  },
}

export const keyMistakes: readonly Mistake[] = [
  framed('key_missing'),
  framed('key_without_name'),
  framed('key_first'),
  secretWhitespace,
  apiKeyAsSecret,
]
