import {inBangla} from '../../core/in-bangla.ts'
import type {Label} from '../../core/labels.ts'
import {inDigits, type Language} from '../../core/language.ts'
import {formatTaka, type Paisa} from '../../core/money.ts'
import {type PageWord, pageWords} from '../../core/report-labels.ts'
import {grouped, minuteOf} from '../figures.ts'
import {resultText} from '../finding-view.ts'

type Values = Readonly<Record<string, string | number>>

export class Reader {
  readonly lang: Language

  constructor(lang: Language) {
    this.lang = lang
  }

  /** A text of the page with its values, numbers in the reader's digits. */
  say(word: PageWord, values: Values = {}): string {
    return pageWords[word][this.lang].replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, name, one, many) => {
      const value = values[name] ?? ''
      if (one !== undefined) return String(value) === '1' ? one : many
      return typeof value === 'number' ? this.count(value) : value
    })
  }

  /** A sentence of the run, which is in English. */
  translate(text: string): string {
    return this.lang === 'bn' ? inBangla(text) : text
  }

  of(label: Label): string {
    return label[this.lang]
  }

  result(of: Parameters<typeof resultText>[0]): string {
    return resultText(of, (label) => this.of(label))
  }

  count(value: number): string {
    return this.digits(formatTaka(BigInt(value) * 100n).slice(0, -'.00'.length))
  }

  money(amount: string | null | undefined): string {
    return amount == null ? '–' : this.digits(grouped(amount).replace('-', '−'))
  }

  taka(amount: Paisa): string {
    return this.digits(formatTaka(amount))
  }

  bdt(amount: Paisa): string {
    return this.say('bdt', {amount: this.taka(amount)})
  }

  /** Short enough for a picture: `45,000`, `1.25 lakh`, `3.4 crore`. */
  short(amount: Paisa): string {
    const taka = amount / 100n
    const size = taka < 0n ? -taka : taka
    const unit = size >= 10_000_000n ? 10_000_000n : size >= 100_000n ? 100_000n : 1n
    if (unit === 1n) return this.count(Number(taka))
    const name = unit === 100_000n ? {en: 'lakh', bn: 'লাখ'} : {en: 'crore', bn: 'কোটি'}
    return `${this.digits((Number((taka * 100n) / unit) / 100).toString())} ${name[this.lang]}`
  }

  digits(text: string): string {
    return inDigits(text, this.lang)
  }

  /** `Friday, 20 November 2026`. */
  day(date: string): string {
    const locale = this.lang === 'bn' ? 'bn-BD' : 'en-GB'
    const format = {dateStyle: 'full', timeZone: 'UTC', calendar: 'gregory'} as const
    return new Intl.DateTimeFormat(locale, format).format(new Date(date))
  }

  /** `2026-11-20 18:00`. */
  minute(time: string): string {
    return this.digits(minuteOf(time))
  }
}
