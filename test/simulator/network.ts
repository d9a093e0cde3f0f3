import type {Dispatcher} from 'undici'

import {chooseFault, type Fault, type Hears} from './faults.ts'
import type {SimulatedProcess} from './process.ts'
import {answer, BadRequest, type Reply, type Request, readRequest} from './service.ts'
import {differences, type Tongue} from './tongue.ts'

/** One try of a call, as it was made and what came of it: what hisab had to go by. */
export interface Try {
  readonly request: Request
  readonly startedMs: number
  /** How the profile of its process reads the answer. */
  readonly told: Tongue
  fault: Fault | null
  hears: Hears | 'pending'
  /** The answer as it was sent, where one was. */
  reply: Reply | null
  /** Whether the answer reached hisab while it lived. */
  isHeard: boolean
  endedMs: number
}

const connectMs = 3
/** Where calls are in trouble at all, at least so many of the few that matter most are. */
const writeFaultShare = 0.4
const serveMs = 9

/** undici's dispatcher as hisab's client uses it: every byte goes to the simulated service, or is lost on the way. */
export class SimulatedNetwork {
  readonly tries: Try[] = []
  private readonly process: SimulatedProcess

  constructor(process: SimulatedProcess) {
    this.process = process
  }

  get dispatcher(): Dispatcher {
    return this as unknown as Dispatcher
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const {process} = this
    const {time, world, dice, faultShare} = process.site
    if (process.isDead) return true
    const request = this.read(options)
    if (process.reach(`before ${nameOf(request)}`, true)) return true
    const isWrite = request.name === 'create' || request.name === 'resend'
    const share = isWrite && faultShare > 0 ? Math.max(faultShare, writeFaultShare) : faultShare
    const fault = dice.chance(share) ? chooseFault(dice, request) : null
    const made: Try = {
      ...{told: process.site.told},
      ...{request, startedMs: time.nowMs, fault, hears: 'pending', reply: null},
      ...{isHeard: false, endedMs: time.nowMs},
    }
    this.tries.push(made)
    process.site.watch.onCall(process, made)
    const flight = new Flight(process, made, handler)
    if (fault?.breaks?.unsent) {
      time.after(fault.breaks.afterMs, () => flight.breakOff(fault))
      return true
    }
    time.after(connectMs, () => {
      if (process.isDead || !flight.start()) return
      process.site.watch.onArrival(process, made)
      const reply = this.serve(made)
      world.moveTo(time.nowMs)
      if (process.reach(`after the service had ${nameOf(request)}`, true)) return
      flight.end(reply)
    })
    return true
  }

  /** What the service does with it, and what it would say. */
  private serve({request, fault}: Try): Reply | null {
    const {world, time, dice, movesList} = this.process.site
    const {runId} = this.process
    if (movesList && request.name === 'list' && dice.chance(0.3)) addNoise(this.process)
    if (fault?.lateMs !== undefined) {
      world.late.push({atMs: time.nowMs + fault.lateMs, recordId: request.subject, byRun: runId})
    }
    const isWrite = request.name === 'create' || request.name === 'resend'
    if (isWrite && fault && !fault.happens) return null
    const isThere = request.name === 'query' || world.hasLegacyApi
    if (request.refusal && isThere) return request.refusal
    return answer(world, request, runId)
  }

  private read({origin, path, method, headers, body}: Dispatcher.DispatchOptions): Request {
    const {world, time, trace, told} = this.process.site
    try {
      return readRequest(
        String(origin),
        method,
        path,
        headers as string[],
        body as Uint8Array | null,
        time.nowMs,
        world.spoken,
        differences(told, world.spoken),
      )
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error
      trace.say(`a request the service cannot read: ${error.message} ${world.nowMs}`)
      throw error
    }
  }
}

/** One request on its way, seen from undici's side. */
class Flight {
  private readonly process: SimulatedProcess
  private readonly made: Try
  private readonly handler: Dispatcher.DispatchHandler
  private isOver = false
  private readonly controller = {
    abort: (reason: Error) => queueMicrotask(() => this.fail(reason)),
  } as unknown as Dispatcher.DispatchController

  constructor(process: SimulatedProcess, made: Try, handler: Dispatcher.DispatchHandler) {
    this.process = process
    this.made = made
    this.handler = handler
  }

  /** False where hisab does not want it any more. */
  start(): boolean {
    this.handler.onRequestStart?.(this.controller, {})
    return !this.isOver
  }

  breakOff(fault: Fault): void {
    const code = fault.breaks?.code ?? ''
    this.fail(Object.assign(new Error(`simulated ${code}`), {code}))
  }

  end(served: Reply | null): void {
    const {made, process} = this
    const {time} = process.site
    const honest: Reply = served ?? {status: 200, body: '{}'}
    const reply = made.fault?.reply?.(honest) ?? honest
    const isUnread = made.fault?.inAmount && made.told.fields.amount !== 'amount'
    if (made.fault?.reply && (reply === honest || isUnread)) made.fault = null
    const {fault} = made
    if (fault?.breaks) {
      time.after(fault.breaks.afterMs, () => this.breakOff(fault))
      return
    }
    time.after(serveMs + process.site.dice.int(0, 40), () => {
      if (process.isDead || this.isOver) return
      const date = new Date(Math.floor((time.nowMs + process.site.world.skewMs) / 1_000) * 1_000)
      const headers: Record<string, string> = {
        date: date.toUTCString(),
        'content-type': reply.type ?? 'application/json',
      }
      if (reply.retryAfter !== undefined) headers['retry-after'] = reply.retryAfter
      made.reply = reply
      this.handler.onResponseStart?.(this.controller, reply.status, headers)
      if (fault?.drips) {
        this.handler.onResponseData?.(this.controller, Buffer.from(reply.body.slice(0, 5)))
        return
      }
      this.settle(fault?.hears ?? hearsOf(made.request, reply))
      if (reply.body !== '') this.handler.onResponseData?.(this.controller, Buffer.from(reply.body))
      this.handler.onResponseEnd?.(this.controller, {})
    })
  }

  private fail(error: Error): void {
    if (this.isOver || this.process.isDead) return
    this.settle(this.made.fault?.hears ?? 'nothing')
    this.handler.onResponseError?.(this.controller, error)
  }

  private settle(hears: Hears): void {
    const {made, process} = this
    this.isOver = true
    made.hears = hears
    made.isHeard = true
    made.endedMs = process.site.time.nowMs
    const {trace, counts} = process.site
    const what = made.fault ? made.fault.name : 'answered'
    trace.say(
      `    ${process.name}: ${nameOf(made.request)}: ${what}${made.reply ? ` (HTTP ${made.reply.status})` : ''}`,
    )
    counts.add(made.fault ? `fault: ${made.fault.name}` : 'calls answered well')
    process.site.watch.onEnd(process, made)
  }
}

/** What an answer without any fault comes to. */
function hearsOf({name}: Request, {status}: Reply): Hears {
  if (status < 300) return 'yes'
  if (status === 401) return 'no'
  return name === 'query' || name === 'get' ? 'yes' : 'no'
}

/** A record of another event arrives while the list is read. */
function addNoise({site: {world, dice, time, counts}}: SimulatedProcess): void {
  const order = {
    kind: 'deposit',
    orderNo: `N-${world.count}`,
    platformNo: world.uuid(),
    word: 'processing',
  } as const
  const made = {...order, amount: 100n, spelling: 'text', createdMs: time.nowMs, completesMs: null} as const
  world.addRecord(
    {...world.completion(made, time.nowMs), event: 'order.created', status: 'success', attempts: 1},
    dice,
  )
  counts.add('records that arrived while the list was read')
}

export function nameOf({name, kind, subject, page, status}: Request): string {
  if (name === 'list') {
    return `list${subject ? ` of ${subject.slice(-4)}` : ''}${status ? ` ${status}` : ''} page ${page}`
  }
  return `${name} ${name === 'query' || name === 'create' ? `${kind} ${subject}` : subject.slice(-4)}`
}
