import type {Context} from 'hono'

import {Refusal} from '../answers.ts'
import {readBytes} from '../request-reading.ts'

/** The fields of an HTML form. Throws `Refusal` 413 and 415, as for JSON bodies. */
export async function readForm(c: Context): Promise<URLSearchParams> {
  const type = c.req.header('content-type') ?? ''
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    return new URLSearchParams(new TextDecoder().decode(await readBytes(c)))
  }
  throw new Refusal(415, 'CONTENT_TYPE_UNSUPPORTED', 'This is not a form.', 'Send it from the page itself.')
}
