import {createServer, type Server, type Socket} from 'node:net'
import {createInterface} from 'node:readline'

import type {Prng} from '../../simulator/prng.ts'

export type Asked =
  | {readonly op: 'work'; readonly worker: number}
  | {readonly op: 'done'; readonly worker: number}
  | {readonly op: 'settled'; readonly worker: number; readonly keys: readonly string[]}
  | {readonly op: 'resend'; readonly event: string}
  | {readonly op: 'pay'; readonly number: string; readonly paisa: string}

/**
 * What the service knows of one round, kept by the coordinator: which webhooks the merchant's server took, how often, and
 * which payouts were made, of how much. The claims' words are no part of it. It sometimes acts and says nothing.
 */
export class Books {
  readonly arrivals = new Map<string, number>()
  readonly sends = new Map<string, number>()
  readonly paid = new Map<string, bigint>()
  private readonly chance: Prng

  constructor(chance: Prng) {
    this.chance = chance
  }

  /** Whether the webhook arrived, or the payout was made. */
  has(key: string): boolean {
    return this.arrivals.has(key) || this.paid.has(key)
  }

  /** Returns whether it answers. */
  resend(event: string): boolean {
    const fate = this.chance.int(1, 100)
    if (fate > 2) this.arrivals.set(event, (this.arrivals.get(event) ?? 0) + 1)
    return fate > 6
  }

  pay(number: string, paisa: bigint): boolean {
    const fate = this.chance.int(1, 100)
    this.sends.set(number, (this.sends.get(number) ?? 0) + 1)
    if (fate > 2) this.paid.set(number, paisa)
    return fate > 6
  }
}

/** Answers each line with a line: a socket of the file system, which no network's fault reaches. */
export async function listen(path: string, answer: (asked: Asked) => Promise<unknown>): Promise<Server> {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined)
    const lines = createInterface(socket)
    // A worker that is killed in the middle of a line.
    lines.on('error', () => undefined)
    lines.on('line', async (line) => {
      const said = await answer(JSON.parse(line) as Asked)
      if (socket.writable) socket.write(`${JSON.stringify(said)}\n`)
    })
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return server
}
