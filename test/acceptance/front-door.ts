import {createServer, type IncomingMessage, request, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'

import {sandboxApplyUrl} from '../../src/core/profile.ts'

/** A request that is kept waiting at the door. */
export interface HeldRequest {
  readonly arrived: Promise<void>
  release(): void
}

export interface FrontDoor {
  readonly url: string
  /** Every request that came, as `POST /v1/pay/order/query`, in order of arrival. */
  readonly seen: string[]
  /** How many of `seen` hold this text. */
  count(text: string): number
  /** Keeps the next request that holds this text from reaching the service until it is released. */
  holdNext(text: string): HeldRequest
  close(): Promise<void>
}

/**
 * Stands in front of a service, lets everything through unchanged, and remembers what came. `now`: what its answers are
 * dated by, for Node dates them by the machine's own clock.
 */
export async function openFrontDoor(serviceUrl: string, now?: () => number): Promise<FrontDoor> {
  const seen: string[] = []
  const holds: {readonly text: string; readonly enter: () => Promise<void>}[] = []
  const server = createServer(async (incoming, answer) => {
    const line = `${incoming.method} ${incoming.url}`
    seen.push(line)
    const index = holds.findIndex(({text}) => line.includes(text))
    if (index >= 0) await holds.splice(index, 1)[0]?.enter()
    // One door for both addresses: it is what came that counts.
    forward(
      incoming.url?.includes('/apply/') ? sandboxApplyUrl(serviceUrl) : serviceUrl,
      incoming,
      answer,
      now,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    count: (text) => seen.filter((line) => line.includes(text)).length,
    holdNext(text) {
      const arrived = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      const enter = () => {
        arrived.resolve()
        return released.promise
      }
      holds.push({text, enter})
      return {arrived: arrived.promise, release: released.resolve}
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function forward(
  serviceUrl: string,
  incoming: IncomingMessage,
  answer: ServerResponse,
  now: (() => number) | undefined,
): void {
  const {method, url, headers} = incoming
  const onward = request(new URL(url ?? '/', serviceUrl), {method, headers}, (response) => {
    const date = now && {date: new Date(now()).toUTCString()}
    answer.writeHead(response.statusCode ?? 502, {...response.headers, ...date})
    response.pipe(answer)
  })
  onward.once('error', () => answer.destroy())
  incoming.pipe(onward)
}
