import type {DatabaseSync} from 'node:sqlite'

import {transact} from './database.ts'

/** Several pieces of work under one commit: a disk syncs once for all who ask in the same turn of the event loop. */
export interface GroupCommit {
  /** Resolves once `work` is on the disk; rejects with what it threw, and then nothing of it is kept. */
  run<T>(work: () => T): Promise<T>
  /** Told once the work under way is on the disk, or at once where none is: only what is kept is told. */
  afterCommit(tell: () => void): void
}

interface Piece {
  readonly work: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

export function openGroupCommit(db: DatabaseSync): GroupCommit {
  let pieces: Piece[] = []
  let told: (() => void)[] | null = null

  function commit(): void {
    const group = pieces
    pieces = []
    const settle: (() => void)[] = []
    told = settle
    try {
      transact(db, () => {
        for (const piece of group) runPiece(db, piece, settle)
      })
    } catch (error) {
      // The commit itself failed: nothing of the group was kept, and nobody is told.
      for (const {reject} of group) reject(error)
      return
    } finally {
      told = null
    }
    for (const tell of settle) tell()
  }

  return {
    run<T>(work: () => T): Promise<T> {
      const {promise, resolve, reject} = Promise.withResolvers<T>()
      if (pieces.push({work, resolve: resolve as Piece['resolve'], reject}) === 1) setImmediate(commit)
      return promise
    },
    afterCommit(tell) {
      if (told) told.push(tell)
      else tell()
    },
  }
}

/** One piece, whole or not at all, inside the group's transaction; what is to be told of it goes into `settle`. */
function runPiece(db: DatabaseSync, {work, resolve, reject}: Piece, settle: (() => void)[]): void {
  const before = settle.length
  db.exec('SAVEPOINT piece')
  try {
    const result = work()
    db.exec('RELEASE piece')
    settle.push(() => resolve(result))
  } catch (error) {
    db.exec('ROLLBACK TO piece; RELEASE piece')
    settle.length = before
    settle.push(() => reject(error))
  }
}
