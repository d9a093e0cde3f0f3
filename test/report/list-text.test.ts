import {expect, test} from 'vitest'

import {type ListColumn, listText, streamPartial} from '../../src/report/list-text.ts'
import {plain} from '../../src/report/table.ts'

interface Row {
  readonly id: string
  readonly event: string
  readonly state: string
  readonly why: string | null
}

const columns: ListColumn<Row>[] = [
  {name: 'id', title: 'ID', kind: 'text', value: ({id}) => id},
  {name: 'event', title: 'EVENT', kind: 'text', dropRank: 2, value: ({event}) => event},
  {name: 'state', title: 'STATE', kind: 'text', dropRank: 1, value: ({state}) => state},
  {name: 'why', title: 'WHY', kind: 'text', isBelow: true, value: ({why}) => why},
]
const row = (id: string, why: string | null = null): Row => ({
  id,
  event: 'order.completed',
  state: 'skipped',
  why,
})

test('what somebody else wrote is no formula, in a column of numbers and behind another separator either (P24)', () => {
  const cells: ListColumn<{text: string}>[] = [
    {name: 'amount', kind: 'number', value: ({text}) => text},
    {name: 'note', kind: 'text', value: ({text}) => `a;${text}`},
  ]
  const csv = (text: string) => listText('csv', cells, [{text}], plain).split('\n')[1]
  expect(csv('=cmd|x')).toBe("'=cmd|x,a;'=cmd|x")
  expect(csv('\u001b[2J')).toBe('\\u{1b}[2J,a;\\u{1b}[2J')
  expect(csv('-100.00')).toBe("-100.00,a;'-100.00")
})

test.each([
  [undefined, 'ID  EVENT            STATE'],
  [28, 'ID  EVENT            STATE'],
  [27, 'ID  STATE'],
  [10, 'ID'],
  [1, 'ID'],
])('on a screen of %s columns the header is "%s"', (width, head) => {
  expect(listText('table', columns, [row('a')], plain, width).split('\n')[0]).toBe(head)
})

test('a reason that rows share stands once, below the last of them, and is wrapped', () => {
  const rows = [
    row('a'),
    row('b', 'held back for good'),
    row('c', 'held back for good'),
    row('d', 'due again'),
  ]
  expect(`\n${listText('table', columns, rows, plain, 18)}`).toBe(`
ID  STATE
a   skipped
b   skipped
c   skipped
    held back for
    good
d   skipped
    due again`)
})

test('hostile text moves nothing', () => {
  const text = listText('table', columns, [row('a\u001b[2J', 'b\n\u202ec')], plain, 80)
  expect(text).not.toMatch(/[\u001b\u202e]/)
  expect(text.split('\n')).toHaveLength(3)
})

test('a CSV that is not whole has as many cells in its last line as in the others', () => {
  expect(streamPartial('csv', 'it moved, twice', 4)).toBe('"PARTIAL: it moved, twice",,,\n')
  expect(streamPartial('ndjson', 'it moved', 4)).toBe('')
})
