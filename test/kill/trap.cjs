// Loaded by Node before hisab, through NODE_OPTIONS: numbers the steps by which a process writes down what it does,
// and kills the process at one of them. hisab itself knows nothing of it. KILL_TRAP is JSON, see `trapped` in points.ts.
const fs = require('node:fs')
const {basename} = require('node:path')
const {DatabaseSync, StatementSync} = require('node:sqlite')
require('../hurry.cjs')

/** @type {{listTo?: string, at?: {step: string, nth: number}}} */
const {listTo, at} = JSON.parse(process.env.KILL_TRAP ?? '{}')
const {openSync, writeSync} = fs
const list = listTo === undefined ? null : openSync(listTo, 'a')
const timesOf = new Map()
/** @type {Map<number, string>} */
const openFiles = new Map()
let lastChange = 'nothing'

/** The process does not outlive a step it was to be killed at: SIGKILL runs no handler and flushes nothing. */
function pass(step, before = () => {}) {
  const nth = (timesOf.get(step) ?? 0) + 1
  timesOf.set(step, nth)
  if (list !== null) writeSync(list, `${step}\n`)
  if (at?.step !== step || at.nth !== nth) return
  before()
  process.kill(process.pid, 'SIGKILL')
}

function wrap(owner, name, around) {
  const original = owner[name]
  owner[name] = function (...args) {
    return around.call(this, () => original.apply(this, args), ...args)
  }
}

/** `INSERT INTO resends`, `COMMIT`; null for what only reads. */
function changeOf(sql) {
  const text = sql.replace(/--.*/g, ' ').replace(/\s+/g, ' ').trim()
  if (/^(BEGIN|COMMIT|ROLLBACK)\b/i.test(text)) return text.split(' ')[0].toUpperCase()
  if (/^PRAGMA \w+ = /i.test(text)) return text.slice(0, 40)
  const [, words] =
    /^((?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM|CREATE TABLE|ALTER TABLE) \w+)/i.exec(text) ?? []
  return words ?? null
}

function aroundChange(go, sql) {
  const change = changeOf(sql)
  if (change === null) return go()
  const step = change === 'COMMIT' ? `COMMIT of ${lastChange}` : change
  if (!/^(BEGIN|COMMIT|ROLLBACK)$/.test(change)) lastChange = change
  pass(`before ${step}`)
  const result = go()
  // After any other statement nothing has changed for anybody else.
  if (change === 'COMMIT') pass(`after ${step}`)
  return result
}

wrap(DatabaseSync.prototype, 'exec', aroundChange)
wrap(StatementSync.prototype, 'run', function (go) {
  return aroundChange(go, this.sourceSQL)
})
wrap(DatabaseSync.prototype, 'close', (go) => {
  pass('before a database is closed')
  return go()
})

/** Drafts and run ids have names that chance gave them. */
function nameOf(path) {
  const name = basename(String(path))
  return /\.tmp$/.test(name) ? 'the draft' : name.replace(/^\d{8}.*/, 'the run')
}

wrap(fs, 'openSync', (go, path) => {
  const file = go()
  openFiles.set(file, nameOf(path))
  return file
})
wrap(fs, 'closeSync', (go, file) => {
  openFiles.delete(file)
  return go()
})
wrap(fs, 'writeFileSync', (go, file, content) => {
  const name = typeof file === 'number' ? (openFiles.get(file) ?? 'a file') : nameOf(file)
  pass(`half through the writing of ${name}`, () => {
    const bytes = Buffer.from(content)
    const half = bytes.subarray(0, bytes.length >> 1)
    writeSync(typeof file === 'number' ? file : openSync(file, 'w'), half)
  })
  return go()
})
wrap(fs, 'fsyncSync', (go, file) => {
  pass(`before the sync of ${openFiles.get(file) ?? 'a file'}`)
  return go()
})
for (const name of ['renameSync', 'linkSync']) {
  wrap(fs, name, (go, _from, to) => {
    const step = `${name === 'renameSync' ? 'rename' : 'link'} to ${nameOf(to)}`
    pass(`before the ${step}`)
    const result = go()
    pass(`after the ${step}`)
    return result
  })
}
for (const name of ['rmSync', 'mkdirSync']) {
  wrap(fs, name, (go, path) => {
    pass(`before the ${name.replace('Sync', '')} of ${nameOf(path)}`)
    return go()
  })
}
