import {inDigits} from './language.ts'
import {sentences} from './sentences.ts'

/** Values that are numbers. The digits of all others, such as order numbers, stay as typed. */
const counts = new Set(['n', 'm', 'amount', 'line', 'lines'])
const times = new Set(['time', 'to', 'day', 'from'])
const figure = '([\\d,. ]+?)'
/** Any other value ends with its sentence, except for a person's text. */
const inSentence = '((?:(?!\\. [A-Z]).)+?)'
const isTime = /^\d{4}-[\d: .-]+(?:\+\d\d:\d\d)?$/

/** Grouped by their first word unless it is a value; longest first, because it is the most specific. */
const patterns = Map.groupBy(
  Object.entries(sentences)
    .sort(([a], [b]) => literalOf(b).length - literalOf(a).length)
    .map(([english, bangla]) => ({english, ...patternOf(english, bangla)})),
  ({english}) => firstWord(english),
)

/** Translates hisab's sentences into Bangla. Texts of people, the service and files stay as they are. */
export function inBangla(text: string): string {
  return (
    translated(text) ??
    text
      .split(sentenceEnd)
      .map((sentence) => translated(sentence) ?? sentence)
      .join(' ')
  )
}

export const sentenceEnd = /(?<=[.;]) (?=[A-Z`])|(?<=\.) (?=hisab )/

function translated(text: string): string | null {
  for (const {fits, names, bangla} of [
    ...(patterns.get(firstWord(text)) ?? []),
    ...(patterns.get('') ?? []),
  ]) {
    const values = fits.exec(text)?.slice(1)
    if (values)
      return bangla.replace(/\{(\w+)\}/g, (_, name) => banglaValue(name, values[names.indexOf(name)] ?? ''))
  }
  return null
}

function banglaValue(name: string, value: string): string {
  if (counts.has(name) || (times.has(name) && isTime.test(value))) return inDigits(value, 'bn')
  return translated(value) ?? value
}

function patternOf(english: string, bangla: string) {
  const names = [...english.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const literals = english.split(/\{\w+\}/).map((part) => RegExp.escape(part))
  const between = [
    '',
    ...names.map((name) => (counts.has(name) ? figure : name === 'reason' ? '(.+)' : inSentence)),
  ]
  return {
    fits: new RegExp(`^${literals.map((part, at) => `${between[at]}${part}`).join('')}$`, 's'),
    names,
    bangla,
  }
}

function literalOf(english: string): string {
  return english.replaceAll(/\{\w+\}/g, '')
}

/** Empty if it contains a value. */
function firstWord(text: string): string {
  const [word = ''] = text.split(' ', 1)
  return word.includes('{') ? '' : word
}
