/** The servers of sandbox.bench.ts, each in a process of its own: `node sandbox-servers.ts KIND DIR`. */
import {randomUUID} from 'node:crypto'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'

import {serve} from '@hono/node-server'
import {Hono} from 'hono'

import {demonstrationMerchant} from '../../src/sandbox/merchants.ts'
import {assembleSandbox, startSandbox} from '../../src/sandbox/start.ts'
import {openDatabase, transact} from '../../src/sandbox/store/database.ts'
import {openDeliveryStore} from '../../src/sandbox/store/deliveries.ts'
import {type Ask, depositFields, post, signed} from '../sandbox/acting-merchant.ts'

const [kind = '', dir = '', returnUrl = '', webhooks = '0'] = process.argv.slice(2)

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

  /** A sandbox that makes a million orders by itself, and says how large it is on the way. */
  async growing() {
    const {app} = assembleSandbox({dataDir: dir}, () => 'http://127.0.0.1')
    const ask: Ask = (path, init) => app.request(path, init)
    void growTo(1_000_000, (orderNo) => post(ask, '/v1/pay/order/create', signed(depositFields({orderNo}))))
    return ''
  },

  /** A sandbox with this many webhooks due. */
  async webhooks() {
    const db = openDatabase(dir)
    const store = openDeliveryStore(db)
    transact(db, () => {
      for (let n = 1; n <= Number(webhooks); n += 1) {
        const {merchantId} = demonstrationMerchant
        const ids = {id: randomUUID(), orderId: randomUUID(), merchantOrderId: `D-${n}`, merchantId}
        const payload = JSON.stringify(signed(depositFields({orderNo: `D-${n}`})))
        store.insert({...ids, payload, url: returnUrl, event: 'order.completed', createdAtMs: n, dueAtMs: n})
      }
    })
    db.close()
    return (await startSandbox({port: 0, dataDir: dir})).url
  },
}

async function growTo(orders: number, create: (orderNo: string) => Promise<unknown>): Promise<void> {
  const atOnce = 50
  for (let n = 0; n < orders; ) {
    await Promise.all(Array.from({length: atOnce}, (_, index) => create(`D-${n + index}`)))
    n += atOnce
    if (n === 100_000 || n === orders) tellUsage()
  }
}

function tellUsage(): void {
  const {user, system} = process.cpuUsage()
  process.send?.({rssMb: Math.round(process.memoryUsage().rss / 2 ** 20), cpuMs: (user + system) / 1000})
}

const url = await started[kind]?.()
process.on('message', tellUsage)
process.send?.({url})
