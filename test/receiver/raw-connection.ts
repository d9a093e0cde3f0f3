import {once} from 'node:events'
import {connect, type Socket} from 'node:net'

export interface RawConnection {
  write(text: string): void
  /** Resolves once this has come. */
  hears(text: string): Promise<void>
  /** All that came until the other side closed. */
  readonly answer: Promise<string>
}

/** A TCP connection that says exactly what it is told, for senders no HTTP client would play. */
export async function openRaw(port: number, localAddress = '127.0.0.1'): Promise<RawConnection> {
  const socket: Socket = connect({port, host: '127.0.0.1', localAddress})
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  // A reset is one of the ways in which a server closes.
  socket.on('error', () => undefined)
  const answer = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  await once(socket, 'connect')
  return {
    write: (bytes) => void socket.write(bytes, 'latin1'),
    answer,
    async hears(wanted) {
      while (!text.includes(wanted)) await once(socket, 'data')
    },
  }
}
