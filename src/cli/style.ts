import {styleText} from 'node:util'

import type {Style} from '../report/table.ts'

/** Colour on a terminal without NO_COLOR; else plain text. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  return (style, text) => styleText(style, text, {stream})
}

export function hasUnicode({isTTY}: NodeJS.WriteStream): boolean {
  const {LC_ALL, LC_CTYPE, LANG} = process.env
  return isTTY === true && /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '')
}
