import {styleText} from 'node:util'

import type {Style} from '../report/table.ts'

/** Colour where the stream is a terminal and NO_COLOR is not set; plain text elsewhere. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  return (style, text) => styleText(style, text, {stream})
}
