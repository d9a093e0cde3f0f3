import {type Database, write} from '../files/sqlite.ts'

/**
 * Many requests, one synced commit: work that arrives in the same turn of the event loop shares a transaction. A
 * sync takes as long for a hundred rows as for one, and while it runs the next hundred arrive.
 */
export class BatchCommit {
  private readonly db: Database
  private waiting: {readonly begin: () => () => void; readonly reject: (error: unknown) => void}[] = []

  constructor(db: Database) {
    this.db = db
  }

  /**
   * Does `work` inside the shared transaction, and resolves with what it returned once that is committed and synced. Where the commit fails nothing of its
   * batch is kept and every one of them rejects (`storage_failed`, `locked`).
   */
  run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        const result = work()
        return () => resolve(result)
      }
      // After the turn in which data arrives, so that whatever has arrived is in the batch.
      if (this.waiting.push({begin, reject}) === 1) setImmediate(() => this.flush())
    })
  }

  private flush(): void {
    const batch = this.waiting
    this.waiting = []
    try {
      const callbacks = write(this.db, () => batch.map(({begin}) => begin()))
      for (const callback of callbacks) callback()
    } catch (error) {
      for (const {reject} of batch) reject(error)
    }
  }
}
