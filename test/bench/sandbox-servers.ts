/** The servers of sandbox.bench.ts, each in a process of its own: `node sandbox-servers.ts bare|sandbox DIR`. */
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'

import {serve} from '@hono/node-server'
import {Hono} from 'hono'

import {startSandbox} from '../../src/sandbox/start.ts'

const [kind = '', dir = ''] = process.argv.slice(2)

const started: Readonly<Record<string, () => Promise<string>>> = {
  /** What a service costs at the least: hono, one table with one key, a durable insert, a look-up. */
  async bare() {
    const db = new DatabaseSync(join(dir, 'bare.sqlite'))
    db.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE orders (order_no TEXT PRIMARY KEY, return_url TEXT, player_phone TEXT, player_ref TEXT) STRICT`)
    const insert = db.prepare('INSERT OR IGNORE INTO orders VALUES (?, ?, ?, ?)')
    const find = db.prepare(
      'SELECT order_no AS orderNo, player_ref AS playerRef FROM orders WHERE order_no = ?',
    )
    const app = new Hono()
    app.post('/v1/pay/order/create', async (c) => {
      const {orderNo, returnUrl, playerPhone, playerRef} = await c.req.json()
      insert.run(orderNo, returnUrl, playerPhone, playerRef)
      return c.json({code: 0, data: {orderNo}})
    })
    app.post('/v1/pay/order/query', async (c) =>
      c.json({code: 0, data: find.get((await c.req.json()).orderNo)}),
    )
    return await new Promise((resolve) => {
      serve({fetch: app.fetch, hostname: '127.0.0.1', port: 0}, ({port}) =>
        resolve(`http://127.0.0.1:${port}`),
      )
    })
  },
  sandbox: async () => (await startSandbox({port: 0, dataDir: dir})).url,
}

const url = await started[kind]?.()
process.on('message', () => process.send?.({rssMb: Math.round(process.memoryUsage().rss / 2 ** 20)}))
process.send?.({url})
