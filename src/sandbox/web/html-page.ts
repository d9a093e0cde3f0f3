import {html} from 'hono/html'

export type Html = ReturnType<typeof html>

export interface HtmlPage {
  readonly language: string
  readonly title: string
  /** The page's own style and script in `assets/`, besides the shared ones. */
  readonly asset: 'pay' | 'console'
  readonly head?: Html | string
  readonly bodyAttributes: Html
  readonly body: Html
}

/** The frame of every page of the sandbox. */
export function htmlPage({language, title, asset, head = '', bodyAttributes, body}: HtmlPage): Html {
  return html`<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <title>${title}</title>
    <link rel="stylesheet" href="/assets/base.css">
    <link rel="stylesheet" href="/assets/${asset}.css">
    <script src="/assets/${asset}.js" defer></script>
    ${head}
  </head>
  <body ${bodyAttributes}>
    ${body}
  </body>
</html>`
}
