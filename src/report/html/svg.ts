import {html} from 'hono/html'
import type {HtmlEscapedString} from 'hono/utils/html'

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** A picture, drawn for a wide window and for a telephone, with text of the same size. */
export interface Picture {
  readonly title: string
  readonly says: string
  readonly draw: (width: number) => {readonly height: number; readonly shapes: Html}
}

const widths = {wide: 560, narrow: 340} as const

/** Both drawings; a style shows the one that fits. `table` has the same figures. */
export function figure(
  id: string,
  {title, says, draw}: Picture,
  note: string,
  table: Html,
  asTable: string,
  legend: Html | '' = '',
): Html {
  const pictures = Object.entries(widths).map(([name, width]) => {
    const {height, shapes} = draw(width)
    return html`<svg class="${name}" role="img" aria-labelledby="${id}-${name}-t ${id}-${name}-d" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><title id="${id}-${name}-t">${title}</title><desc id="${id}-${name}-d">${says}</desc>${shapes}</svg>`
  })
  return html`<section class="picture" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${note === '' ? '' : html`<p class="soft">${note}</p>`}
${legend}${pictures}
<details><summary>${asTable}</summary>${table}</details></section>
`
}

interface Bar {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** `title` shows on hover. */
export function bar({x, y, width, height}: Bar, look: string, title = ''): Html {
  const size = html`x="${round(x)}" y="${round(y)}" width="${round(Math.max(width, 1))}" height="${round(height)}"`
  return title === ''
    ? html`<rect class="${look}" ${size}/>`
    : html`<rect class="${look}" ${size}><title>${title}</title></rect>`
}

export function line(x1: number, y1: number, x2: number, y2: number, look = 'axis'): Html {
  return html`<line class="${look}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`
}

export function text(
  x: number,
  y: number,
  words: string,
  look = '',
  end: 'start' | 'middle' | 'end' = 'start',
): Html {
  return html`<text class="${look} ${end}" x="${round(x)}" y="${round(y)}">${words}</text>`
}

/** As many words as fit, at about 13 px. */
export function fitted(words: string, room: number): string {
  const max = Math.floor(room / 6.4)
  return words.length <= max ? words : `${words.slice(0, Math.max(max - 1, 1))}…`
}

function round(n: number): number {
  return Math.round(n * 10) / 10
}
