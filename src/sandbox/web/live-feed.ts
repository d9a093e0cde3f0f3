import {setTimeout as sleep} from 'node:timers/promises'

import type {Context} from 'hono'
import {streamSSE} from 'hono/streaming'

import type {Log, SandboxEvent} from '../events.ts'

type Listener = (event: SandboxEvent) => void

/** Passes events on to the open pages. Nothing is kept: a page asks for the state. */
export class LiveFeed {
  private readonly listeners = new Set<Listener>()
  private readonly ending = new AbortController()
  private readonly startedAtMs = Date.now()
  private published = 0
  private readonly alsoTold: Log

  /** `alsoTold` gets every event too. */
  constructor(alsoTold: Log = () => {}) {
    this.alsoTold = alsoTold
  }

  /** Changes with every event, and very likely with a restart. */
  get revision(): string {
    return `${this.startedAtMs}.${this.published}`
  }

  readonly publish: Log = (event) => {
    this.published += 1
    this.alsoTold(event)
    for (const listener of this.listeners) listener(event)
  }

  /** Returns a function that ends the subscription. */
  subscribe(listener: Listener): () => void {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /** Aborted when the sandbox ends: an open page would keep the port. */
  get ended(): AbortSignal {
    return this.ending.signal
  }

  close(): void {
    this.ending.abort()
  }
}

export interface LiveOptions {
  readonly isWanted: (event: SandboxEvent) => boolean
  /** The page's present state. Sent at once, after each wanted event, and every `idleMs`. */
  readonly message: () => {readonly event: string; readonly data: string}
  readonly idleMs: number
  /** Events within this time are sent together. */
  readonly gatherMs: number
}

const reconnectMs = 1000

/** Server-sent events. Each message has the whole state, so a lost one does no harm. */
export function streamLive(c: Context, feed: LiveFeed, options: LiveOptions): Response {
  const {isWanted, message, idleMs, gatherMs} = options
  return streamSSE(c, async (stream) => {
    const left = new AbortController()
    stream.onAbort(() => left.abort())
    const over = AbortSignal.any([left.signal, feed.ended])
    let isStale = false
    let wake = () => {}
    const unsubscribe = feed.subscribe((event) => {
      if (!isWanted(event)) return
      isStale = true
      wake()
    })
    try {
      while (!over.aborted) {
        isStale = false
        await stream.writeSSE({...message(), retry: reconnectMs})
        const idle = new AbortController()
        wake = () => idle.abort()
        if (!isStale) await pause(idleMs, AbortSignal.any([over, idle.signal]))
        if (isStale) await pause(gatherMs, over)
      }
    } finally {
      unsubscribe()
    }
  })
}

/** An early end is not an error. */
async function pause(ms: number, over: AbortSignal): Promise<void> {
  await sleep(ms, undefined, {signal: over, ref: false}).catch(() => {})
}
