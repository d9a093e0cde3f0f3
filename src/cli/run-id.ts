import {randomBytes} from 'node:crypto'

/** A run's name: sortable by time, `20261121-041205-7f3a9c`. */
export function newRunId(nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
  return `${stamp}-${randomBytes(3).toString('hex')}`
}
