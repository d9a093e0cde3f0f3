import {Client, types} from 'pg'

import {Failure} from '../../core/failure.ts'
import {failureOf, isLost, unrecorded} from './failures.ts'
import type {DatabaseAddress} from './settings.ts'
import type {Query} from './sql.ts'

export type Row = Record<string, unknown>

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

const timeoutMs = 10_000
/**
 * No more than one transaction knows them: a pooler gives the connection to others. Whatever the role's defaults are, a
 * statement sees what was committed before it: what a claim read before it waited for its account would be old.
 */
const begin = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL synchronous_commit TO on; SET LOCAL lock_timeout TO '${timeoutMs}ms';
  SET LOCAL statement_timeout TO '30s'; SET LOCAL idle_in_transaction_session_timeout TO '30s'`
const queryTimeoutMs = 35_000

const int8 = 20

/**
 * One connection, one transaction after the other. A connection that breaks is thrown away: no statement of a transaction
 * is ever sent on another one.
 */
export class SharedDatabase implements Reader {
  readonly address: DatabaseAddress
  private client: Client | null = null
  private warned = false
  private isClosed = false
  private isNew = true
  private turn: Promise<unknown> = Promise.resolve()
  private readonly prepare: (client: Client) => Promise<void>

  /** `prepare` looks at each new connection before it is used. */
  constructor(address: DatabaseAddress, prepare: (reader: Reader) => Promise<void>) {
    this.address = address
    this.prepare = (client) => prepare({all: (query) => rowsOf(client, query)})
  }

  /** Reads. A broken connection is made again, once. */
  async all(query: Query): Promise<Row[]> {
    return await this.inTurn(async () => {
      try {
        return await rowsOf(await this.connected(), query)
      } catch (error) {
        if (!isLost(error)) throw error
        await this.throwAway()
        return await rowsOf(await this.connected(), query)
      }
    })
  }

  /**
   * One write, whole or not at all, and durable when this resolves. Where the answer to the COMMIT is lost, `settle` asks
   * in a new transaction what became of it, once the old one has ended; undefined: it never was, and `work` is done again.
   * `repeat`: the work is the same the second time.
   */
  async write<T>(
    work: (tx: Transaction) => Promise<T>,
    settle?: 'repeat' | ((tx: Transaction) => Promise<T | undefined>),
  ): Promise<T> {
    return await this.inTurn(async () => {
      const first = await this.attempt(work)
      if (first.is === 'done') return first.value
      if (!settle) throw unrecorded(this.address.name, first.why)
      const again = await this.attempt(
        settle === 'repeat' ? work : async (tx) => (await settle(tx)) ?? (await work(tx)),
        true,
      )
      if (again.is === 'done') return again.value
      throw unrecorded(this.address.name, again.why)
    })
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.turn.catch(() => undefined)
    const {client} = this
    this.client = null
    await client?.end().catch(() => undefined)
  }

  private async attempt<T>(
    work: (tx: Transaction) => Promise<T>,
    isRepeat = false,
  ): Promise<{readonly is: 'done'; readonly value: T} | {readonly is: 'unknown'; readonly why: string}> {
    const client = await this.begun()
    let isCommitting = false
    try {
      const value = await work(transactionOf(client, isRepeat))
      this.warned = false
      isCommitting = true
      await client.query('COMMIT')
      // A standby did not confirm it: the primary has it, and may be lost.
      if (this.warned) throw unrecorded(this.address.name, 'a standby did not confirm it')
      return {is: 'done', value}
    } catch (error) {
      if (isLost(error)) {
        await this.throwAway()
        if (isCommitting) return {is: 'unknown', why: 'the connection broke before the answer'}
      } else if (!isCommitting) await client.query('ROLLBACK').catch(() => this.throwAway())
      throw error
    }
  }

  /** A connection that broke while nobody used it is made again. */
  private async begun(): Promise<Client> {
    const isOld = this.client !== null
    const client = await this.connected()
    try {
      await client.query(begin)
      return client
    } catch (error) {
      await this.throwAway()
      if (!isOld || !isLost(error)) throw error
    }
    const next = await this.connected()
    await next.query(begin)
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

  private async connected(): Promise<Client> {
    if (this.client) return this.client
    const {host, port, database, user, password, tls, answerWithinMs = queryTimeoutMs} = this.address
    const client = new Client({
      ...{host, port, database, user, password, application_name: 'hisab'},
      ...{
        connectionTimeoutMillis: Math.min(timeoutMs, answerWithinMs),
        query_timeout: answerWithinMs,
        keepAlive: true,
      },
      ssl: tls === null ? false : {rejectUnauthorized: true, servername: host, ...(tls.ca && {ca: tls.ca})},
      types: {
        getTypeParser: (oid) => (oid === int8 ? Number : types.getTypeParser(oid)),
      },
    })
    client.on('error', () => {
      if (this.client === client) this.client = null
    })
    client.on('notice', ({severity}) => {
      if (severity === 'WARNING') this.warned = true
    })
    await client.connect()
    try {
      await this.prepare(client)
    } catch (error) {
      await client.end().catch(() => undefined)
      throw error
    }
    this.client = client
    this.isNew = false
    return client
  }

  /** Its socket too: one that swallows everything answers no farewell. */
  private async throwAway(): Promise<void> {
    const {client} = this
    this.client = null
    if (!client) return
    const {connection} = client as Client & {connection?: {stream?: {destroy(): void}}}
    connection?.stream?.destroy()
  }
}

async function rowsOf(client: Client, {text, values}: Query): Promise<Row[]> {
  return (await client.query(text, [...values])).rows
}

function transactionOf(client: Client, isRepeat: boolean): Transaction {
  return {
    isRepeat,
    all: (query) => rowsOf(client, query),
    one: async (query) => (await rowsOf(client, query))[0],
    run: async ({text, values}) => (await client.query(text, [...values])).rowCount ?? 0,
  }
}
