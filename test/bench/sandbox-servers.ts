/** The servers of sandbox.bench.ts, each in a process of its own: `node sandbox-servers.ts KIND DIR`. */
import {randomBytes, randomUUID} from 'node:crypto'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'

import {serve} from '@hono/node-server'
import {Hono} from 'hono'

import {demonstrationMerchant} from '../../src/sandbox/merchants.ts'
import {assembleSandbox, startSandbox} from '../../src/sandbox/start.ts'
import {openStateDatabase, transact} from '../../src/sandbox/store/database.ts'
import {openDeliveryStore} from '../../src/sandbox/store/deliveries.ts'
import {type Ask, depositFields, post, signed} from '../sandbox/acting-merchant.ts'

const [kind = '', dir = '', returnUrl = '', webhooks = '0'] = process.argv.slice(2)

const started: Readonly<Record<string, () => Promise<string>>> = {
  /**
   * The least that gives the same answers: hono, one table with its two keys, a durable insert, a look-up. Nothing
   * is checked, neither fields nor signature, and a number that comes twice is an error.
   */
  async bare() {
    const db = new DatabaseSync(join(dir, 'bare.sqlite'))
    db.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE deposits (merchant_id TEXT, order_no TEXT, platform_order_no TEXT, pay_code TEXT UNIQUE,
        state TEXT DEFAULT 'processing', return_url TEXT, player_phone TEXT, player_ref TEXT,
        created_at INTEGER, UNIQUE (merchant_id, order_no)) STRICT`)
    const insert = db.prepare(
      `INSERT INTO deposits (merchant_id, order_no, platform_order_no, pay_code, return_url, player_phone, player_ref,
         created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    const find = db.prepare(
      `SELECT merchant_id AS merchantId, order_no AS orderNo, platform_order_no AS platformOrderNo, state AS status,
         player_ref AS playerRef FROM deposits WHERE merchant_id = ? AND order_no = ?`,
    )
    const app = new Hono()
    app.post('/v1/pay/order/create', async (c) => {
      const {merchantId, orderNo, returnUrl, playerPhone, playerRef} = await c.req.json()
      const [platformOrderNo, payCode] = [randomUUID(), randomBytes(9).toString('base64url')]
      const ids = [merchantId, orderNo, platformOrderNo, payCode] as const
      insert.run(...ids, returnUrl, playerPhone, playerRef, Date.now())
      const payUrl = `http://127.0.0.1/pay/${payCode}`
      return c.json({code: 0, data: {merchantId, orderNo, platformOrderNo, payCode, payUrl}})
    })
    app.post('/v1/pay/order/query', async (c) => {
      const {merchantId, orderNo} = await c.req.json()
      return c.json({code: 0, data: find.get(merchantId, orderNo)})
    })
    return await new Promise((resolve) => {
      serve({fetch: app.fetch, hostname: '127.0.0.1', port: 0}, ({port}) =>
        resolve(`http://127.0.0.1:${port}`),
      )
    })
  },

  sandbox: async () => (await startSandbox({port: 0, dataDir: dir})).url,

  /** A sandbox that makes a million orders by itself, and says how large it is on the way. */
  async growing() {
    const {apps} = assembleSandbox({dataDir: dir}, () => 'http://127.0.0.1')
    const ask: Ask = (path, init) => apps.deposits.request(path, init)
    void growTo(1_000_000, (orderNo) => post(ask, '/v1/pay/order/create', signed(depositFields({orderNo}))))
    return ''
  },

  /** A sandbox with this many webhooks due. */
  async webhooks() {
    const db = openStateDatabase(dir)
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
