import type {Socket} from 'node:net'

import type {IdentityName} from './certificates.ts'
import {always, doubtful, type Fault, goodOnceMore} from './fault.ts'
import {headOf, send} from './wire.ts'

const unreached = always('unreached')
const fullSpeed = Buffer.alloc(64 * 1024, 'x')
const dripMs = 30

/** What goes wrong below the content: the way bytes come, or do not come. */
const wireFaults: readonly Fault[] = [
  {
    name: 'a head that drips',
    isUntilTimeout: true,
    means: doubtful,
    play: (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx-drip: ', 'x'),
  },
  {
    name: 'a body that drips',
    isUntilTimeout: true,
    means: doubtful,
    play: (socket, whole) =>
      drip(socket, `${headOf({...whole, headers: {...whole.headers, 'content-length': '100000'}})}{`, ' '),
  },
  {
    name: 'a reset before the request was read',
    means: doubtful,
    isResetUnread: true,
  },
  {name: 'a reset after the request was read', means: doubtful, play: (socket) => socket.resetAndDestroy()},
  {
    name: 'a reset in the middle of the body',
    means: doubtful,
    play: (socket, whole) => {
      socket.write(headOf(whole))
      socket.write(whole.body.subarray(0, whole.body.length / 2), () => socket.resetAndDestroy())
    },
  },
  {
    name: 'an end in the middle of the body',
    means: doubtful,
    play: (socket, whole) => {
      socket.write(headOf(whole))
      socket.end(whole.body.subarray(0, whole.body.length / 2))
    },
  },
  {name: 'no answer', means: doubtful, isUntilTimeout: true, play: () => {}},
  {
    name: 'ten gigabytes, announced',
    means: doubtful,
    play: (socket, whole) => {
      socket.write(
        `${headOf({...whole, headers: {...whole.headers, 'content-length': '10000000000'}})}{"x":"`,
      )
      pour(socket, fullSpeed)
    },
  },
  {
    name: 'chunks without end',
    means: doubtful,
    play: (socket, whole) => {
      socket.write(headOf({...whole, headers: {...whole.headers, 'transfer-encoding': 'chunked'}}))
      pour(socket, Buffer.concat([Buffer.from('10000\r\n'), fullSpeed, Buffer.from('\r\n')]))
    },
  },
  {
    name: 'two lengths',
    means: doubtful,
    play: (socket, whole) =>
      send(socket, {...whole, headers: {...whole.headers, 'content-length': '5', 'Content-Length': '7'}}),
  },
  {
    name: 'a header of a megabyte',
    means: doubtful,
    play: (socket, whole) =>
      send(socket, {...whole, headers: {...whole.headers, 'x-big': 'x'.repeat(1_000_000)}}),
  },
  {name: 'bytes that are not HTTP', means: doubtful, play: (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')},
  {
    name: 'early hints before the answer',
    means: always('good'),
    play: (socket, whole) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n')
      send(socket, whole)
    },
  },
  {
    name: 'a length nobody states, ended by closing',
    means: always('good'),
    play: (socket, {body}) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n')
      socket.end(body)
    },
  },
  {
    name: 'a reset once',
    means: goodOnceMore,
    isOnce: true,
    play: (socket) => socket.resetAndDestroy(),
  },
]

/** Faults of the address itself: every connection to it meets them. */
const doorFaults: readonly Fault[] = [
  {name: 'a connection that is refused', means: unreached, door: {is: 'closed'}},
  {name: 'a name nobody knows (DNS)', means: unreached, door: {is: 'nameless'}},
  {name: 'a connection nobody answers on', means: doubtful, door: {is: 'speechless'}},
  {
    name: 'a connection reset at once',
    // Whether the reset or the request is first, the network decides.
    means: always('unreached', 'doubtful'),
    door: {is: 'resetting'},
  },
  {name: 'TLS that is never answered', means: unreached, door: {is: 'silent'}},
  {name: 'plain HTTP where TLS is due', means: unreached, door: {is: 'plain behind https'}},
  {name: 'a good certificate', means: always('good'), door: {is: 'tls', identity: 'good'}},
  {
    name: 'proxies in the environment, which nobody asked hisab to use',
    means: always('good'),
    door: {is: 'tls', identity: 'good'},
    env: ({elsewhere}) => ({...proxyVariables(elsewhere), NODE_USE_ENV_PROXY: '1'}),
  },
  proxied('a proxy that is named', always('good'), 'tunnels', 'good'),
  proxied('a proxy, and behind it a certificate for another name', unreached, 'tunnels', 'wrong name'),
  proxied('a proxy that refuses', unreached, 'refuses', 'good'),
  proxied('a proxy that says nothing', unreached, 'is silent', 'good'),
  ...(['self-signed', 'wrong name', 'expired'] as const).flatMap(badCertificate),
]

export const connectionFaults: readonly Fault[] = [...wireFaults, ...doorFaults]

function badCertificate(identity: IdentityName): Fault[] {
  const name = `a certificate that is ${identity === 'wrong name' ? 'for another name' : identity}`
  const fault: Fault = {name, means: unreached, door: {is: 'tls', identity}}
  const env = () => ({NODE_TLS_REJECT_UNAUTHORIZED: '0'})
  return [fault, {...fault, name: `${name}, with NODE_TLS_REJECT_UNAUTHORIZED=0`, env}]
}

function proxied(
  name: string,
  means: Fault['means'],
  proxy: 'tunnels' | 'refuses' | 'is silent',
  identity: IdentityName,
): Fault {
  return {name, means, door: {is: 'proxied', proxy, identity}, env: (at) => ({HISAB_PROXY: at.proxy})}
}

function proxyVariables(url: string): Record<string, string> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
  return Object.fromEntries([...names, ...names.map((name) => name.toLowerCase())].map((name) => [name, url]))
}

/** Enough to keep a connection alive and never enough to end it. */
function drip(socket: Socket, start: string, drop: string): void {
  socket.write(start)
  const dripping = setInterval(() => socket.write(drop), dripMs)
  socket.on('close', () => clearInterval(dripping))
}

/** As fast as it is taken, until nobody takes it. */
function pour(socket: Socket, bytes: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes)) {}
  }
  socket.on('drain', more)
  more()
}
