import type {HttpBindings} from '@hono/node-server'
import type {Context} from 'hono'

export function connectionOf(c: Context): HttpBindings | null {
  return c.env?.incoming && c.env.outgoing ? (c.env as HttpBindings) : null
}

/** A header by its lower-case name. Hono would copy all headers to read one. */
export function requestHeader(c: Context, name: string): string | undefined {
  const value = connectionOf(c)?.incoming.headers[name]
  return typeof value === 'string' ? value : c.req.header(name)
}
