/** How long the console's pages take with many orders: `node test/bench/console.bench.ts [ORDERS]`. */
import {randomBytes, randomUUID} from 'node:crypto'
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import {sandboxMerchantId} from '../../src/core/profile.ts'
import {startSandbox} from '../../src/sandbox/start.ts'
import {openStateDatabase, transact} from '../../src/sandbox/store/database.ts'
import {openOrderStore} from '../../src/sandbox/store/orders.ts'

const orders = Number(process.argv[2] ?? 100_000)
const rounds = 30
const dir = mkdtempSync(join(tmpdir(), 'hisab-bench-'))
const dataDir = join(dir, 'state')

const db = openStateDatabase(dataDir)
const store = openOrderStore(db)
transact(db, () => {
  for (let n = 1; n <= orders; n += 1) {
    store.insertDeposit({
      merchantId: sandboxMerchantId,
      orderNo: `D-${n}`,
      platformOrderNo: randomUUID(),
      payCode: randomBytes(9).toString('base64url'),
      returnUrl: 'http://127.0.0.1:9/hook',
      playerPhone: `017${String(n).padStart(8, '0')}`,
      playerRef: `player-${n}`,
      isTest: false,
      createdAtMs: n,
    })
  }
  db.exec(`UPDATE deposits SET state = 'failed', finished_at = 1 WHERE seq % 10000 = 1`)
})
db.close()

const sandbox = await startSandbox({port: 0, dataDir})
const pages: readonly (readonly [name: string, path: string])[] = [
  ['first page', 'orders'],
  ['in the middle', `orders?before=${Math.floor(orders / 2)}`],
  ['last page', 'orders?before=51'],
  ['the few that failed', 'orders?state=failed'],
  ['search: order number', `orders?q=D-${Math.floor(orders / 3)}`],
  ['search: telephone', `orders?q=017${String(Math.floor(orders / 3)).padStart(8, '0')}`],
  ['search: nothing there', 'orders?q=nothing'],
]
console.log(`${orders.toLocaleString('en')} deposits; median and slowest of ${rounds}, in ms`)
for (const [name, path] of pages) {
  const times: number[] = []
  for (let n = 0; n < rounds; n += 1) {
    const start = performance.now()
    await (await fetch(`${sandbox.consoleUrl}/${path}`)).text()
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  console.log(
    `${name.padEnd(24)} ${times[rounds >> 1]?.toFixed(1).padStart(7)} ${times.at(-1)?.toFixed(1).padStart(7)}`,
  )
}
await sandbox.close()
rmSync(dir, {recursive: true})
