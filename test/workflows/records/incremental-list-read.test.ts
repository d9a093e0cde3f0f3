import {describe, expect, test} from 'vitest'

import type {DeliveryFilter, DeliveryPage} from '../../../src/api/client.ts'
import type {Delivery} from '../../../src/core/order.ts'
import {type ListMark, ListObserver} from '../../../src/core/reconcile/list-order.ts'
import {readFullList} from '../../../src/workflows/records/full-list-read.ts'
import {readListIncrementally} from '../../../src/workflows/records/incremental-list-read.ts'
import {delivery, minuteMs, minutesAgo, nowMs} from '../../core/reconcile/sample.ts'

const pageMax = 50

/** A list of one record a minute, the newest a minute old; `records` stand in the order of the list. */
class MinuteList {
  records: Delivery[]
  readonly asked: number[] = []
  private arrived = 0
  answeredAt: string | null = null
  before: (page: number) => void = () => {}

  constructor(total: number, direction: ListMark['direction'] = 'newest_first') {
    this.records = Array.from({length: total}, (_, index) => at(index + 1))
    if (direction === 'oldest_first') this.records.reverse()
  }

  /** Records that arrive at the new end, each newer than all before. */
  grow(count: number, direction: ListMark['direction'] = 'newest_first'): void {
    for (let n = 0; n < count; n++) {
      const one = at(-++this.arrived / 60, `new-${this.arrived}`)
      if (direction === 'newest_first') this.records.unshift(one)
      else this.records.push(one)
    }
  }

  async listDeliveries({page = 1, limit: wanted = 20}: DeliveryFilter): Promise<DeliveryPage> {
    this.asked.push(page)
    const limit = Math.min(wanted, pageMax)
    this.before(page)
    const {length: total} = this.records
    const records = this.records.slice((page - 1) * limit, page * limit)
    return {
      records,
      page,
      limit,
      total,
      totalPages: Math.ceil(total / limit),
      odd: [],
      answeredAt: this.answeredAt,
    }
  }

  /** What a run that read all of it remembers. */
  async mark(): Promise<ListMark> {
    const {records} = await readFullList(this, {filter: {}, width: 1})
    this.asked.length = 0
    const [only] = records
    return (
      observe(records) ?? {direction: 'newest_first', records: 1, newestId: only?.id ?? '', runId: 'run-0'}
    )
  }
}

function observe(records: readonly Delivery[]): ListMark | null {
  const observer = new ListObserver()
  for (const record of records) observer.see(record)
  return observer.mark('run-0')
}

function at(minutes: number, id = `m-${minutes}`): Delivery {
  return delivery({id, createdAt: minutesAgo(minutes)})
}

async function reading(list: MinuteList, mark: ListMark, fromMinutes: number, toMinutes = -1_000) {
  const firstPage = await list.listDeliveries({page: 1, limit: 100})
  const window = {fromMs: nowMs - fromMinutes * minuteMs, toMs: nowMs - toMinutes * minuteMs}
  const read = new Map<string, Delivery>()
  const sink = {
    clear: () => read.clear(),
    has: (id: string) => read.has(id),
    add: (record: Delivery) => read.size < read.set(record.id, record).size,
    addOdd: () => false,
  }
  const part = await readListIncrementally(list, mark, window, {width: 1, firstPage, sink})
  return part && {...part, records: [...read.values()]}
}

const inWindow = (records: readonly Delivery[], fromMinutes: number, toMinutes = -1_000) =>
  records.filter(({createdAt}) => {
    const ms = Date.parse(createdAt)
    return ms >= nowMs - fromMinutes * minuteMs && ms <= nowMs - toMinutes * minuteMs
  })

describe.each(['newest_first', 'oldest_first'] as const)('a list that stands %s', (direction) => {
  test.each([1_000, 30_000])('of %d records: the pages read grow with the window alone', async (total) => {
    const list = new MinuteList(total, direction)
    const mark = await list.mark()
    expect(mark.direction).toBe(direction)
    const part = await reading(list, mark, 25)
    expect(inWindow(part?.records ?? [], 25)).toHaveLength(25)
    // The first page and the new end, what was read ahead, and the newest record of then again.
    expect(list.asked.length).toBeLessThanOrEqual(4)
  })

  test.each([1, 49, 50, 51, 350])(
    '%d new records are found, and the proof goes on from them',
    async (count) => {
      const list = new MinuteList(500, direction)
      const mark = await list.mark()
      list.grow(count, direction)
      const part = await reading(list, mark, 5)
      expect(inWindow(part?.records ?? [], 5)).toHaveLength(5 + count)
      expect(part?.mark.records).toBe(500 + count)
      list.grow(3, direction)
      expect(await reading(list, part?.mark ?? mark, 5)).not.toBeNull()
    },
  )

  test('that grows while it is read: the window is proven all the same', async () => {
    const list = new MinuteList(5_000, direction)
    const mark = await list.mark()
    list.grow(120, direction)
    list.before = () => list.grow(3, direction)
    const part = await reading(list, mark, 300)
    expect(inWindow(part?.records ?? [], 300).length).toBeGreaterThanOrEqual(420)
    expect(list.asked.length).toBeLessThan(20)
    list.before = () => {}
    expect(await reading(list, part?.mark ?? mark, 5)).not.toBeNull()
  })

  test.each([0, 1, 30])(
    'of a fixed length, %d pushed out by as many that came: nothing is proven',
    async (count) => {
      const list = new MinuteList(500, direction)
      const mark = await list.mark()
      const roll = (times: number) => {
        list.grow(times, direction)
        if (direction === 'newest_first') list.records.splice(list.records.length - times)
        else list.records.splice(0, times)
      }
      roll(count)
      list.before = () => {
        if (count === 0) roll(1)
      }
      expect(await reading(list, mark, 25)).toBeNull()
    },
  )
})

test.each(['newest_first', 'oldest_first'] as const)(
  'a copy without one old record of the window answers once or twice, while the list grows, %s: never proven without it',
  async (direction) => {
    for (const lagging of [[3], [4], [5], [3, 4], [4, 5], [5, 6]]) {
      for (let minutes = 40; minutes < 200; minutes += 7) {
        const list = new MinuteList(500, direction)
        const mark = await list.mark()
        let whole = list.records
        list.before = () => {
          list.records = whole
          list.grow(1, direction)
          whole = [...list.records]
          if (lagging.includes(list.asked.length))
            list.records = whole.filter(({id}) => id !== `m-${minutes}`)
        }
        const part = await reading(list, mark, 200)
        expect([lagging, minutes, part?.records.some(({id}) => id === `m-${minutes}`) ?? true]).toEqual([
          lagging,
          minutes,
          true,
        ])
      }
    }
  },
)

describe('what proves nothing is read to its end instead', () => {
  const doubts: [what: string, change: (list: MinuteList) => void][] = [
    ['a record was put in far from the new end', (list) => list.records.splice(400, 0, at(3, 'late'))],
    [
      'one was put in while another was taken away',
      (list) =>
        list.records.splice(400, 1, at(3, 'late')) &&
        list.records.unshift(at(0.5)) &&
        list.records.splice(300, 1),
    ],
    ['records were taken away', (list) => list.records.splice(490)],
    ['an old record came back to the front', (list) => list.records.unshift(...list.records.splice(300, 1))],
    ['the new records are not in order', (list) => list.records.unshift(at(0.1), at(0.2), at(0.1, 'again'))],
    ['a new record stands behind the newest of then', (list) => list.records.splice(1, 0, at(0.5))],
  ]
  test.each(doubts)('%s', async (_what, change) => {
    const list = new MinuteList(500)
    const mark = await list.mark()
    change(list)
    expect(await reading(list, mark, 25)).toBeNull()
  })

  test('a list that is in order but for one record leaves no mark', () => {
    const {records} = new MinuteList(50)
    expect(observe(records)?.direction).toBe('newest_first')
    expect(observe([...records.slice(0, 40), at(3, 'late'), ...records.slice(40)])).toBeNull()
    expect(observe([])).toBeNull()
    expect(observe([at(1)])).toBeNull()
  })

  test('a record that leaves while the window is read', async () => {
    const list = new MinuteList(500)
    const mark = await list.mark()
    list.before = () => {
      if (list.asked.length === 4) list.records.splice(20, 1)
    }
    expect(await reading(list, mark, 400)).toBeNull()
  })

  test('oldest first: a new record leaves as another arrives, before the new end is read', async () => {
    const list = new MinuteList(500, 'oldest_first')
    const mark = await list.mark()
    list.grow(20, 'oldest_first')
    list.answeredAt = new Date(nowMs + 20_500).toISOString()
    list.before = () => {
      if (list.asked.length !== 2) return
      list.records.splice(510, 1)
      list.grow(1, 'oldest_first')
    }
    expect(await reading(list, mark, 25)).toBeNull()
  })

  test('a new record is brought to the front while the window is read', async () => {
    const list = new MinuteList(500)
    const mark = await list.mark()
    list.grow(200)
    list.before = () => {
      if (list.asked.length === 3) list.records.unshift(...list.records.splice(180, 1))
    }
    expect(await reading(list, mark, 400)).toBeNull()
  })

  test.each<[what: string, before: (list: MinuteList) => void, meanwhile: (list: MinuteList) => void]>([
    [
      'an old record that left, and one that is put in while the window is read',
      ({records}) => records.splice(490, 1) && records.unshift(at(0.1)),
      ({records}) => records.push(at(600)),
    ],
    [
      'an old record that leaves while the window is read, and a new one that arrives',
      () => {},
      ({records}) => records.splice(490, 1) && records.unshift(at(0.1)),
    ],
  ])('%s', async (_what, before, meanwhile) => {
    const list = new MinuteList(500)
    const mark = await list.mark()
    before(list)
    list.before = () => {
      if (list.asked.length === 2) meanwhile(list)
    }
    expect(await reading(list, mark, 25)).toBeNull()
  })
})
