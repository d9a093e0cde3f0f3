import {styleText} from 'node:util'

import type {Style} from '../report/table.ts'

/** Colour where the stream is a terminal and NO_COLOR is not set; plain text elsewhere. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  return (style, text) => styleText(style, text, {stream})
}

/** Whether the stream is a terminal whose locale has block characters. */
export function hasUnicode({isTTY}: NodeJS.WriteStream): boolean {
  const {LC_ALL, LC_CTYPE, LANG} = process.env
  return isTTY === true && /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '')
}
