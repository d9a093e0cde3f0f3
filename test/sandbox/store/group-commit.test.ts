import {expect, it} from 'vitest'

import {openStateDatabase, transact} from '../../../src/sandbox/store/database.ts'
import {openGroupCommit} from '../../../src/sandbox/store/group-commit.ts'

function open() {
  const db = openStateDatabase(null)
  const insert = db.prepare('INSERT INTO balances VALUES (?, ?)')
  const kept = () =>
    db
      .prepare('SELECT merchant_id AS id FROM balances ORDER BY id')
      .all()
      .map(({id}) => id)
  return {db, group: openGroupCommit(db), add: (id: string) => void insert.run(id, 1), kept}
}

it('one of a group that fails takes back its own work, also what it nested, and nobody else’s', async () => {
  const {db, group, add, kept} = open()
  const told: string[] = []
  const good = (id: string) =>
    group.run(() => {
      add(id)
      group.afterCommit(() => told.push(id))
      return id
    })
  const bad = group.run(() => {
    add('half')
    group.afterCommit(() => told.push('half'))
    transact(db, () => add('nested'))
    throw new Error('refused')
  })
  const all = await Promise.allSettled([good('a'), bad, good('b')])
  expect(all.map(({status}) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(kept()).toEqual(['a', 'b'])
  expect(told).toEqual(['a', 'b'])
})

it('a commit that fails keeps nothing, tells nothing, and everybody hears of it', async () => {
  const {db, group, add, kept} = open()
  db.exec(
    'CREATE TABLE strict_end (id INTEGER PRIMARY KEY, of INTEGER REFERENCES strict_end DEFERRABLE INITIALLY DEFERRED)',
  )
  const told: string[] = []
  const tell = () => group.afterCommit(() => told.push('told'))
  const first = group.run(() => {
    add('a')
    tell()
  })
  const second = group.run(() => db.exec('INSERT INTO strict_end VALUES (1, 2)'))
  const all = await Promise.allSettled([first, second])
  expect(all.map(({status}) => status)).toEqual(['rejected', 'rejected'])
  expect([kept(), told]).toEqual([[], []])
  await group.run(() => add('b'))
  expect(kept()).toEqual(['b'])
})

it('what happens outside a group is told at once', () => {
  const told: string[] = []
  open().group.afterCommit(() => told.push('now'))
  expect(told).toEqual(['now'])
})
