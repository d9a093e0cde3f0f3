import fs from 'node:fs'
import {syncBuiltinESMExports} from 'node:module'

import {Death, type SimulatedProcess} from './process.ts'

type AnyCall = (...args: unknown[]) => unknown

const byPath = ['openSync', 'writeFileSync', 'renameSync', 'mkdirSync', 'linkSync', 'rmSync'] as const
const byNumber = ['writeSync', 'fsyncSync', 'writeFileSync'] as const

/**
 * Stands between hisab and the file system for what is below one folder: files are really written there, and each step
 * of it can find the disk full or be the last thing a process does.
 */
export class Disk {
  /** Whose writes these are; null while nothing simulated runs. */
  process: SimulatedProcess | null = null
  private readonly root: string
  /** Paths of what is open, by descriptor. */
  private readonly open = new Map<unknown, string>()

  constructor(root: string) {
    this.root = root
  }

  /** Takes hold of `node:fs`; what it gives back lets go again. */
  install(): () => void {
    const files = fs as unknown as Record<string, AnyCall>
    const real = {...files}
    for (const name of new Set([...byPath, ...byNumber])) {
      const call = real[name] as AnyCall
      files[name] = (...args) => {
        const [target] = args
        const isPath = typeof target === 'string'
        const isOurs = isPath ? this.holds(target) : this.open.has(target)
        if (!isOurs || !this.process) return call(...args)
        return this.step(name, args, call)
      }
    }
    const close = real.closeSync as AnyCall
    files.closeSync = (fd) => {
      this.open.delete(fd)
      return close(fd)
    }
    syncBuiltinESMExports()
    return () => {
      for (const name of [...byPath, ...byNumber, 'closeSync']) files[name] = real[name] as AnyCall
      syncBuiltinESMExports()
    }
  }

  /** Reports alone: the journal is SQLite's, and is stopped at its own methods. */
  private holds(path: string): boolean {
    return path.startsWith(this.root) && path.includes('/reports')
  }

  private step(name: string, args: unknown[], call: AnyCall): unknown {
    const process = this.process as SimulatedProcess
    if (process.isDead) throw new Death()
    if (name === 'rmSync') return call(...args)
    const path = this.open.get(args[0]) ?? String(name === 'renameSync' ? args[1] : args[0])
    const what = `${name.replace('Sync', '')} of ${path.endsWith('.tmp') ? 'a draft' : (path.split('/').pop() ?? '')}`
    const flags = name === 'openSync' ? String(args[1]) : 'w'
    if (!flags.includes('w')) {
      const fd = call(...args)
      this.open.set(fd, path)
      return fd
    }
    if (!process.beforeWrite(what)) {
      throw Object.assign(new Error('ENOSPC'), {code: 'ENOSPC'})
    }
    const result = call(...args)
    if (name === 'openSync') this.open.set(result, path)
    process.afterWrite(what)
    return result
  }
}
