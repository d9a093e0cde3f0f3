import {fileURLToPath} from 'node:url'

import type {RunOptions} from '../acceptance/own-home.ts'

export const moments = ['before acting', 'before answering', 'after answering'] as const
/** How far a call had come, seen from whoever takes it. */
export type Moment = (typeof moments)[number]

/** Where a process is killed. Each counts from 1 among its like, so that a point stays where it is when others shift. */
export type Point =
  | {readonly kind: 'call'; readonly call: string; readonly nth: number; readonly moment: Moment}
  /** A statement, a commit, a sync, a rename: what `trap.cjs` numbers. */
  | {readonly kind: 'write'; readonly step: string; readonly nth: number}
  /** Inside SQLite too, between two pages of one commit: what `strace` numbers. `to` only explains. */
  | {readonly kind: 'system call'; readonly call: string; readonly nth: number; readonly to: string}

export const kinds = ['call', 'write', 'system call'] as const

const shownMoments: Readonly<Record<Moment, string>> = {
  'before acting': 'which gets lost',
  'before answering': 'acted upon and not answered',
  'after answering': 'its answer on the way',
}

export function nameOf(point: Point): string {
  const {kind, nth} = point
  switch (kind) {
    case 'call':
      return `call: ${point.call} ${nth}, ${shownMoments[point.moment]}`
    case 'write':
      return `write: ${point.step}, ${nth}`
    case 'system call':
      return `system call: ${point.call} ${nth}, ${point.to}`
  }
}

export interface Trap {
  /** A file that gets a line for each step. */
  readonly listTo?: string
  readonly at?: Pick<Extract<Point, {kind: 'write'}>, 'step' | 'nth'>
}

const trapFile = fileURLToPath(new URL('trap.cjs', import.meta.url))

/** The environment in which Node loads the trap before hisab; with nothing to trap it only makes its waits short. */
export function trapped(trap: Trap = {}): NonNullable<RunOptions['env']> {
  return {NODE_OPTIONS: `--require ${JSON.stringify(trapFile)}`, KILL_TRAP: JSON.stringify(trap)}
}
