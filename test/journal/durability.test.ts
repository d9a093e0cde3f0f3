import {readFileSync} from 'node:fs'
import {join} from 'node:path'

import {describe, expect, test} from 'vitest'
import {openDatabase, write} from '../../src/files/sqlite.ts'
import {openJournal} from '../../src/journal/journal.ts'
import {tempDir} from '../temp-dir.ts'
import {isPossible, kill, runShell, startChild} from './run-child.ts'
import {claimed, exhaustedDelivery, live, orderId} from './sample.ts'

const canTrace = isPossible('strace -f -o /dev/null true')
const canMount = isPossible('unshare --mount sh -c "mount -t tmpfs none /mnt"')

/** Runs an action of the child on a disk of 384 kB; what it left there is in `kept` afterwards. */
function onSmallDisk(before: string, action: string): {said: string; disk: string; kept: string} {
  const dir = tempDir()
  const {said} = runShell(
    `mkdir "$DATA/disk" "$DATA/kept"
     unshare --mount sh -c '
       mount -t tmpfs -o size=384k none "$DATA/disk" && ${before} "$NODE" "$CHILD" ${action} "$DATA/disk"
       cp -r "$DATA/disk/." "$DATA/kept"'`,
    dir,
  )
  return {said, disk: join(dir, 'disk'), kept: join(dir, 'kept')}
}

describe('write, sync, send (P3)', () => {
  test('an intent outlives a SIGKILL right after it was recorded, and counts as in doubt (P15)', async () => {
    const dir = tempDir()
    const {child, said} = await startChild('intent', dir)
    await kill(child)
    const journal = openJournal(dir, live)
    expect(await journal.resendsOfRun('run-1')).toEqual([
      {
        isOnItsWay: false,
        ...exhaustedDelivery,
        id: said.id,
        by: null,
        state: 'intent',
        skewMs: 0,
        sentAtMs: null,
        responseCode: null,
        detail: null,
      },
    ])
    expect((await journal.resendHistory()).earlier(orderId, 'order.completed', null)?.state).toBe('unknown')
    expect((await journal.findRun('run-1'))?.status).toBe('running')
    await journal.resumeRun('run-1')
    await expect(claimed(journal, exhaustedDelivery)).rejects.toThrow(/second resend/)
    await journal.close()
  })

  test.skipIf(!canTrace)('each commit is synced to the disk (counted with strace)', () => {
    const dir = tempDir()
    const trace = join(dir, 'trace')
    const {status} = runShell(
      `exec strace -f -e trace=fsync,fdatasync -o "${trace}" "$NODE" "$CHILD" twenty "$DATA"`,
      dir,
    )
    expect(status).toBe(0)
    const syncs = readFileSync(trace, 'utf8').match(/f(data)?sync\(/g) ?? []
    // One for the run, one for each of the twenty intents.
    expect(syncs.length).toBeGreaterThanOrEqual(21)
  })

  test('two connections to one journal wait for each other and both get in', async () => {
    const dir = tempDir()
    const one = openJournal(dir, live)
    const two = openJournal(dir, live)
    await one.startRun({id: 'a', command: 'resend', startedAtMs: 1, options: '{}', reportDir: null})
    await two.startRun({id: 'b', command: 'resend', startedAtMs: 2, options: '{}', reportDir: null})
    expect((await one.listRuns(9)).map(({id}) => id)).toEqual(['b', 'a'])
    await one.close()
    await two.close()
  })
})

describe('a disk that says no (P16)', () => {
  test('a file-size limit: storage_failed, and every intent that was promised is there', async () => {
    const dir = tempDir()
    const {said} = runShell('ulimit -f 512; exec "$NODE" "$CHILD" fill "$DATA"', dir)
    await expectEveryPromiseKept(JSON.parse(said), dir)
  })

  test.skipIf(!canMount)(
    'a full disk: storage_failed, and every intent that was promised is there',
    async () => {
      const {said, kept} = onSmallDisk('', 'fill')
      await expectEveryPromiseKept(JSON.parse(said), kept)
    },
  )

  test.skipIf(!canMount)('a read-only disk: storage_failed before anything', () => {
    const {said, disk} = onSmallDisk('mount -o remount,ro "$DATA/disk" &&', 'open')
    expect(JSON.parse(said)).toMatchObject({
      code: 'storage_failed',
      message: expect.stringContaining(join(disk, 'journal')),
      hint: expect.stringContaining('HISAB_DATA_DIR'),
    })
  })

  test('a data directory that cannot be is a storage failure that names it', () => {
    expect(() => openJournal('/dev/null/hisab', live)).toThrow(
      expect.objectContaining({code: 'storage_failed', message: expect.stringContaining('/dev/null/hisab')}),
    )
  })

  test('a journal another process keeps busy is `locked`, not a raw error', () => {
    const dir = tempDir()
    const path = join(dir, 'busy.db')
    const holder = openDatabase(path, 0)
    holder.sql.exec('BEGIN EXCLUSIVE')
    const other = openDatabase(path, 0)
    expect(() => write(other, () => undefined)).toThrow(expect.objectContaining({code: 'locked'}))
    holder.sql.close()
    other.sql.close()
  })
})

async function expectEveryPromiseKept(said: Record<string, unknown>, dir: string): Promise<void> {
  expect(said).toMatchObject({code: 'storage_failed', promised: expect.any(Number)})
  expect(said.promised).toBeGreaterThan(0)
  expect(said.hint).toMatch(/space/)
  const journal = openJournal(dir, live)
  const orders = (await journal.resendsOfRun('run-1')).map((row) => row.orderId)
  await journal.close()
  const promised = Array.from({length: Number(said.promised)}, (_, n) => `order-${n}`)
  // The one that was being written down when the disk said no may be there: it was not promised, and not sent.
  expect(orders.slice(0, promised.length)).toEqual(promised)
  expect(orders.length - promised.length).toBeLessThanOrEqual(1)
}
