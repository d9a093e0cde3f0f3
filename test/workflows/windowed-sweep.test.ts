import {describe, expect, test} from 'vitest'

import type {DeliveryFilter, DeliveryPage} from '../../src/api/client.ts'
import type {Delivery} from '../../src/core/order.ts'
import {type ListMark, ListObserver} from '../../src/core/reconcile/list-order.ts'
import {sweepDeliveries} from '../../src/workflows/sweep.ts'
import {sweepWindow} from '../../src/workflows/windowed-sweep.ts'
import {delivery, minuteMs, minutesAgo, nowMs} from '../core/reconcile/sample.ts'

const limit = 10

/** A list of one record a minute, the newest a minute old; `records` stand in the order of the list. */
class MinuteList {
  records: Delivery[]
  readonly asked: number[] = []
  private arrived = 0
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

  async listDeliveries({page = 1}: DeliveryFilter): Promise<DeliveryPage> {
    this.asked.push(page)
    this.before(page)
    const {length: total} = this.records
    const records = this.records.slice((page - 1) * limit, page * limit)
    return {records, page, limit, total, totalPages: Math.ceil(total / limit)}
  }

  /** What a run that read all of it remembers. */
  async mark(): Promise<ListMark> {
    const {records} = await sweepDeliveries(this, {filter: {}, width: 1})
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

async function sweep(
  list: MinuteList,
  mark: ListMark,
  fromMinutes: number,
  toMinutes = -1_000,
  lookUpsLeft: (reachesNewest: boolean) => number = () => 0,
) {
  const firstPage = await list.listDeliveries({page: 1})
  const window = {fromMs: nowMs - fromMinutes * minuteMs, toMs: nowMs - toMinutes * minuteMs}
  const read = new Map<string, Delivery>()
  const sink = {
    clear: () => read.clear(),
    add: (record: Delivery) => read.size < read.set(record.id, record).size,
  }
  const part = await sweepWindow(list, mark, window, {width: 1, firstPage, sink, lookUpsLeft})
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
    const part = await sweep(list, mark, 25)
    expect(inWindow(part?.records ?? [], 25)).toHaveLength(25)
    // Three pages of the window, what was read ahead, the first page and the new end again.
    expect(list.asked.length).toBeLessThanOrEqual(7)
  })

  test.each([1, 9, 10, 11, 35])(
    '%d new records are found, and the proof goes on from them',
    async (count) => {
      const list = new MinuteList(500, direction)
      const mark = await list.mark()
      list.grow(count, direction)
      const part = await sweep(list, mark, 5)
      expect(inWindow(part?.records ?? [], 5)).toHaveLength(5 + count)
      expect(part?.mark.records).toBe(500 + count)
      list.grow(3, direction)
      expect(await sweep(list, part?.mark ?? mark, 5)).not.toBeNull()
    },
  )

  test('what is handed on without a gap are the newest records and no other: the old end was read out of turn', async () => {
    const list = new MinuteList(500, direction)
    const part = await sweep(list, await list.mark(), 25)
    expect(part?.reachesNewest).toBe(true)
    const ages = part?.records.map(({id}) => Number(id.slice(2))) ?? []
    expect(Math.max(...ages)).toBe(ages.length)
  })

  test('a window long ago is found by halving, and says that it left a gap', async () => {
    const list = new MinuteList(20_000, direction)
    const mark = await list.mark()
    const part = await sweep(list, mark, 15_020, 15_001)
    expect(inWindow(part?.records ?? [], 15_020, 15_001)).toHaveLength(20)
    expect(part?.reachesNewest).toBe(false)
    expect(list.asked.length).toBeLessThan(25)
  })
})

describe('the rest of the list in place of look-ups', () => {
  // 500 records on 50 pages: the window takes 4 of them, the mark's and what was read ahead among them.
  test.each([
    [45, 4],
    [46, 50],
  ])('%d orders left to look up: %d pages are read', async (left, pages) => {
    const list = new MinuteList(500)
    const part = await sweep(list, await list.mark(), 25, undefined, () => left)
    expect([part?.pagesRead, part?.isWhole, part?.records.length]).toEqual([pages, pages === 50, pages * 10])
  })

  test('a window long ago leaves a gap, and is told so; the rest closes it', async () => {
    const list = new MinuteList(500)
    const told: boolean[] = []
    const part = await sweep(
      list,
      await list.mark(),
      320,
      301,
      (reachesNewest) => told.push(reachesNewest) * 99,
    )
    expect(told).toEqual([false])
    expect(part).toMatchObject({isWhole: true, reachesNewest: true, pagesRead: 50})
  })

  test('a record that arrives on the way: the window alone, the second time', async () => {
    const list = new MinuteList(500)
    const mark = await list.mark()
    list.before = (page) => {
      if (page === 40) list.grow(1)
    }
    const part = await sweep(list, mark, 25, undefined, () => 99)
    expect(part).toMatchObject({isWhole: false, mark: {records: 501}})
    expect(list.asked.filter((page) => page === 40)).toHaveLength(1)
  })

  test('a record that went while another came in unseen proves nothing', async () => {
    const list = new MinuteList(500)
    const mark = await list.mark()
    list.records.splice(400, 1)
    list.records.splice(450, 0, at(3, 'late'))
    expect(await sweep(list, mark, 25)).not.toBeNull()
    expect(await sweep(list, mark, 25, undefined, () => 99)).toBeNull()
  })
})

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
    expect(await sweep(list, mark, 25)).toBeNull()
  })

  test('a list that is in order but for one record leaves no mark', () => {
    const {records} = new MinuteList(50)
    expect(observe(records)?.direction).toBe('newest_first')
    expect(observe([...records.slice(0, 40), at(3, 'late'), ...records.slice(40)])).toBeNull()
    expect(observe([])).toBeNull()
    expect(observe([at(1)])).toBeNull()
  })

  test('a list that moves while it is read is read again, four times, and then not believed', async () => {
    const list = new MinuteList(500)
    const mark = await list.mark()
    list.before = () => list.grow(1)
    expect(await sweep(list, mark, 25)).toBeNull()
    expect(list.asked.filter((page) => page === 1).length).toBeGreaterThan(4)
  })

  test('a list that moved once is read again and believed', async () => {
    const list = new MinuteList(500)
    const mark = await list.mark()
    list.before = (page) => {
      if (page !== 3) return
      list.grow(1)
      list.before = () => {}
    }
    const part = await sweep(list, mark, 25)
    expect(inWindow(part?.records ?? [], 25)).toHaveLength(26)
  })

  test('a record that arrives before the new end is looked at again is read too', async () => {
    const list = new MinuteList(500)
    const mark = await list.mark()
    list.before = (page) => {
      if (page !== 1 || list.asked.length < 2) return
      list.grow(1)
      list.before = () => {}
    }
    const part = await sweep(list, mark, 25)
    expect(inWindow(part?.records ?? [], 25)).toHaveLength(26)
  })
})
