import {createHash} from 'node:crypto'
import {readFileSync} from 'node:fs'

import {Hono} from 'hono'

const types = new Map(
  Object.entries({
    'base.css': 'text/css; charset=utf-8',
    'pay.css': 'text/css; charset=utf-8',
    'pay.js': 'text/javascript; charset=utf-8',
    'console.css': 'text/css; charset=utf-8',
    'console.js': 'text/javascript; charset=utf-8',
  }),
)

/** The scripts and styles in `assets/`, served as they are. */
export function assetRoutes(): Hono {
  const known = new Map<string, {readonly text: string; readonly etag: string}>()
  return new Hono().get('/assets/:name', (c) => {
    const name = c.req.param('name')
    const type = types.get(name)
    if (type === undefined) return c.notFound()
    const {text, etag} = known.get(name) ?? read(name)
    known.set(name, {text, etag})
    const headers = {
      'Content-Type': type,
      ETag: etag,
      'Cache-Control': 'no-cache',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
    }
    return c.req.header('if-none-match') === etag ? c.body(null, 304, headers) : c.body(text, 200, headers)
  })
}

function read(name: string): {text: string; etag: string} {
  const text = readFileSync(new URL(`../assets/${name}`, import.meta.url), 'utf8')
  return {text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`}
}
