import {inDigits} from './language.ts'
import {sentences} from './sentences.ts'

/** Values that are figures. The digits of all others, numbers of orders among them, stay as they are typed. */
const counts = new Set(['n', 'm', 'amount', 'line', 'lines'])
const times = new Set(['time', 'to', 'day', 'from'])
const figure = '([\\d,. ]+?)'
/** Of any other value: it ends with its sentence, but for what a person wrote. */
const inSentence = '((?:(?!\\. [A-Z]).)+?)'
const isTime = /^\d{4}-[\d: .-]+(?:\+\d\d:\d\d)?$/

/** By their first word where it is no value, the longest first: what says most is meant. */
const patterns = Map.groupBy(
  Object.entries(sentences)
    .sort(([a], [b]) => literalOf(b).length - literalOf(a).length)
    .map(([english, bangla]) => ({english, ...patternOf(english, bangla)})),
  ({english}) => firstWord(english),
)

/**
 * What hisab says in English, in Bangla. What the catalogue does not have stays as it is: words of a person, of the service and
 * of a file.
 */
export function inBangla(text: string): string {
  return (
    translated(text) ??
    text
      .split(sentenceEnd)
      .map((sentence) => translated(sentence) ?? sentence)
      .join(' ')
  )
}

/** Where one sentence of a run ends and the next begins. */
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

/** Empty where it has a value in it. */
function firstWord(text: string): string {
  const [word = ''] = text.split(' ', 1)
  return word.includes('{') ? '' : word
}
