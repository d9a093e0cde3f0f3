import type {Socket} from 'node:net'

/** One HTTP request as it came over a socket. Names of headers are in lower case. */
export interface HttpRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface RequestReader {
  /** As soon as the request line is there, and nothing else needs to be. True ends the reading. */
  readonly onLine: (method: string, path: string) => boolean
  readonly onRequest: (request: HttpRequest) => void
}

/** Reads the requests of one connection by hand: an HTTP library would not let its user misbehave. */
export function readRequests(socket: Socket, {onLine, onRequest}: RequestReader): void {
  let unread = Buffer.alloc(0)
  let isLineSeen = false
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk])
    for (;;) {
      if (!isLineSeen) {
        const [line, method = '', target = ''] =
          /^(\S+) (\S+) HTTP\/1\.1\r\n/.exec(unread.toString('latin1')) ?? []
        if (line === undefined) return
        isLineSeen = true
        if (onLine(method, new URL(target, 'http://service.invalid').pathname)) return
      }
      const found = takeRequest(unread)
      if (found === null) return
      unread = found.rest
      isLineSeen = false
      onRequest(found.request)
    }
  })
}

function takeRequest(bytes: Buffer): {request: HttpRequest; rest: Buffer<ArrayBuffer>} | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const [line = '', ...fields] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const [method = '', target = ''] = line.split(' ')
  const headers = new Map(
    fields.map((field) => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const
    }),
  )
  const bodyEnd = headEnd + 4 + Number(headers.get('content-length') ?? 0)
  if (bytes.length < bodyEnd) return null
  const {pathname: path, searchParams: query} = new URL(target, 'http://service.invalid')
  const body = bytes.toString('utf8', headEnd + 4, bodyEnd)
  return {request: {method, path, query, headers, body}, rest: Buffer.from(bytes.subarray(bodyEnd))}
}

export function json(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return {
    status,
    headers: {'content-type': 'application/json', ...headers},
    body: Buffer.from(JSON.stringify(value)),
  }
}

/** The head as it goes over the wire. `content-length` is the body's own unless a header says otherwise. */
export function headOf({status, headers, body}: HttpAnswer): string {
  const lines = Object.entries({
    date: new Date().toUTCString(),
    ...('transfer-encoding' in headers ? {} : {'content-length': String(body.length)}),
    ...headers,
  })
  return `HTTP/1.1 ${status} Said\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

export function send(socket: Socket, answer: HttpAnswer): void {
  socket.write(headOf(answer))
  socket.write(answer.body)
}
