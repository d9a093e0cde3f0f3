import type {Server, ServerResponse} from 'node:http'
import type {Socket} from 'node:net'

import type {OnNotice} from './notice.ts'

/** What is wrong with bytes that never become a request, by Node's code for it. */
const tooSlow = {
  status: '408 Request Timeout',
  reason: 'too_slow',
  message: 'The request did not arrive in time.',
} as const
const headersTooLarge = {
  status: '431 Request Header Fields Too Large',
  reason: 'headers_too_large',
  message: 'The headers are too large.',
} as const
const notHttp = {status: '400 Bad Request', reason: 'not_http', message: 'What came is not HTTP.'} as const

const faults = new Map<string | undefined, typeof tooSlow | typeof headersTooLarge>([
  ['ERR_HTTP_REQUEST_TIMEOUT', tooSlow],
  ['HPE_HEADER_OVERFLOW', headersTooLarge],
])

/** Answers, as Node itself would, and tells of what never becomes a request: 400, 408, 431, and the one too many. */
export function watchBadRequests(server: Server, onNotice: OnNotice, now: () => number): void {
  const responses = new WeakMap<Socket, ServerResponse>()
  server.on('request', (request, response) => responses.set(request.socket, response))
  server.on('drop', () => onNotice({type: 'dropped', atMs: now()}))
  server.on('clientError', ({code}: NodeJS.ErrnoException, socket: Socket) => {
    const response = responses.get(socket)
    const isBeingAnswered = response?.headersSent === true && !response.writableFinished
    if (code === 'ECONNRESET' || !socket.writable || isBeingAnswered) {
      socket.destroy()
      return
    }
    const {status, reason, message} = faults.get(code) ?? notHttp
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
    const from = socket.remoteAddress ?? null
    const httpStatus = Number(status.slice(0, 3))
    onNotice({type: 'refused', atMs: now(), httpStatus, reason, message, why: null, from})
  })
}
