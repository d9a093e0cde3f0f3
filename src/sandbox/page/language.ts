import {inDigits, type Language, languages} from '../../core/language.ts'
import {formatTaka, type Paisa} from '../../core/money.ts'

export const languageNames: Readonly<Record<Language, string>> = {en: 'English', bn: 'বাংলা'}

/** `?lang=` first, then the browser's `Accept-Language`, then English. */
export function chooseLanguage(asked: string | undefined, acceptLanguage: string | undefined): Language {
  const named = languages.find((language) => language === asked)
  if (named) return named
  const preferred = (acceptLanguage ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...rest] = part.trim().toLowerCase().split(';')
      const quality = rest.map((text) => /^\s*q=([0-9.]+)\s*$/.exec(text)?.[1]).find((text) => text)
      return {tag: tag.split('-')[0] ?? '', quality: quality === undefined ? 1 : Number(quality)}
    })
    .filter(({quality}) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
  for (const {tag} of preferred) {
    const language = languages.find((known) => known === tag)
    if (language) return language
  }
  return 'en'
}

/** `৳1,20,450` or `৳১,২০,৪৫০.৫০`, without `.00`. */
export function showAmount(amount: Paisa, language: Language): string {
  return inDigits(`৳${formatTaka(amount).replace(/\.00$/, '')}`, language)
}

/** `14:05`, or `1:02:03` from an hour on. A started second counts, so 0:00 is the end. */
export function showRemaining(remainingMs: number, language: Language): string {
  const seconds = Math.ceil(remainingMs / 1000)
  const pad = (n: number) => String(n).padStart(2, '0')
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return inDigits(h > 0 ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`, language)
}

/** `20 November 2026 at 12:30` in Dhaka. */
export function showMoment(ms: number, language: Language): string {
  return formatter(language, {dateStyle: 'long', timeStyle: 'short'}).format(ms)
}

/** `12:30` in Dhaka, with the day if it is not today. */
export function showDeadline(ms: number, nowMs: number, language: Language): string {
  const day = formatter(language, {dateStyle: 'short'})
  if (day.format(ms) !== day.format(nowMs)) return showMoment(ms, language)
  return formatter(language, {timeStyle: 'short'}).format(ms)
}

function formatter(language: Language, styles: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const locale = language === 'bn' ? 'bn-BD' : 'en-GB'
  return new Intl.DateTimeFormat(locale, {timeZone: 'Asia/Dhaka', hourCycle: 'h23', ...styles})
}
