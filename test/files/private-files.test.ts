import {spawnSync} from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'

import {describe, expect, test} from 'vitest'

import {Failure} from '../../src/core/failure.ts'
import {writeSetAtomically} from '../../src/files/file-set.ts'
import {
  createPrivateFile,
  ensurePrivateFile,
  makeOwnDir,
  makePrivateDir,
  writeFileAtomically,
} from '../../src/files/private-files.ts'
import {isPossible, runShell} from '../journal/run-child.ts'
import {modeOf, tempDir} from '../temp-dir.ts'

describe('folders (P25)', () => {
  test('a new folder and the missing ones above it are 0700', () => {
    const dir = tempDir()
    makePrivateDir(join(dir, 'a/b'))
    expect([modeOf(join(dir, 'a')), modeOf(join(dir, 'a/b'))]).toEqual(['700', '700'])
  })

  test.each([
    ['the user’s own folder keeps its mode', makePrivateDir, 0o755, '755'],
    ['a folder of hisab’s that is too open is closed', makeOwnDir, 0o755, '700'],
    ['a shared folder with the sticky bit is not touched', makeOwnDir, 0o1777, '777'],
  ] as const)('%s', (_, make, before, after) => {
    const dir = join(tempDir(), 'there')
    mkdirSync(dir)
    chmodSync(dir, before)
    make(dir)
    expect(modeOf(dir)).toBe(after)
  })

  test('a file in the way is a storage failure that names it', () => {
    const path = join(tempDir(), 'report')
    writeFileSync(path, '')
    expect(() => makePrivateDir(path)).toThrow(expect.objectContaining({code: 'storage_failed'}))
    expect(() => makePrivateDir(join(path, 'inside'))).toThrow(/report/)
  })

  test('so is a link that leads nowhere', () => {
    const path = join(tempDir(), 'unmounted')
    symlinkSync('/nowhere', path)
    for (const dir of [path, join(path, 'inside/report')]) {
      expect(() => makePrivateDir(dir)).toThrow(expect.objectContaining({code: 'storage_failed'}))
    }
  })

  test.skipIf(!existsSync('/proc/self'))('one below which nothing can be made ends at once (P17)', () => {
    expect(() => makePrivateDir('/proc/report/a')).toThrow(/\/proc\/report/)
  })
})

describe('files for SQLite', () => {
  test('a new one is 0600, and one that is too open is closed', () => {
    const path = join(tempDir(), 'x.db')
    ensurePrivateFile(path)
    expect(modeOf(path)).toBe('600')
    chmodSync(path, 0o644)
    ensurePrivateFile(path)
    expect(modeOf(path)).toBe('600')
  })

  test('a symbolic link is refused: it could lead the record elsewhere', () => {
    const path = join(tempDir(), 'x.db')
    symlinkSync('/etc/passwd', path)
    expect(() => ensurePrivateFile(path)).toThrow(/not a regular file/)
  })
})

describe('what a killed process was writing', () => {
  /** The number of a process that has been. */
  const gone = spawnSync(process.execPath, ['--version']).pid
  const draftOf = (pid: number) => `.hisab-${pid}-0123456789abcdef.tmp`

  test.each([
    ['a file is replaced', writeFileAtomically],
    ['a file is made', createPrivateFile],
  ])('is cleared away when %s in its folder', (_, write) => {
    const dir = tempDir()
    writeFileSync(join(dir, draftOf(gone)), 'half a rep')
    write(join(dir, 'report.json'), 'whole')
    expect(readdirSync(dir)).toEqual(['report.json'])
  })

  test('a draft of a process that lives, and what only looks like a draft, stay', () => {
    const dir = tempDir()
    const others = [draftOf(process.pid), draftOf(gone).replace('hisab', 'mine'), 'report.tmp']
    for (const name of others) writeFileSync(join(dir, name), 'of another')
    writeFileAtomically(join(dir, 'report.json'), 'whole')
    expect(readdirSync(dir).sort()).toEqual([...others, 'report.json'].sort())
  })
})

describe('writing a file whole or not at all (P16)', () => {
  test('text and bytes arrive, 0600, over an open old file, with nothing left beside them', () => {
    const dir = tempDir()
    const path = join(dir, 'report.json')
    writeFileSync(path, 'old', {mode: 0o644})
    writeFileAtomically(path, '{"টাকা":1}')
    expect(readFileSync(path, 'utf8')).toBe('{"টাকা":1}')
    writeFileAtomically(path, new Uint8Array([0, 255]))
    expect([...readFileSync(path)]).toEqual([0, 255])
    expect(modeOf(path)).toBe('600')
    expect(readdirSync(dir)).toEqual(['report.json'])
  })

  test.each([
    ['a folder that is not there', 'gone/report.json'],
    ['a folder with the name of the file', 'taken'],
  ])('%s: storage_failed, and nothing is left behind', (_, name) => {
    const dir = tempDir()
    mkdirSync(join(dir, 'taken'))
    expect(() => writeFileAtomically(join(dir, name), 'x')).toThrow(
      expect.objectContaining({code: 'storage_failed', hint: expect.stringContaining('folder')}),
    )
    expect(readdirSync(dir)).toEqual(['taken'])
  })

  const full = Object.assign(new Error('no space left'), {code: 'ENOSPC'})
  const unread = new Failure('storage_failed', 'The working file: disk full.', 'Free some space.')
  const slip = new TypeError('Cannot read properties of undefined')
  const misuse = Object.assign(new TypeError('of type string'), {code: 'ERR_INVALID_ARG_TYPE'})
  test.each([
    ['the disk is full', full, {code: 'storage_failed', message: expect.stringContaining('(ENOSPC)')}],
    ['a piece cannot be read', unread, {message: unread.message}],
    ['a slip of ours', slip, {name: 'TypeError', message: slip.message}],
    ['a call that Node refuses us', misuse, {name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE'}],
  ])('%s amid the pieces: said as what it is, and no file is half', (_, error, said) => {
    const dir = tempDir()
    writeFileSync(join(dir, 'old.csv'), 'of yesterday')
    function* pieces() {
      yield 'x'.repeat(100_000)
      throw error
    }
    for (const name of ['old.csv', 'new.csv']) {
      expect(() => writeFileAtomically(join(dir, name), pieces())).toThrow(expect.objectContaining(said))
    }
    expect(readdirSync(dir)).toEqual(['old.csv'])
    expect(readFileSync(join(dir, 'old.csv'), 'utf8')).toBe('of yesterday')
  })

  test.skipIf(!isPossible('ulimit -f 64'))('no room: the old report stays whole', () => {
    const dir = tempDir()
    const path = join(dir, 'report.json')
    writeFileSync(path, 'the report of yesterday')
    const {said} = runShell('ulimit -f 64; exec "$NODE" "$CHILD" report "$DATA"', dir)
    expect(JSON.parse(said)).toMatchObject({code: 'storage_failed', hint: expect.stringContaining('space')})
    expect(readFileSync(path, 'utf8')).toBe('the report of yesterday')
    expect(readdirSync(dir)).toEqual(['report.json'])
  })
})

describe('files that belong together (P16)', () => {
  const names = ['a.json', 'b.html', 'c.csv']
  const write = (dir: string, text: string, failing?: string) =>
    writeSetAtomically(
      dir,
      names
        .map((name) => ({
          path: join(dir, name),
          *content() {
            yield text
            if (name === failing) throw new Failure('storage_failed', 'No room.', 'Make some.')
          },
        }))
        .map(({path, content}) => ({path, content: content()})),
      [join(dir, 'old.csv'), join(dir, 'old.xlsx')],
    )
  const textsIn = (dir: string) =>
    readdirSync(dir, {withFileTypes: true}).map((entry) =>
      entry.isFile() ? `${entry.name}: ${readFileSync(join(dir, entry.name), 'utf8')}` : entry.name,
    )

  test('are replaced all, and what is stale goes', () => {
    const dir = tempDir()
    writeFileSync(join(dir, 'old.csv'), 'yesterday')
    write(dir, 'yesterday')
    write(dir, 'today')
    expect(textsIn(dir)).toEqual(names.map((name) => `${name}: today`))
    expect(modeOf(join(dir, 'c.csv'))).toBe('600')
  })

  test.each(names)('stay as they were where the text of %s cannot be made', (failing) => {
    const dir = tempDir()
    write(dir, 'yesterday')
    expect(() => write(dir, 'today', failing)).toThrow('No room.')
    expect(textsIn(dir)).toEqual(names.map((name) => `${name}: yesterday`))
  })

  test.each(names)('stay as they were where a folder stands in the place of %s', (name) => {
    const dir = tempDir()
    write(dir, 'yesterday')
    rmSync(join(dir, name))
    mkdirSync(join(dir, name))
    const before = textsIn(dir)
    expect(() => write(dir, 'today')).toThrow(expect.objectContaining({code: 'storage_failed'}))
    expect(textsIn(dir)).toEqual(before)
  })

  test('stay as they were where one that is stale cannot go', () => {
    const dir = tempDir()
    write(dir, 'yesterday')
    writeFileSync(join(dir, 'old.csv'), 'yesterday')
    mkdirSync(join(dir, 'old.xlsx'))
    const before = textsIn(dir)
    expect(() => write(dir, 'today')).toThrow(expect.objectContaining({code: 'storage_failed'}))
    expect(textsIn(dir)).toEqual(before)
  })

  test('are not made in part where there were none', () => {
    const dir = tempDir()
    mkdirSync(join(dir, 'b.html'))
    expect(() => write(dir, 'today')).toThrow(expect.objectContaining({code: 'storage_failed'}))
    expect(textsIn(dir)).toEqual(['b.html'])
  })
})
