import type {HttpBindings} from '@hono/node-server'
import type {Context} from 'hono'

/** Node's own request and response behind a call; null in a test without a port. */
export function connectionOf(c: Context): HttpBindings | null {
  return c.env?.incoming && c.env.outgoing ? (c.env as HttpBindings) : null
}

/** A header by its lower-case name. Asked of hono, all of them would be copied for the sake of one. */
export function requestHeader(c: Context, name: string): string | undefined {
  const value = connectionOf(c)?.incoming.headers[name]
  return typeof value === 'string' ? value : c.req.header(name)
}
