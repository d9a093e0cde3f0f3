import {html, raw} from 'hono/html'

import type {Language} from '../../core/language.ts'
import {inDigits} from '../../core/language.ts'
import {escapeInvisible} from '../../core/text.ts'
import {type Mail, shortest} from './compose.ts'

const words = {
  en: (status: string) => `NOT RECONCILED, status ${status}`,
  bn: (status: string) => `মেলানো হয়নি, স্থিতি ${status}`,
} satisfies Record<Language, (status: string) => string>

interface FailedRun {
  readonly day: string
  readonly profile: string
  readonly lang: Language
  readonly status: number
  readonly endedMs: number
}

export function failureMail(text: string, {day, profile, lang, status, endedMs}: FailedRun): Mail {
  const digits = (part: string) => inDigits(part, lang)
  const state = words[lang](digits(String(status)))
  const pre = raw('white-space:pre-wrap;font-family:sans-serif;font-size:15px')
  return {
    subject: shortest([
      `hisab ${escapeInvisible(profile, 16)} ${digits(day)}: ${state}`,
      `hisab ${digits(day)}: ${state}`,
    ]),
    text: `${text}\n`,
    html: `<!doctype html>${html`<html lang="${lang}"><body><p style="${pre}">${text}</p></body></html>`.toString()}`,
    language: lang,
    atMs: endedMs,
    id: `nightly.${day}.${endedMs}`,
  }
}
