import type {IncomingMessage, Server, ServerResponse} from 'node:http'
import type {Socket} from 'node:net'

export interface ConnectionLimits {
  readonly connectionsMax: number
  readonly connectionsPerAddressMax: number
  /** How long a connection may stay open between two requests, whatever it sends. */
  readonly waitMs: number
}

interface Connection {
  readonly address: string
  /** `coming`: headers received, not yet answered. `whole`: body received, being processed. */
  request: 'none' | 'coming' | 'whole'
  timer: NodeJS.Timeout | undefined
}

/**
 * Decides which connections stay. Without room, the oldest connection that has not brought a whole request gives way
 * to a new one, which may bring a webhook (P23): an attack that sends a byte at a time is older than the webhook.
 * Node itself ends a connection without a first request, but waits for the second as long as blank lines come.
 */
export class Connections {
  private readonly open = new Map<Socket, Connection>()
  private readonly limits: ConnectionLimits
  private readonly onDropped: () => void

  constructor(server: Server, limits: ConnectionLimits, onDropped: () => void) {
    this.limits = limits
    this.onDropped = onDropped
    server.on('connection', (socket: Socket) => this.admit(socket))
    // Before the handler, which ignores closed connections.
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
      this.watch(request, response),
    )
  }

  private admit(socket: Socket): void {
    const address = networkOf(socket.remoteAddress ?? '')
    const connection: Connection = {address, request: 'none', timer: undefined}
    this.open.set(socket, connection)
    socket.once('close', () => {
      clearTimeout(connection.timer)
      this.open.delete(socket)
    })
    const {connectionsMax, connectionsPerAddressMax} = this.limits
    const ofAddress = [...this.open].filter(([, {address: other}]) => other === address)
    if (ofAddress.length > connectionsPerAddressMax) this.dropOneOf(ofAddress)
    else if (this.open.size > connectionsMax) this.dropOneOf([...this.open])
  }

  /** The oldest that is not being processed; the newest, if all others are. */
  private dropOneOf(candidates: readonly (readonly [Socket, Connection])[]): void {
    candidates.find(([, {request}]) => request !== 'whole')?.[0].destroy()
    this.onDropped()
  }

  private wait(socket: Socket, connection: Connection): void {
    connection.timer = setTimeout(() => socket.destroy(), this.limits.waitMs)
  }

  private watch(request: IncomingMessage, response: ServerResponse): void {
    const {socket} = request
    const connection = this.open.get(socket)
    if (!connection) return
    clearTimeout(connection.timer)
    // No service sends a second webhook before the first is answered, and hundreds at once would delay others.
    if (connection.request !== 'none') return void socket.destroy()
    connection.request = 'coming'
    request.once('end', () => {
      connection.request = 'whole'
    })
    response.once('close', () => {
      connection.request = 'none'
      if (!socket.destroyed) this.wait(socket, connection)
    })
  }
}

/** Whoever has one IPv6 address has all with the same prefix. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const groupsOf = (text: string) => text.split(':').filter((group) => group !== '')
  const zeros = ':0'.repeat(8 - groupsOf(address).length)
  return groupsOf(address.replace('::', `${zeros}:`))
    .slice(0, 4)
    .join(':')
}
