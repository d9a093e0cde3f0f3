import {byCodeUnit, type Joint, type NameOrder, otherDigests} from './draft.ts'
import {keyMistakes} from './key-mistakes.ts'
import {type Mistake, rewriteTexts} from './mistake.ts'

/**
 * The HTML entities that need no semicolon, so that `&notifyUrl` on a web page becomes `¬ifyUrl`. (HTML Living
 * Standard §13.5, "Named character references"; without accented letters.)
 */
const entities: Readonly<Record<string, string>> = {
  acute: '´',
  amp: '&',
  brvbar: '¦',
  cedil: '¸',
  cent: '¢',
  copy: '©',
  curren: '¤',
  deg: '°',
  divide: '÷',
  eth: 'ð',
  frac12: '½',
  frac14: '¼',
  frac34: '¾',
  gt: '>',
  iexcl: '¡',
  iquest: '¿',
  laquo: '«',
  lt: '<',
  macr: '¯',
  micro: 'µ',
  middot: '·',
  nbsp: '\u00a0',
  not: '¬',
  ordf: 'ª',
  ordm: 'º',
  para: '¶',
  plusmn: '±',
  pound: '£',
  quot: '"',
  raquo: '»',
  reg: '®',
  sect: '§',
  shy: '\u00ad',
  sup1: '¹',
  sup2: '²',
  sup3: '³',
  thorn: 'þ',
  times: '×',
  uml: '¨',
  yen: '¥',
}

// No name is the beginning of another.
const entityAt = new RegExp(`&(${Object.keys(entities).join('|')});?`, 'g')

/** What a browser makes of the unescaped string in a page. */
function corruptByEntities(text: string): string {
  return text.replace(entityAt, (whole, name: string) => entities[name] ?? whole)
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** Mistakes in the string as a whole: the order of names, copying, the hash. */

const documentOrder =
  'merchantId orderNo outOrderNo amount returnUrl playerPhone playerRef isTest bankType userName account'.split(
    ' ',
  )
const payoutOrder = 'merchantId outOrderNo amount bankType userName account returnUrl'.split(' ')

const orders: readonly (readonly [detail: string, order: NameOrder | null])[] = [
  ['in the order of the body', null],
  ['in descending order', (a, b) => byCodeUnit(b, a)],
  ['in the order of the document', inOrderOf(documentOrder)],
  ['in the order of the document (payout)', inOrderOf(payoutOrder)],
  ['by length, then name', (a, b) => a.length - b.length || byCodeUnit(a, b)],
  ['by code unit, and the profile sorts ignoring case', byCodeUnit],
]

const notSorted: Mistake = {
  cause: 'not_sorted',
  *attempts(draft) {
    for (const [detail, order] of orders) yield {draft: {...draft, order}, detail}
  },
}

const caselessOrders: readonly (readonly [detail: string, order: NameOrder])[] = [
  ['in lower case', (a, b) => byCodeUnit(a.toLowerCase(), b.toLowerCase())],
  ['in upper case', (a, b) => byCodeUnit(a.toUpperCase(), b.toUpperCase())],
  ['by the rules of English, as localeCompare does', (a, b) => a.localeCompare(b, 'en')],
]

const sortedIgnoringCase: Mistake = {
  cause: 'sorted_ignoring_case',
  *attempts(draft) {
    for (const [detail, order] of caselessOrders) yield {draft: {...draft, order}, detail}
  },
}

const pair = (name: string, text: string) => `${name}=${text}`
const joints: readonly (readonly [detail: string, joint: Joint])[] = [
  ['without &', {write: pair, between: ''}],
  ['with a comma between them', {write: pair, between: ','}],
  ['with | between them', {write: pair, between: '|'}],
  ['with a newline between them', {write: pair, between: '\n'}],
  ['name and value without =', {write: (name, text) => name + text, between: ''}],
  ['values alone', {write: (_name, text) => text, between: ''}],
  ['values alone, with & between them', {write: (_name, text) => text, between: '&'}],
  ['values alone, with a comma between them', {write: (_name, text) => text, between: ','}],
  ['values alone, with | between them', {write: (_name, text) => text, between: '|'}],
]

const joinedOtherwise: Mistake = {
  cause: 'joined_otherwise',
  *attempts(draft) {
    for (const [detail, joint] of joints) yield {draft: {...draft, joint}, detail}
  },
}

const htmlEntity: Mistake = {
  cause: 'html_entity',
  *attempts(draft) {
    const {rewrite} = draft
    yield {
      draft: {...draft, rewrite: (text) => corruptByEntities(rewrite(text))},
      detail: 'an & and the letters after it became one character',
    }
    yield {
      draft: {...draft, rewrite: (text) => rewrite(text).replaceAll('&', '&amp;')},
      detail: '& became &amp;',
    }
    yield {
      draft: {...draft, frame: (text, key) => draft.frame(text, key).replaceAll('&', '&amp;')},
      detail: '& became &amp; everywhere',
    }
    const escaped = rewriteTexts(draft, escapeHtml)
    if (escaped) yield {draft: escaped, detail: 'special characters of the values were escaped for HTML'}
  },
}

const otherHash: Mistake = {
  cause: 'other_hash',
  *attempts(draft) {
    for (const digest of otherDigests) yield {draft: {...draft, digest}, detail: digest.name}
    const {frame} = draft
    for (const digest of otherDigests) {
      if (digest.name.startsWith('HMAC')) {
        yield {
          draft: {...draft, digest, frame: (text) => text},
          detail: `${digest.name}, over the string without &key=`,
        }
      }
    }
    for (const form of ['NFC', 'NFD'] as const) {
      yield {
        draft: {...draft, frame: (text, key) => frame(text, key).normalize(form)},
        detail: `MD5 over the string in Unicode form ${form}`,
      }
    }
  },
}

export const shapeMistakes: readonly Mistake[] = [
  notSorted,
  sortedIgnoringCase,
  joinedOtherwise,
  ...keyMistakes,
  htmlEntity,
  otherHash,
]

function inOrderOf(names: readonly string[]): NameOrder {
  const rank = (name: string) => names.indexOf(name) + 1 || names.length + 1
  return (a, b) => rank(a) - rank(b)
}
