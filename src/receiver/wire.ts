import type {IncomingMessage, ServerResponse} from 'node:http'

import type {Reply} from './reception.ts'

/**
 * The raw bytes of a request. `too_large` as soon as that is certain, with the rest unread; `gone` where the
 * sender went away or was too slow.
 */
export function readRequestBody(
  request: IncomingMessage,
  bytesMax: number,
): Promise<Buffer | 'too_large' | 'gone'> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.resolve('too_large')
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bytesMax) chunks.push(chunk)
      else resolve('too_large')
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('close', () => resolve('gone'))
    request.once('error', () => resolve('gone'))
  })
}

/** `isLast` ends the connection with this answer. */
export function send(response: ServerResponse, reply: Reply, isLast: boolean): void {
  writeHead(response, reply, isLast)
  response.end(reply.body)
}

const lingerMs = 1_000

/**
 * Answers a request whose body is still coming, and closes a moment later: a connection closed over unread bytes
 * is reset, and takes the answer with it.
 */
export function sendEarly(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  writeHead(response, reply, true)
  response.write(reply.body)
  const timer = setTimeout(() => response.end(), lingerMs)
  request.once('close', () => {
    clearTimeout(timer)
    response.end()
  })
  request.resume()
}

function writeHead(response: ServerResponse, {httpStatus, contentType, body}: Reply, isLast: boolean): void {
  response.writeHead(httpStatus, {
    ...(isLast ? {connection: 'close'} : {}),
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
  })
}
