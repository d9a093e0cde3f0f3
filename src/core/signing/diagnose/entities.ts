/**
 * The entities of HTML that need no semicolon, so that `&notifyUrl` on a web page becomes `¬ifyUrl`.
 * (HTML Living Standard §13.5, "Named character references"; those that are letters with accents left out.)
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

// The longest name wins, as in a browser.
const entityAt = new RegExp(
  `&(${Object.keys(entities)
    .sort((a, b) => b.length - a.length)
    .join('|')});?`,
  'g',
)

/** What a browser makes of the string when it stands in a page as it is. */
export function corruptByEntities(text: string): string {
  return text.replace(entityAt, (whole, name: string) => entities[name] ?? whole)
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
