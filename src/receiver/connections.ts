import type {IncomingMessage, Server, ServerResponse} from 'node:http'
import type {Socket} from 'node:net'

export interface ConnectionLimits {
  /** Connections at once. */
  readonly connectionsMax: number
  /** Of them from one address: strangers must not fill the receiver. */
  readonly connectionsPerAddressMax: number
  /** How long one may be open without a request, whatever it sends. */
  readonly waitMs: number
}

interface Connection {
  readonly address: string
  /** Requests whose headers came and whose answer is not out. */
  requests: number
  /** Of them those whose body came whole: they are worked on. */
  whole: number
  timer: NodeJS.Timeout | undefined
}

/**
 * Who may stay connected. Where there is no room, the oldest connection that has not brought a whole request gives way to a
 * new one, which may bring a webhook (P23): a crowd that sends a byte at a time is older than the webhook that comes. Node's
 * own limits count from the first byte of a request, and blank lines begin none.
 */
export class Connections {
  private readonly open = new Map<Socket, Connection>()
  private readonly limits: ConnectionLimits
  private readonly onDropped: () => void

  constructor(server: Server, limits: ConnectionLimits, onDropped: () => void) {
    this.limits = limits
    this.onDropped = onDropped
    server.on('connection', (socket: Socket) => this.admit(socket))
    // Before the handler, which takes nothing from a connection that is over.
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
      this.watch(request, response),
    )
  }

  private admit(socket: Socket): void {
    const address = networkOf(socket.remoteAddress ?? '')
    const connection: Connection = {address, requests: 0, whole: 0, timer: undefined}
    this.open.set(socket, connection)
    socket.once('close', () => {
      clearTimeout(connection.timer)
      this.open.delete(socket)
    })
    this.wait(socket, connection)
    const {connectionsMax, connectionsPerAddressMax} = this.limits
    const ofAddress = [...this.open].filter(([, {address: other}]) => other === address)
    if (ofAddress.length > connectionsPerAddressMax) this.drop(ofAddress, socket)
    else if (this.open.size > connectionsMax) this.drop([...this.open], socket)
  }

  /** One of `candidates`, the oldest first; the newest itself where all others are worked on. */
  private drop(candidates: readonly (readonly [Socket, Connection])[], newest: Socket): void {
    const [socket] = candidates.find(([socket, {whole}]) => socket !== newest && whole === 0) ?? [newest]
    socket.destroy()
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
    // No service sends a second webhook before the answer to the first, and hundreds at once keep others waiting.
    if (connection.requests > 0) return void socket.destroy()
    connection.requests += 1
    let isWhole = false
    request.once('end', () => {
      isWhole = true
      connection.whole += 1
    })
    response.once('close', () => {
      connection.requests -= 1
      if (isWhole) connection.whole -= 1
      if (connection.requests === 0 && !socket.destroyed) this.wait(socket, connection)
    })
  }
}

/** Whoever has one address of IPv6 has all that begin as it does. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const [left = [], right = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array.from({length: 8 - left.length - right.length}, () => '0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
