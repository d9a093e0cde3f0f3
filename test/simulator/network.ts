import type {Dispatcher} from 'undici'
import {chooseFault, type Fault} from './faults.ts'
import {runAs, type SimulatedProcess} from './machine.ts'
import type {Prng} from './prng.ts'
import {answerTo, carryOut, type Reply, type Request, readRequest} from './service.ts'
import type {World} from './world.ts'

/** What is wrong between hisab and the service for a while. */
export interface Weather {
  /** Of all calls, how many meet a fault; of those that change something, at least `writeFaults`. */
  readonly faults: number
  readonly writeFaults: number
  /** What befalls a call, where somebody directs it; else chance decides. */
  readonly directed?: (request: Request) => Fault | null
  /** Before the service answers: the world goes on meanwhile. */
  readonly meanwhile?: (request: Request) => void
}

export const fair: Weather = {faults: 0, writeFaults: 0}

const connectMs = 3
const serveMs = 9
const lateMs = [20_000, 180_000, 600_000]

/** Calls of one kind that reached the service, by run: what the judge counts besides the books. */
export interface Call {
  readonly run: string
  readonly request: Request
  readonly atMs: number
}

/** The way from every process to the service. It writes nothing down that hisab said of itself. */
export class Network {
  readonly calls: Call[] = []
  weather: Weather = fair
  private readonly world: World
  private readonly prng: Prng

  constructor(world: World, prng: Prng) {
    this.world = world
    this.prng = prng
  }

  dispatcherOf(process: SimulatedProcess, run: () => string): Dispatcher {
    const dispatch = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
      this.dispatch(process, run(), options, handler)
      return true
    }
    return {dispatch, close: async () => {}, destroy: async () => {}} as unknown as Dispatcher
  }

  private dispatch(
    process: SimulatedProcess,
    run: string,
    {method, path, headers, body}: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): void {
    const {world, prng, weather} = this
    const {time, trace, counts} = process.machine
    const request = readRequest(method, path, headers as string[], body as Uint8Array | null)
    process.reach(`before ${nameOf(request)}`)
    const isWrite = request.name === 'create' || request.name === 'resend'
    const share = isWrite ? Math.max(weather.writeFaults, weather.faults) : weather.faults
    const fault = weather.directed
      ? weather.directed(request)
      : prng.chance(share)
        ? chooseFault(prng, request)
        : null
    const flight = new Flight(process, handler)
    const broken = fault?.answer.breaks
    if (fault) counts.add(`fault: ${fault.answer.name}`)
    if (broken?.isUnsent) {
      trace.say(`    ${process.name}: ${nameOf(request)}: ${fault?.answer.name}`)
      time.after(broken.afterMs, () => flight.fail(broken.code))
      return
    }
    time.after(connectMs, () => {
      if (process.isDead || !flight.start()) return
      weather.meanwhile?.(request)
      const atMs = time.nowMs
      this.calls.push({run, request, atMs})
      const lag = prng.pick(world.deployment.recordLagsMs)
      const deed = isWrite ? (fault?.deed ?? 'done') : 'not done'
      if (isWrite) counts.add(`${request.name}s ${deed}, answered ${fault ? 'in trouble' : 'well'}`)
      if (deed === 'done') carryOut(world, request, run, lag, atMs)
      else if (deed === 'late')
        world.at(time.nowMs + prng.pick(lateMs), () => carryOut(world, request, run, lag, atMs))
      const honest =
        deed === 'done' || !isWrite
          ? answerTo(world, request)
          : {
              status: 200,
              body: request.name === 'create' ? '{"code":0,"data":{}}' : '{"success":true,"data":{}}',
            }
      const said = fault ? `${fault.answer.name}${isWrite ? `, and ${deed}` : ''}` : `HTTP ${honest.status}`
      trace.say(`    ${process.name}: ${nameOf(request)}: ${said}`)
      if (reachOutside(process, `after the service had ${nameOf(request)}`)) return
      if (broken) time.after(broken.afterMs, () => flight.fail(broken.code))
      else {
        const reply = fault?.answer.reply?.(honest) ?? honest
        time.after(serveMs + prng.int(0, 40), () =>
          flight.end(
            reply,
            world.showsTime ? time.nowMs + world.deployment.skewMs : null,
            fault?.answer.drips === true,
          ),
        )
      }
    })
  }
}

/** A point that is passed outside of the process's own code. */
function reachOutside(process: SimulatedProcess, what: string): boolean {
  try {
    process.reach(what)
  } catch {
    // It is dead, which is all that matters here.
  }
  return process.isDead
}

/** One request on its way, seen from undici's side. */
class Flight {
  private readonly process: SimulatedProcess
  private readonly handler: Dispatcher.DispatchHandler
  private isOver = false
  private readonly controller = {
    abort: (reason: Error) => queueMicrotask(() => this.break(reason)),
  } as unknown as Dispatcher.DispatchController

  constructor(process: SimulatedProcess, handler: Dispatcher.DispatchHandler) {
    this.process = process
    this.handler = handler
  }

  /** False where hisab does not want it any more. */
  start(): boolean {
    runAs(this.process, () => this.handler.onRequestStart?.(this.controller, {}))
    return !this.isOver
  }

  fail(code: string): void {
    this.break(Object.assign(new Error(`simulated ${code}`), {code}))
  }

  end(
    {status, body, type = 'application/json', headers}: Reply,
    serviceMs: number | null,
    drips: boolean,
  ): void {
    if (this.process.isDead || this.isOver) return
    const date =
      serviceMs === null ? {} : {date: new Date(Math.floor(serviceMs / 1_000) * 1_000).toUTCString()}
    const {handler, controller} = this
    runAs(this.process, () => {
      handler.onResponseStart?.(controller, status, {...date, 'content-type': type, ...headers})
      const sent = drips ? body.slice(0, 5) : body
      if (sent !== '') handler.onResponseData?.(controller, Buffer.from(sent))
      if (drips) return
      this.isOver = true
      handler.onResponseEnd?.(controller, {})
    })
  }

  private break(error: Error): void {
    if (this.isOver || this.process.isDead) return
    this.isOver = true
    runAs(this.process, () => this.handler.onResponseError?.(this.controller, error))
  }
}

export function nameOf({name, kind, subject, page, status}: Request): string {
  if (name === 'list') {
    return `list${subject ? ` of ${subject.slice(-4)}` : ''}${status ? ` ${status}` : ''} page ${page}`
  }
  return `${name} ${name === 'query' || name === 'create' ? `${kind} ${subject}` : subject.slice(-4)}`
}
