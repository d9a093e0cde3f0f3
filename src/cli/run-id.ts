import {randomBytes} from 'node:crypto'

export function newRunId(nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
  return `${stamp}-${randomBytes(3).toString('hex')}`
}
