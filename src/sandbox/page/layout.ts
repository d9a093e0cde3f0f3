import {html} from 'hono/html'
import {type Language, languages} from '../../core/language.ts'

import {escapeInvisible} from '../../core/text.ts'
import {type Html, htmlPage} from '../web/html-page.ts'
import {languageNames} from './language.ts'
import {textsOf} from './texts.ts'

export interface PayLayoutParts {
  readonly language: Language
  /** The page's own address; a refused form is answered at another. */
  readonly path: string
  /** The rest of the query, kept when the language is changed. */
  readonly query: Readonly<Record<string, string>>
  readonly title: string
  /** Null if the page has no merchant. */
  readonly payee: string | null
  readonly main: Html
  /** False if nothing more can happen. */
  readonly isLive: boolean
  /** Reload interval in seconds for browsers without scripts; null: none. */
  readonly reloadS: number | null
}

export function payLayout({
  language,
  path,
  query,
  title,
  payee,
  main,
  isLive,
  reloadS,
}: PayLayoutParts): Html {
  const texts = textsOf[language]
  return htmlPage({
    ...{language, asset: 'pay'},
    title: payee === null ? title : `${title} · ${escapeInvisible(payee)}`,
    head: reloadS === null ? '' : html`<noscript><meta http-equiv="refresh" content="${reloadS}"></noscript>`,
    bodyAttributes: html`${isLive ? html`data-live="${path}"` : ''} data-copy-failed="${texts.pay.copyFailed}" data-offline="${texts.offline}"`,
    body: html`<div class="page" id="page">
      <header>
        <div class="top">
        <p class="rehearsal">${texts.rehearsal}</p>
        <nav aria-label="${texts.language}">
          ${languages.map((code) =>
            code === language
              ? html`<span lang="${code}" aria-current="true">${languageNames[code]}</span>`
              : html`<a href="${path}?${new URLSearchParams({...query, lang: code}).toString()}" lang="${code}" hreflang="${code}" data-language>${languageNames[code]}</a>`,
          )}
        </nav>
        </div>
        ${payee === null ? '' : html`<p class="payee">${texts.payee} <strong><bdi>${escapeInvisible(payee)}</bdi></strong></p>`}
      </header>
      <aside class="offline" id="offline" hidden><p>${texts.offline}</p><p id="unsent" hidden>${texts.unsent}</p></aside>
      ${main}
    </div>
    <p class="unseen" id="announcement" role="status"></p>`,
  })
}
