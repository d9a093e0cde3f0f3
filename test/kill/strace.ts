import {spawnSync} from 'node:child_process'
import {readFileSync} from 'node:fs'
import {basename} from 'node:path'

import type {Point} from './points.ts'

type SystemCallPoint = Extract<Point, {kind: 'system call'}>

/** By which SQLite and hisab put bytes and names on the disk. */
const watched = ['pwrite64', 'fdatasync', 'fsync', 'ftruncate', 'rename', 'link', 'unlink', 'mkdir']

/** Where strace is, and may trace: Linux, and not every container. Without it there are no such points. */
export const hasStrace = spawnSync('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true']).status === 0

/** Lists the calls of the program to a file; [] runs it as it is. With -D the program is the child, and gets the signals. */
export function underStrace(listTo: string): string[] {
  return hasStrace
    ? ['strace', '-D', '-f', '--seccomp-bpf', '-y', '-o', listTo, `--trace=${watched.join()}`]
    : []
}

/** SIGKILL when the call is made: it is not carried out. (With --seccomp-bpf strace 6.1 sends no signal.) */
export function struckAt({call, nth}: SystemCallPoint): string[] {
  const inject = `--inject=${call}:signal=SIGKILL:when=${nth}`
  return ['strace', '-D', '-f', '-o', '/dev/null', `--trace=${call}`, inject]
}

/**
 * Those that touch files of the machine, by the first thread, which is where hisab writes; strace counts each thread
 * by itself, and all its calls.
 */
export function readSystemCalls(listedTo: string, dir: string): SystemCallPoint[] {
  if (!hasStrace) return []
  const counts = new Map<string, number>()
  let main: string | undefined
  return readFileSync(listedTo, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, thread, call, rest] = /^(\d+) +(\w+)\((.*)/.exec(line) ?? []
      main ??= thread
      if (thread !== main || call === undefined || !watched.includes(call)) return []
      const nth = (counts.get(call) ?? 0) + 1
      counts.set(call, nth)
      const path = pathOf(rest ?? '')
      return path.startsWith(dir) ? [{kind: 'system call', call, nth, to: describe(path)}] : []
    })
}

/** From `3</tmp/x/data/journal/p.db-wal>, …` or `"/tmp/x", "/tmp/y"`. */
function pathOf(args: string): string {
  return /^\d+<([^>]*)>/.exec(args)?.[1] ?? args.split('"').at(-2) ?? ''
}

function describe(path: string): string {
  const [, folder, suffix] = /\/(journal|locks|received)\/[^/]+\.db(-\w+)?$/.exec(path) ?? []
  if (folder !== undefined) return `${folder}${suffix ?? ''}`
  const name = basename(path)
  return name.endsWith('.tmp') ? 'a draft' : name.replace(/^\d{8}\S*/, 'the run')
}
