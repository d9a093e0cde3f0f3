import {Failure} from '../../core/failure.ts'
import type {Query} from '../query.ts'
import {Connection, connectWithinMs, type Row} from './connection.ts'
import {codeOf, failureOf, isLost, isUnanswered, unrecorded} from './failures.ts'
import type {DatabaseAddress} from './settings.ts'

export type {Row} from './connection.ts'

/** Statements of one transaction, or by themselves. */
export interface Reader {
  all(query: Query): Promise<Row[]>
}

export interface Transaction extends Reader {
  /** The same was tried before, and may be there. */
  readonly isRepeat: boolean
  one(query: Query): Promise<Row | undefined>
  /** How many rows it changed. */
  run(query: Query): Promise<number>
}

/**
 * No more than one transaction knows them: a pooler gives the connection to others. Whatever the role's defaults are, a
 * statement sees what was committed before it: what a claim read before it waited for its account would be old.
 */
const begin = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL synchronous_commit TO on; SET LOCAL lock_timeout TO '${connectWithinMs}ms';
  SET LOCAL statement_timeout TO '30s'; SET LOCAL idle_in_transaction_session_timeout TO '30s'`

/**
 * An opening that got no answer is not tried again for so long: a run has many uses of the journal, and each would wait
 * for it. The lease has run out by then.
 */
const reopenAfterMs = 60_000

/**
 * One connection, one transaction after the other. A connection that breaks is thrown away: no statement of a transaction
 * is ever sent on another one.
 */
export class SharedDatabase implements Reader {
  readonly address: DatabaseAddress
  private connection: Connection | null = null
  private away: {readonly why: unknown; readonly sinceMs: number} | null = null
  private isClosed = false
  private isNew = true
  private turn: Promise<unknown> = Promise.resolve()
  private readonly prepare: (reader: Reader) => Promise<void>

  /** `prepare` looks at each new connection before it is used. */
  constructor(address: DatabaseAddress, prepare: (reader: Reader) => Promise<void>) {
    this.address = address
    this.prepare = prepare
  }

  /** Reads. A broken connection is made again, once. */
  async all(query: Query): Promise<Row[]> {
    return await this.inTurn(async () => {
      try {
        return await (await this.connected()).all(query)
      } catch (error) {
        if (!isLost(error)) throw error
        this.throwAway()
        return await (await this.connected()).all(query)
      }
    })
  }

  /**
   * One transaction, durable when this resolves. If the answer to the COMMIT is lost, `findOut` looks in a new
   * transaction for its result; undefined: it did not happen, and `work` runs again. `repeat`: `work` may run twice.
   */
  async write<T>(
    work: (tx: Transaction) => Promise<T>,
    findOut?: 'repeat' | ((tx: Transaction) => Promise<T | undefined>),
  ): Promise<T> {
    return await this.inTurn(async () => {
      const first = await this.attempt(work)
      if (first.is === 'done') return first.value
      if (!findOut) throw unrecorded(this.address.name, first.why)
      const again = await this.attempt(
        findOut === 'repeat' ? work : async (tx) => (await findOut(tx)) ?? (await work(tx)),
        true,
      )
      if (again.is === 'done') return again.value
      throw unrecorded(this.address.name, again.why)
    })
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.turn.catch(() => undefined)
    const {connection} = this
    this.connection = null
    await connection?.end()
  }

  private async attempt<T>(
    work: (tx: Transaction) => Promise<T>,
    isRepeat = false,
    deadlocksMax = 3,
  ): Promise<{readonly is: 'done'; readonly value: T} | {readonly is: 'unknown'; readonly why: string}> {
    const connection = await this.begun()
    let isCommitting = false
    try {
      const value = await work(transactionOf(connection, isRepeat))
      connection.hasWarned = false
      isCommitting = true
      await connection.command('COMMIT')
      // A standby did not confirm it: the primary has it, and may be lost.
      if (connection.hasWarned) throw unrecorded(this.address.name, 'a standby did not confirm it')
      return {is: 'done', value}
    } catch (error) {
      if (isLost(error)) {
        this.throwAway()
        if (isCommitting) return {is: 'unknown', why: 'the connection broke before the answer'}
      } else if (!isCommitting) await connection.command('ROLLBACK').catch(() => this.throwAway())
      // Of two that waited for each other the database ended this one, and undid all of it.
      if (codeOf(error) === '40P01' && !isCommitting && deadlocksMax > 0)
        return await this.attempt(work, isRepeat, deadlocksMax - 1)
      throw error
    }
  }

  /** A connection that broke while nobody used it is made again. */
  private async begun(): Promise<Connection> {
    const connection = await this.connected()
    try {
      await connection.command(begin)
      return connection
    } catch (error) {
      this.throwAway()
      if (!isLost(error)) throw error
    }
    const next = await this.connected()
    await next.command(begin)
    return next
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.isClosed) throw new Failure('bug', 'The journal is closed.', 'Please report this.')
    const mine = this.turn.then(work)
    this.turn = mine.catch(() => undefined)
    try {
      return await mine
    } catch (error) {
      throw failureOf(error, this.address, this.isNew)
    }
  }

  private async connected(): Promise<Connection> {
    if (this.connection?.isGone) this.connection = null
    this.connection ??= await this.opened()
    this.isNew = false
    return this.connection
  }

  private async opened(): Promise<Connection> {
    if (this.away && performance.now() < this.away.sinceMs + reopenAfterMs) throw this.away.why
    try {
      return await Connection.open(this.address, this.prepare)
    } catch (error) {
      if (isUnanswered(error)) this.away = {why: error, sinceMs: performance.now()}
      throw error
    }
  }

  private throwAway(): void {
    this.connection?.destroy()
    this.connection = null
  }
}

function transactionOf(connection: Connection, isRepeat: boolean): Transaction {
  return {
    isRepeat,
    all: (query) => connection.all(query),
    one: async (query) => (await connection.all(query))[0],
    run: (query) => connection.run(query),
  }
}
