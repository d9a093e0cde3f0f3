import {type ChildProcess, spawn} from 'node:child_process'
import {existsSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {setTimeout as delay} from 'node:timers/promises'
import {fileURLToPath} from 'node:url'

import {readAddress} from '../../../src/journal/postgres/settings.ts'
import {bundleOne} from '../../bench/bundled-run.ts'
import {Prng} from '../../simulator/prng.ts'
import {openProxy} from '../postgres/proxy.ts'
import {PostgresServer} from '../postgres/server.ts'
import {type Asked, Books, listen} from './books.ts'
import {makeNetworks, type Network} from './network.ts'
import type {Work} from './worker.ts'

export interface RaceOptions {
  readonly seed: number
  /** Webhooks and payouts, at least; fewer where the time is over before. */
  readonly events: number
  readonly untilMs: number
  /** Ends it after the round that is played. */
  readonly signal?: AbortSignal
  readonly eventsOfRound?: number
  readonly withNetworks?: boolean
  /** The database on a disk, with its syncs. */
  readonly isOnDisk?: boolean
  readonly onRound?: (counts: Readonly<Record<string, number>>, wrong: readonly string[]) => void
}

export interface RaceResult {
  /** How often each thing occurred. */
  readonly counts: Readonly<Record<string, number>>
  readonly wrong: readonly string[]
  readonly networks: number
}

const workers = 8
const workerSource = fileURLToPath(new URL('worker.ts', import.meta.url))
/** How many processes come with each event. */
const rivals = 2
/** Whose events are played at the same time, by every process. */
const merchants = 4
/** What a process settled last before it was killed is given to the next one again. */
const settledAgain = 12
/** How far two processes that race for the same are apart at first. */
const apart = 12
/** One in so many of what arrived is tried once more in peace. */
const triedAgain = 8
/**
 * In one of the networks an answer that comes after the 5 s of a claim is still waited for. In the others longer than a slow
 * machine lets a claim wait for the one before.
 */
const answerWithinMs = (network: number) => (network === 0 ? 7_000 : 2_500)

/**
 * Eight processes work on the same webhooks and payouts of four merchants, several at a time each, through real networks that
 * fail, on a real database that is killed, and are killed themselves. Then one goes over all of a merchant's in peace, and
 * the books judge.
 */
export async function race(options: RaceOptions): Promise<RaceResult> {
  const chance = new Prng(options.seed)
  const counts: Record<string, number> = {}
  const count = (what: string, by = 1) => {
    counts[what] = (counts[what] ?? 0) + by
  }
  const wrong: string[] = []
  // In memory, where a sync costs nothing: what is tried is processes, networks and a killed server, not the loss of power.
  const folder = existsSync('/dev/shm') && !options.isOnDisk ? '/dev/shm' : tmpdir()
  const dir = mkdtempSync(join(folder, 'race-'))
  const workerFile = await bundleOne(workerSource, join(dir, 'worker.mjs'))
  // Else whoever is gone waits for an account before those that are there, longer than they have.
  const server = await PostgresServer.start(folder, ['client_connection_check_interval=300ms'])
  await server.migrate()
  const made = options.withNetworks === false ? null : makeNetworks(4)
  const here: Network = {host: '127.0.0.1', under: [], unplug: () => undefined}
  const networks = made?.networks ?? [here, here, here, here]
  const proxies = await Promise.all(networks.map(({host}) => openProxy(server.port, host)))
  const children: (ChildProcess | null)[] = Array.from({length: workers}, () => null)
  const waiting = new Map<number, (work: readonly Work[] | null) => void>()
  let given: ((worker: number) => readonly Work[]) | null = null
  let isOver = false
  let books = new Books(chance)
  let done = new Set<number>()
  /** What workers said. */
  let progress = 0
  const settled = Array.from({length: workers}, (): string[] => [])
  const socket = join(dir, 'books')

  const give = () => {
    for (const [worker, say] of waiting) {
      const work = isOver ? null : given?.(worker)
      if (work === undefined || done.has(worker)) continue
      waiting.delete(worker)
      say(work)
    }
  }
  const books_ = await listen(socket, async (asked: Asked) => {
    progress += asked.op === 'settled' ? asked.keys.length : 1
    switch (asked.op) {
      case 'work':
        return await new Promise((resolve) => {
          waiting.set(asked.worker, resolve)
          give()
        })
      case 'done':
        done.add(asked.worker)
        return true
      case 'settled':
        settled[asked.worker]?.push(...asked.keys)
        return true
      case 'resend':
        count('resends sent')
        return books.resend(asked.event)
      case 'pay':
        count('payouts sent')
        return books.pay(asked.number, BigInt(asked.paisa))
    }
  })
  const start = (worker: number) => {
    const at = worker % networks.length
    const {host = '', under = []} = networks[at] ?? {}
    const address = {
      ...readAddress(server.url('hisab'), 'the URL'),
      ...{host, port: proxies[at]?.port ?? 0, answerWithinMs: answerWithinMs(at), name: 'the race'},
    }
    const args = [...under, process.execPath, workerFile]
    const [program = '', ...rest] = [
      ...args,
      `${worker}`,
      socket,
      join(dir, `data-${worker}`),
      JSON.stringify(address),
    ]
    const env = {...process.env, NODE_COMPILE_CACHE: join(dir, 'compiled')}
    const child = spawn(program, rest, {env, stdio: ['ignore', 'ignore', 'pipe']})
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    child.on('exit', (code, signal) => {
      waiting.delete(worker)
      if (signal === null && code !== 0) wrong.push(`a worker ended with ${code}: ${said.slice(0, 1_200)}`)
      if (!isOver && signal !== 'SIGTERM') start(worker)
    })
    children[worker] = child
  }

  let isStormy = false
  /** Faults come by what was done, not by the clock: on a slow machine as many, and they leave time for something to be done. */
  const comes = async (within: readonly [number, number]) => {
    const at = progress + chance.int(...within)
    while (progress < at && !isOver) await delay(10)
  }
  /** One for each network. */
  const storm = async (at: number) => {
    while (!isOver) {
      await comes([20, 320])
      const worker = at + networks.length * chance.int(0, workers / networks.length - 1)
      const [proxy, network] = [proxies[at], networks[at]]
      if (!isStormy || !proxy || !network) continue
      const fault = chance.weighted({kill: 12, cut: 35, commits: 35, hole: 8, late: 5, stop: 5})
      count(fault)
      if (fault === 'kill') children[worker]?.kill('SIGKILL')
      if (fault === 'cut') proxy.cutAfter(chance.int(0, 30))
      if (fault === 'commits') proxy.loseCommits(chance.int(1, 3))
      if (fault === 'hole') {
        const swallow = made && chance.chance(0.5) ? network.unplug : proxy.swallow
        swallow(true)
        await delay(chance.chance(0.1) ? chance.int(1_500, 5_000) : chance.int(100, 1_500))
        swallow(false)
      }
      if (fault === 'late') {
        proxy.delayCommits(Math.min(answerWithinMs(at), 5_000) + 300)
        await delay(chance.int(50, 400))
        proxy.delayCommits(0)
      }
      if (fault === 'stop') {
        const stopped = children[worker]
        stopped?.kill('SIGSTOP')
        await delay(chance.chance(0.15) ? chance.int(5_000, 6_500) : chance.int(100, 1_500))
        stopped?.kill('SIGCONT')
      }
    }
  }
  const serverStorm = async () => {
    while (!isOver) {
      await comes([1_000, 6_000])
      if (!isStormy) continue
      count('server')
      await server.kill()
      await server.upAgain()
    }
  }

  const stormEnds = Promise.all([...networks.keys().map(storm), serverStorm()])
  try {
    for (let worker = 0; worker < workers; worker++) start(worker)
    const size = Math.ceil((options.eventsOfRound ?? Math.min(options.events, 2_000)) / merchants)
    const all = Array.from({length: workers}, (_, n) => n)
    const shuffled = <T>(list: readonly T[]) =>
      list
        .map((one) => [chance.next(), one] as const)
        .sort(([a], [b]) => a - b)
        .map(([, one]) => one)
    const jostled = <T>(list: readonly T[]) =>
      list
        .map((one, at) => [at + chance.int(0, apart), one] as const)
        .sort(([a], [b]) => a - b)
        .map(([, one]) => one)
    for (let round = 0; (counts.events ?? 0) < options.events; round++) {
      if (Date.now() > options.untilMs || options.signal?.aborted) break
      const works = Array.from({length: merchants}, (_, n): Work => {
        const id = round * merchants + n
        const payouts = Array.from(
          {length: Math.round(size * 0.2)},
          (_, at) => [`P-${id}-${at}`, `${chance.int(1, 900_000)}`] as const,
        )
        const asked = payouts.reduce((sum, [, paisa]) => sum + BigInt(paisa), 0n)
        return {
          merchantId: `0d9e4c1a-7f43-4f0e-9a52-${String(id).padStart(12, '0')}`,
          ceilingPaisa: `${(asked * BigInt(chance.int(30, 90))) / 100n}`,
          fromMs: Date.now() - 60_000,
          events: Array.from({length: size - payouts.length}, (_, at) => `${id}-${at}`),
          payouts,
        }
      })
      const keys = works.flatMap(({events, payouts}) => [...events, ...payouts.map(([number]) => number)])
      const comesWith = new Map(keys.map((key) => [key, new Set(shuffled(all).slice(0, rivals))]))
      const todoOf = (isGiven: (key: string) => boolean | undefined) =>
        works.map((work) => ({
          ...work,
          events: jostled(work.events.filter(isGiven)),
          payouts: jostled(work.payouts.filter(([key]) => isGiven(key))),
        }))
      const mine = (worker: number) => {
        const over = new Set(settled[worker]?.slice(0, -settledAgain))
        return todoOf((key) => comesWith.get(key)?.has(worker) && !over.has(key))
      }
      books = new Books(chance)
      for (const one of settled) one.length = 0
      const play = async (work: (worker: number) => readonly Work[]) => {
        done = new Set()
        given = work
        give()
        while (done.size < workers && !wrong.length) await delay(20)
        given = null
      }
      isStormy = true
      await play(mine)
      isStormy = false
      for (const proxy of proxies) proxy.calm()
      // Each merchant's by one process: what did not arrive, and some of what did.
      const again = todoOf((key) => !books.has(key) || chance.int(1, triedAgain) === 1)
      await play((worker) => again.filter((_, n) => (n * 2 + round) % workers === worker))
      for (const work of works)
        wrong.push(...judge(server, work, books, count).map((what) => `round ${round}: ${what}`))
      count('events', size * merchants)
      count('rounds')
      options.onRound?.(counts, wrong)
      if (wrong.length > 0) break
    }
  } finally {
    isOver = true
    await stormEnds
    give()
    for (const child of children) child?.kill('SIGTERM')
    books_.close()
    for (const proxy of proxies) proxy.close()
    made?.remove()
    server.stop()
    rmSync(dir, {recursive: true, force: true})
  }
  return {counts, wrong, networks: made ? networks.length : 0}
}

/** What the books and the journal say after the last one went over everything in peace. */
function judge(
  server: PostgresServer,
  {merchantId, events, payouts, ceilingPaisa}: Work,
  {arrivals, sends, paid: paidByAll}: Books,
  count: (what: string, by?: number) => void,
): string[] {
  const wrong: string[] = []
  const ceiling = BigInt(ceilingPaisa)
  const mine = new Set(payouts.map(([number]) => number))
  const paid = new Map([...paidByAll].filter(([number]) => mine.has(number)))
  const rows = (select: string) =>
    server
      .sql(
        `${select} AND account_id = (SELECT id FROM hisab.account WHERE merchant_id = '${merchantId}')`,
        'hisab',
      )
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('|'))
  const states = Map.groupBy(
    rows('SELECT delivery_id, state FROM hisab.resends WHERE true'),
    ([id = '']) => id,
  )
  for (const event of events) {
    const times = arrivals.get(event) ?? 0
    const known = (states.get(event) ?? []).map(([, state]) => state)
    const isDoubt = known.some((state) => state === 'intent' || state === 'unknown')
    count(
      times === 0
        ? 'resends in doubt, not arrived'
        : isDoubt
          ? 'resends in doubt, arrived'
          : 'resends arrived',
    )
    if (times > 1) wrong.push(`${event} arrived ${times} times`)
    if (times === 0 && !isDoubt) wrong.push(`${event} never arrived, and nobody says so: ${known.join(', ')}`)
    if (times === 1 && !known.some((state) => state !== 'not_sent'))
      wrong.push(`${event} arrived, and could be sent again: ${known.join(', ')}`)
  }
  const claimed = new Map(
    rows(`SELECT order_no, amount_paisa, state FROM hisab.requests WHERE state <> 'refused'`).map(
      ([number = '', paisa = '']) => [number, BigInt(paisa)],
    ),
  )
  const sum = (amounts: Iterable<bigint>) => Iterator.from(amounts).reduce((all, one) => all + one, 0n)
  const counted = sum(claimed.values())
  if (sum(paid.values()) > ceiling)
    wrong.push(`${sum(paid.values())} paisa were paid, the ceiling is ${ceiling}`)
  if (counted > ceiling) wrong.push(`${counted} paisa were claimed, the ceiling is ${ceiling}`)
  for (const [number, times] of sends)
    if (times > 1 && mine.has(number)) wrong.push(`${number} was sent ${times} times as a new one`)
  for (const [number, paisa] of paid)
    if (claimed.get(number) !== paisa) wrong.push(`${number} was paid, and the journal does not have it so`)
  for (const [number, paisa] of payouts) {
    const isHeld = !claimed.has(number)
    count(
      paid.has(number) ? 'payouts made' : isHeld ? 'payouts over the ceiling' : 'payouts in doubt, not made',
    )
    if (isHeld && counted + BigInt(paisa) <= ceiling) wrong.push(`${number} was refused below the ceiling`)
  }
  return wrong
}
