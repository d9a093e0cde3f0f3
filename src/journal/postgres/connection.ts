import {Client, types} from 'pg'
import type {Query} from '../query.ts'
import type {DatabaseAddress} from './settings.ts'

export type Row = Record<string, unknown>

/** How long a connection, and a lock, are waited for. */
export const connectWithinMs = 10_000
/** An answer comes later than the server itself would end the statement. */
const answerWithinMs = 35_000
/** Everything was acknowledged by then: only a farewell is waited for. */
const endWithinMs = 2_000

const int8 = 20

/** One connection to the database. Whoever made it throws it away where it breaks. */
export class Connection {
  private readonly client: Client
  /** The server warned of something, as of a standby that did not confirm a COMMIT. */
  hasWarned = false
  isGone = false

  private constructor({answerWithinMs: within = answerWithinMs, ...address}: DatabaseAddress) {
    const {host, port, database, user, password, tls} = address
    this.client = new Client({
      ...{host, port, database, user, password, application_name: 'hisab'},
      ...{connectionTimeoutMillis: Math.min(connectWithinMs, within), query_timeout: within, keepAlive: true},
      ssl: tls === null ? false : {rejectUnauthorized: true, servername: host, ...(tls.ca && {ca: tls.ca})},
      types: {getTypeParser: (oid) => (oid === int8 ? Number : types.getTypeParser(oid))},
    })
    this.client.on('error', () => {
      this.isGone = true
    })
    this.client.on('notice', ({severity}) => {
      if (severity === 'WARNING') this.hasWarned = true
    })
  }

  /** `prepare` looks at it before it is used. */
  static async open(
    address: DatabaseAddress,
    prepare: (connection: Connection) => Promise<void>,
  ): Promise<Connection> {
    const connection = new Connection(address)
    await connection.client.connect()
    try {
      await prepare(connection)
      return connection
    } catch (error) {
      await connection.end()
      throw error
    }
  }

  async all({text, values}: Query): Promise<Row[]> {
    return (await this.client.query(text, [...values])).rows
  }

  /** How many rows it changed. */
  async run({text, values}: Query): Promise<number> {
    return (await this.client.query(text, [...values])).rowCount ?? 0
  }

  /** Several statements at once, without values. */
  async command(text: string): Promise<void> {
    await this.client.query(text)
  }

  /** With its socket: one that swallows everything answers no farewell. */
  destroy(): void {
    this.isGone = true
    const {connection} = this.client as Client & {connection?: {stream?: {destroy(): void}}}
    connection?.stream?.destroy()
  }

  async end(): Promise<void> {
    const tooLong = setTimeout(() => this.destroy(), endWithinMs)
    await this.client.end().catch(() => undefined)
    clearTimeout(tooLong)
  }
}
