/**
 * A number whose digits must reach the wire as they are: `500.00` is not the text JavaScript would print for it.
 */
export class WireNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/** What this service can say; a field that is undefined is left out. */
export type Json =
  | string
  | number
  | boolean
  | null
  | WireNumber
  | readonly Json[]
  | {readonly [name: string]: Json | undefined}

/** What goes back: an answer, a connection cut without one, or nothing at all until the service stops. */
export type Reply =
  | {
      readonly sends: 'answer'
      readonly httpStatus: number
      readonly contentType: string
      readonly text: string
      readonly headers?: Readonly<Record<string, string>>
    }
  | {readonly sends: 'reset'}
  | {readonly sends: 'nothing'}

export const reset: Reply = {sends: 'reset'}
export const silence: Reply = {sends: 'nothing'}

export function json(body: Json, httpStatus = 200, headers?: Readonly<Record<string, string>>): Reply {
  const reply = {sends: 'answer', httpStatus, contentType: 'application/json', text: writeJson(body)} as const
  return headers === undefined ? reply : {...reply, headers}
}

/** What a proxy, a firewall or a missing deployment answers: a page, whatever its status says. */
export function html(httpStatus: number): Reply {
  const text = `<!doctype html><title>${httpStatus}</title><h1>nginx</h1>`
  return {sends: 'answer', httpStatus, contentType: 'text/html; charset=utf-8', text}
}

/** The service's own refusal, in the plainest form of A4: the body of an error is not documented. */
export function refusal(httpStatus: number, code: string | number, message: string): Reply {
  return json({code, message}, httpStatus)
}

/** Changes the text of an answer and leaves its status and type alone. */
export function rewrite(reply: Reply, change: (text: string) => string): Reply {
  return reply.sends === 'answer' ? {...reply, text: change(reply.text)} : reply
}

export function writeJson(value: Json): string {
  if (value instanceof WireNumber) return value.source
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isList(value)) return `[${value.map(writeJson).join(',')}]`
  const fields = Object.entries(value).flatMap(([name, field]) =>
    field === undefined ? [] : [`${JSON.stringify(name)}:${writeJson(field)}`],
  )
  return `{${fields.join(',')}}`
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
