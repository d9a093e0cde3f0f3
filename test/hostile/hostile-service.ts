import {type AddressInfo, connect, createServer, type Server, type Socket} from 'node:net'
import {createServer as createTlsServer} from 'node:tls'
import type {Books, Work} from './books.ts'
import {type Certificates, type IdentityName, proxiedHost} from './certificates.ts'
import type {Addresses, Door, Fault} from './fault.ts'
import {HonestService, type Operation, operationOf} from './honest-service.ts'
import {type HttpRequest, readRequests, send} from './wire.ts'

/** The three addresses a profile has: the two APIs are on different hosts, and the legacy API may be on a third. */
export type Origin = 'deposit' | 'payout' | 'legacy'

export function originOf(operation: Operation): Origin {
  if (operation.startsWith('deposit')) return 'deposit'
  return operation.startsWith('payout') ? 'payout' : 'legacy'
}

/** What a service came to see; a request that was cut off before it was read has no body. */
export interface SeenCall {
  readonly operation: Operation
  readonly request: HttpRequest | null
  readonly isSpoilt: boolean
}

/** A proxy after it has read a CONNECT. */
function tunnel(socket: Socket, does: 'tunnels' | 'refuses' | 'is silent', port: number): void {
  if (does === 'refuses')
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')
  if (does !== 'tunnels') return
  const service = connect(port, 'localhost', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    socket.pipe(service).pipe(socket)
  })
  service.on('error', () => socket.destroy())
  socket.on('close', () => service.destroy())
}

/**
 * The documented service on loopback sockets, with one fault: at the calls of `target` (null: at every call), or in how
 * the target's address takes connections. `work` says whether a write that meets the fault is done.
 */
export class HostileService {
  readonly seen: SeenCall[] = []
  /** Connections to the origin nobody configured. */
  strayConnections = 0
  private readonly honest = new HonestService()
  private readonly fault: Fault
  private readonly target: Operation | null
  private readonly workAtFault: Work
  private isMended = false
  private readonly servers: Server[] = []
  private readonly sockets = new Set<Socket>()
  private readonly addresses = new Map<Origin, string>()
  private readonly at = {proxy: '', elsewhere: ''}

  constructor(fault: Fault, target: Operation | null, work: Work) {
    this.fault = fault
    this.target = target
    this.workAtFault = work
  }

  get books(): Books {
    return this.honest.books
  }

  /** From now on nothing is wrong with any call; an address stays what it is. */
  mend(): void {
    this.isMended = true
    this.seen.length = 0
  }

  async open(certificates: Certificates | null): Promise<this> {
    for (const origin of ['deposit', 'payout', 'legacy'] as const) {
      const isHit = this.target === null || originOf(this.target) === origin
      const door = isHit ? this.fault.door : undefined
      this.addresses.set(origin, door ? await this.openDoor(door, certificates) : await this.openPlain())
    }
    this.at.elsewhere = `http://127.0.0.1:${await this.listen(
      createServer((socket) => {
        this.strayConnections += 1
        socket.destroy()
      }),
    )}`
    return this
  }

  /** Variables that the fault needs in the environment of the command. */
  get env(): Readonly<Record<string, string>> {
    return this.fault.env?.(this.at satisfies Addresses) ?? {}
  }

  urlOf(origin: Origin): string {
    return this.addresses.get(origin) ?? ''
  }

  callsOf(operation: Operation): SeenCall[] {
    return this.seen.filter((call) => call.operation === operation)
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    await Promise.all(this.servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }

  private async openPlain(): Promise<string> {
    return `http://127.0.0.1:${await this.listen(createServer((socket) => this.serve(socket)))}`
  }

  private async openDoor(door: Door, certificates: Certificates | null): Promise<string> {
    switch (door.is) {
      case 'nameless':
        return 'https://pay.hisab-test.invalid'
      case 'closed': {
        // A port that was just in use and is no more: nobody else gets it so soon.
        const server = createServer()
        const port = await this.listen(server)
        await new Promise((resolve) => server.close(resolve))
        this.servers.pop()
        return `http://127.0.0.1:${port}`
      }
      case 'speechless':
        return `http://127.0.0.1:${await this.listen(createServer((socket) => socket.resume()))}`
      case 'silent':
        return `https://localhost:${await this.listen(createServer((socket) => socket.resume()))}`
      case 'resetting':
        return `http://127.0.0.1:${await this.listen(createServer((socket) => socket.resetAndDestroy()))}`
      case 'plain behind https':
        return (await this.openPlain()).replace('http://127.0.0.1', 'https://localhost')
      case 'tls': {
        return `https://localhost:${await this.openTls(door.identity, certificates)}`
      }
      case 'proxied': {
        const port = await this.openTls(door.identity, certificates)
        const proxy = createServer((socket) => socket.once('data', () => tunnel(socket, door.proxy, port)))
        this.at.proxy = `http://127.0.0.1:${await this.listen(proxy)}`
        return `https://${proxiedHost}`
      }
    }
  }

  private openTls(identity: IdentityName, certificates: Certificates | null): Promise<number> {
    if (!certificates) throw new Error('this door needs certificates')
    return this.listen(createTlsServer(certificates.identities[identity], (socket) => this.serve(socket)))
  }

  private async listen(server: Server): Promise<number> {
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket)
      socket.on('close', () => this.sockets.delete(socket))
      socket.on('error', () => {})
    })
    this.servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    return (server.address() as AddressInfo).port
  }

  private serve(socket: Socket): void {
    const {fault} = this
    socket.on('error', () => {})
    readRequests(socket, {
      onLine: (method, path) => {
        const operation = operationOf(method, path)
        if (operation === null || !fault.isResetUnread || !this.isHit(operation)) return false
        this.seen.push({operation, request: null, isSpoilt: true})
        this.honest.work(operation, '{}', this.workAtFault)
        socket.resetAndDestroy()
        return true
      },
      onRequest: (request) => this.answer(socket, request),
    })
  }

  private answer(socket: Socket, request: HttpRequest): void {
    const operation = operationOf(request.method, request.path)
    if (operation === null) {
      send(socket, {status: 404, headers: {'content-type': 'text/html'}, body: Buffer.from('<h1>404</h1>')})
      return
    }
    const {play} = this.fault
    const isSpoilt = play !== undefined && this.isHit(operation)
    this.seen.push({operation, request, isSpoilt})
    this.honest.work(operation, request.body, isSpoilt ? this.workAtFault : 'done')
    const whole = this.honest.answer(operation, request)
    if (isSpoilt) play(socket, whole, {operation, request, elsewhere: this.at.elsewhere})
    else send(socket, whole)
  }

  private isHit(operation: Operation): boolean {
    const {operations, isOnce} = this.fault
    if (this.isMended || (isOnce && this.callsOf(operation).length > 0)) return false
    return (this.target ?? operation) === operation && (operations?.includes(operation) ?? true)
  }
}
