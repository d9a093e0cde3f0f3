import {styleText} from 'node:util'

import type {Paint} from '../report/table.ts'

/** Colour where the stream is a terminal and NO_COLOR is not set; plain text elsewhere. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(style, text, {stream})
}
