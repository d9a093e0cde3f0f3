/**
 * A process for tests that kill it, trace it or take its disk away: `node child.ts ACTION DATA_DIR`. It says
 * what it did as one line of JSON.
 */
import {writeFileSync} from 'node:fs'

import {Failure} from '../../src/core/failure.ts'
import {writeFileAtomically} from '../../src/files/private-files.ts'
import {openJournal} from '../../src/journal/journal.ts'
import {acquireRunLock} from '../../src/journal/lock.ts'
import {claimed, exhaustedDelivery, live, nightlyRun} from './sample.ts'

const [action = '', dataDir = ''] = process.argv.slice(2)

const actions: Record<string, () => void> = {
  /** Takes the lock and keeps it until it is killed. */
  lock() {
    acquireRunLock(dataDir, live)
    say({holds: true})
    setInterval(() => undefined, 60_000)
  },
  /** Tries for the lock once. */
  'try-lock'() {
    try {
      acquireRunLock(dataDir, live)
      say({holds: true})
    } catch (error) {
      say(spelled(error))
    }
  },
  /** Commits one intent, settles nothing, and waits to be killed. */
  async intent() {
    const journal = openJournal(dataDir, live)
    await journal.startRun(nightlyRun)
    say({id: await claimed(journal, exhaustedDelivery)})
    setInterval(() => undefined, 60_000)
  },
  /** Twenty intents, for whoever counts the syncs. */
  async twenty() {
    const journal = openJournal(dataDir, live)
    await journal.startRun(nightlyRun)
    for (let n = 0; n < 20; n += 1)
      await claimed(journal, {...exhaustedDelivery, orderId: `order-${n}`, orderNo: `D-${n}`})
    await journal.close()
  },
  /** Intents until the disk is full; says how many were promised, and what the failure was. */
  async fill() {
    let promised = 0
    try {
      const journal = openJournal(dataDir, live)
      await journal.startRun(nightlyRun)
      for (; promised < 20_000; promised += 1) {
        await claimed(journal, {...exhaustedDelivery, orderId: `order-${promised}`, orderNo: `D-${promised}`})
      }
    } catch (error) {
      say({promised, ...spelled(error)})
      process.kill(process.pid, 'SIGKILL')
    }
  },
  /** Replaces a report by one that does not fit. */
  report() {
    try {
      writeFileAtomically(`${dataDir}/report.json`, 'x'.repeat(64 * 1024 * 1024))
    } catch (error) {
      say(spelled(error))
    }
  },
  /** Opens the journal where nothing can be written. */
  open() {
    try {
      openJournal(dataDir, live)
    } catch (error) {
      say(spelled(error))
    }
  },
}

function spelled(error: unknown): Record<string, unknown> {
  if (!(error instanceof Failure)) return {raw: String(error)}
  return {code: error.code, message: error.message, hint: error.hint}
}

/** Synchronous, so that the line is out before a SIGKILL. */
function say(what: unknown): void {
  writeFileSync(1, `${JSON.stringify(what)}\n`)
}

actions[action]?.()
