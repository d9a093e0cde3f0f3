import {type ChildProcess, spawn} from 'node:child_process'
import {availableParallelism} from 'node:os'
import {createInterface} from 'node:readline'
import {fileURLToPath} from 'node:url'

import {Counts} from './counts.ts'

/** A history that showed what no history may. */
export interface Failed {
  readonly seed: number
  readonly problems: readonly string[]
  readonly lines: readonly string[]
}

export interface CampaignEnd {
  readonly played: number
  readonly failed: readonly Failed[]
  readonly counts: ReadonlyMap<string, number>
}

/** One line of a worker. */
export type WorkerMessage =
  | {
      readonly is: 'played'
      readonly histories: number
      readonly counts: readonly (readonly [string, number])[]
    }
  | ({readonly is: 'failed'} & Failed)

const failedMax = 10

/**
 * Plays histories in as many processes as there are processors. Ends early once too many have failed, or when it is
 * stopped, with what was played until then.
 */
export async function runCampaign(
  histories: number,
  seed: number,
  onProgress: (played: number, failed: number) => void = () => {},
  signal?: AbortSignal,
): Promise<CampaignEnd> {
  const workers = Math.min(availableParallelism(), histories)
  const counts = new Counts()
  const failed: Failed[] = []
  let played = 0
  const children: ChildProcess[] = []
  let isStopped = false
  const stop = () => {
    isStopped = true
    for (const child of children) child.kill()
  }
  signal?.addEventListener('abort', stop)
  const work = async (index: number) => {
    const share = Math.floor(histories / workers) + (index < histories % workers ? 1 : 0)
    const worker = fileURLToPath(new URL('campaign-worker.ts', import.meta.url))
    const child = spawn(process.execPath, [worker, `${seed}`, `${index}`, `${workers}`, `${share}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    for await (const line of createInterface({input: child.stdout})) {
      const message = JSON.parse(line) as WorkerMessage
      if (message.is === 'failed') failed.push(message)
      else {
        played += message.histories
        counts.take(message.counts)
      }
      onProgress(played, failed.length)
      if (failed.length >= failedMax) stop()
    }
    const status = await ended
    if (status !== 0 && !isStopped) throw new Error(`a worker of the campaign ended with ${status}`)
  }
  await Promise.all(Array.from({length: workers}, (_, index) => work(index)))
  return {played, failed, counts: new Map([...counts.of].toSorted(([a], [b]) => (a < b ? -1 : 1)))}
}

/** How a history that failed is printed: seed, steps, what is wrong, and the command that plays it again. */
export function tellFailed({seed, problems, lines}: Failed): string {
  const command = `npm run --silent replay:simulator -- ${seed}`
  return [
    `The history of seed ${seed}:`,
    ...lines,
    '',
    ...problems.map((problem) => `WRONG: ${problem}`),
    `Play it again: ${command}`,
  ].join('\n')
}

/** The seed of one history of a campaign. */
export function seedOf(campaignSeed: number, index: number): number {
  let mixed = Math.imul(campaignSeed ^ (campaignSeed >>> 16), 0x7feb352d) + Math.imul(index + 1, 0x9e3779b1)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
