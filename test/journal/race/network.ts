import {spawn, spawnSync} from 'node:child_process'
import {once} from 'node:events'

/** Machines of their own as far as the kernel has them: a network namespace each, one cable to this one. */
export interface Network {
  /** Where a process there finds this machine. */
  readonly host: string
  /** What starts a program there. */
  readonly under: readonly string[]
  /** A black hole: the cable is out. */
  readonly unplug: (isOut: boolean) => void
}

const ip = (...args: readonly string[]) => spawnSync('ip', [...args], {encoding: 'utf8'}).status === 0

/** Null where this process may not make any. */
export function makeNetworks(count: number): {readonly networks: Network[]; remove(): void} | null {
  const names = Array.from({length: count}, (_, n) => `race-${process.pid}-${n}`)
  const remove = () => {
    for (const name of names) ip('netns', 'delete', name)
  }
  const networks: Network[] = []
  for (const [n, name] of names.entries()) {
    const [cable, net] = [`race${n}-${process.pid % 10_000}`, `10.${100 + (process.pid % 100)}.${n}`]
    const isMade =
      ip('netns', 'add', name) &&
      ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name) &&
      ip('addr', 'add', `${net}.1/24`, 'dev', cable) &&
      ip('link', 'set', cable, 'up') &&
      ip('-n', name, 'addr', 'add', `${net}.2/24`, 'dev', 'eth0') &&
      ip('-n', name, 'link', 'set', 'eth0', 'up')
    if (!isMade) {
      remove()
      return null
    }
    // In turn: on a busy machine the second could be over first, and the cable stay out.
    let turn: Promise<unknown> = Promise.resolve()
    const unplug = (isOut: boolean) => {
      turn = turn.then(() =>
        once(spawn('ip', ['link', 'set', cable, isOut ? 'down' : 'up'], {stdio: 'ignore'}), 'exit'),
      )
    }
    networks.push({host: `${net}.1`, under: ['nsenter', `--net=/run/netns/${name}`], unplug})
  }
  return {networks, remove}
}
