import {html} from 'hono/html'

import {type Language, languages} from './language.ts'
import {textsOf} from './texts.ts'

type Html = ReturnType<typeof html>

const names: Readonly<Record<Language, string>> = {en: 'English', bn: 'বাংলা'}

export interface PageParts {
  readonly language: Language
  /** The page's own address, which a refused form is not answered at. */
  readonly path: string
  readonly title: string
  readonly main: Html
  /** False where nothing more can happen. */
  readonly isLive: boolean
  /** Seconds after which a browser without scripts asks again; null for never. */
  readonly reloadS: number | null
}

/** The whole document around the payment page's `main`. */
export function payLayout({language, path, title, main, isLive, reloadS}: PageParts): Html {
  const texts = textsOf[language]
  return html`<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <title>${title}</title>
    <link rel="stylesheet" href="/assets/base.css">
    <link rel="stylesheet" href="/assets/pay.css">
    <script src="/assets/pay.js" defer></script>
    ${reloadS === null ? '' : html`<noscript><meta http-equiv="refresh" content="${reloadS}"></noscript>`}
  </head>
  <body ${isLive ? html`data-live="${path}"` : ''} data-copy-failed="${texts.pay.copyFailed}">
    <div class="page">
      <header class="top">
        <p class="rehearsal">${texts.rehearsal}</p>
        <nav aria-label="${texts.language}">
          ${languages.map((code) =>
            code === language
              ? html`<span lang="${code}" aria-current="true">${names[code]}</span>`
              : html`<a href="${path}?lang=${code}" lang="${code}" hreflang="${code}">${names[code]}</a>`,
          )}
        </nav>
      </header>
      ${main}
      <p class="offline" id="offline" role="status" hidden>${texts.offline}</p>
      <p class="unseen" id="announcement" role="status"></p>
    </div>
  </body>
</html>`
}
