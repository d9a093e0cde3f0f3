/** The two sides of receiver.bench.ts, each in a process of its own: `node receiver-servers.ts SIDE DATA_DIR`. */
import type {AddressInfo} from 'node:net'

import {createAdaptorServer} from '@hono/node-server'
import {Hono} from 'hono'

import {defaultDialect} from '../../src/core/dialect.ts'
import {sandboxCredentials, sandboxMerchantId} from '../../src/core/profile.ts'
import {openInbox} from '../../src/receiver/inbox.ts'
import {startReceiver} from '../../src/receiver/receiver.ts'

const [side, dataDir = ''] = process.argv.slice(2)

/** Reads the body and answers: no signature, no store. */
function serveBare(): Promise<string> {
  const app = new Hono()
  app.post('/webhook', async (c) => {
    await c.req.arrayBuffer()
    return c.json({received: true})
  })
  const server = createAdaptorServer({fetch: app.fetch, hostname: '127.0.0.1'})
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`),
    )
  })
}

async function serveReceiver(): Promise<string> {
  const rules = {merchantId: sandboxMerchantId, dialect: defaultDialect, keys: sandboxCredentials}
  const inbox = openInbox({dataDir, account: {environment: 'sandbox', merchantId: sandboxMerchantId}})
  const {url} = await startReceiver({
    ...{rules, inbox, forwarder: null, hostnames: [], host: '127.0.0.1', port: 0, path: '/webhook'},
    now: Date.now,
    onNotice: () => undefined,
  })
  return url
}

process.stdout.write(`${await (side === 'bare' ? serveBare() : serveReceiver())}\n`)
