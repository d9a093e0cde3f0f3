import type {DatabaseSync} from 'node:sqlite'

import {transact} from './database.ts'

interface Piece {
  readonly work: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

export type GroupCommit = ReturnType<typeof openGroupCommit>

export function openGroupCommit(db: DatabaseSync) {
  let pieces: Piece[] = []
  let pending: (() => void)[] | null = null

  function commit(): void {
    const group = pieces
    pieces = []
    const callbacks: (() => void)[] = []
    pending = callbacks
    try {
      transact(db, () => {
        for (const piece of group) runPiece(db, piece, callbacks)
      })
    } catch (error) {
      // The commit failed: nothing of the group was stored.
      for (const {reject} of group) reject(error)
      return
    } finally {
      pending = null
    }
    for (const callback of callbacks) callback()
  }

  return {
    /** Resolves when `work` is on the disk. Rejects with what it threw, and then nothing of it is stored. */
    run<T>(work: () => T): Promise<T> {
      const {promise, resolve, reject} = Promise.withResolvers<T>()
      if (pieces.push({work, resolve: resolve as Piece['resolve'], reject}) === 1) setImmediate(commit)
      return promise
    },
    /** Called when the current work is on the disk, at once if there is none. */
    afterCommit(callback: () => void): void {
      if (pending) pending.push(callback)
      else callback()
    },
  }
}

/** One piece, all or nothing, inside the group's transaction. */
function runPiece(db: DatabaseSync, {work, resolve, reject}: Piece, callbacks: (() => void)[]): void {
  const before = callbacks.length
  db.exec('SAVEPOINT piece')
  try {
    const result = work()
    db.exec('RELEASE piece')
    callbacks.push(() => resolve(result))
  } catch (error) {
    // With a full disk SQLite undoes the whole transaction: nothing of the group is stored.
    if (!db.isTransaction) throw error
    db.exec('ROLLBACK TO piece; RELEASE piece')
    callbacks.length = before
    callbacks.push(() => reject(error))
  }
}
