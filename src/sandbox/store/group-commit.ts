import type {DatabaseSync} from 'node:sqlite'

import {transact} from './database.ts'

/** Several pieces of work under one commit: a disk syncs once for all who ask in the same turn of the event loop. */
export interface GroupCommit {
  /** Resolves once `work` is on the disk; rejects with what it threw, and then nothing of it is kept. */
  run<T>(work: () => T): Promise<T>
  /** Called once the current work is on disk, or at once if there is none: only stored work is reported. */
  afterCommit(callback: () => void): void
}

interface Piece {
  readonly work: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

export function openGroupCommit(db: DatabaseSync): GroupCommit {
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
      // The commit itself failed: nothing of the group was kept, and nobody is told.
      for (const {reject} of group) reject(error)
      return
    } finally {
      pending = null
    }
    for (const callback of callbacks) callback()
  }

  return {
    run<T>(work: () => T): Promise<T> {
      const {promise, resolve, reject} = Promise.withResolvers<T>()
      if (pieces.push({work, resolve: resolve as Piece['resolve'], reject}) === 1) setImmediate(commit)
      return promise
    },
    afterCommit(callback) {
      if (pending) pending.push(callback)
      else callback()
    },
  }
}

/** One piece, whole or not at all, inside the group's transaction; what is to be told of it goes into `settle`. */
function runPiece(db: DatabaseSync, {work, resolve, reject}: Piece, callbacks: (() => void)[]): void {
  const before = callbacks.length
  db.exec('SAVEPOINT piece')
  try {
    const result = work()
    db.exec('RELEASE piece')
    callbacks.push(() => resolve(result))
  } catch (error) {
    // With a full disk SQLite has undone the whole transaction by itself: nothing of the group is kept.
    if (!db.isTransaction) throw error
    db.exec('ROLLBACK TO piece; RELEASE piece')
    callbacks.length = before
    callbacks.push(() => reject(error))
  }
}
