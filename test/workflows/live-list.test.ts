import {describe, expect, test} from 'vitest'

import type {DeliveryFilter} from '../../src/api/client.ts'
import {
  readFullList,
  readFullListInto,
  type StreamedList,
  streamDeliveries,
} from '../../src/workflows/records/full-list-read.ts'
import {LiveList} from './live-list.ts'

/**
 * Reads it, and puts what was said of it beside the service's own books: what stood in it at the first answer.
 */
async function read(list: LiveList, width = 1) {
  const seen = new Set<string>()
  const {complete, because} = await readFullListInto(
    list,
    {filter: {}, width},
    {
      again: () => {},
      add: ({id}) => seen.add(id),
      addOdd: ({id}) => seen.add(id),
    },
  )
  const missed = list.atFirst.filter(({id}) => !seen.has(id)).length
  return {complete, because, missed, calls: list.answers}
}

const growing: [name: string, arrive: (list: LiveList) => void][] = [
  ['newest first', (list) => list.arriveFirst()],
  ['oldest first', (list) => list.arriveLast()],
  ['in no order', (list) => list.arriveAnywhere()],
]

/** Arrivals in the midst of a list are seen by a second reading. */
const readingsOf = (name: string) => (name === 'in no order' ? 2 : 1)

describe.each(growing)('a list that grows while it is read, %s', (name, arrive) => {
  test.each([
    [1, 1],
    [4, 1],
    [16, 2],
    [16, 5],
  ])('width %d, %d records between two answers: whole, in one or two readings', async (width, perAnswer) => {
    const list = new LiveList(3_000)
    list.turnsMax = width
    list.happening = () => {
      for (let n = 0; n < perAnswer; n++) arrive(list)
    }
    const told = await read(list, width)
    expect(told).toMatchObject({complete: true, because: null, missed: 0})
    expect(told.calls).toBeLessThan(70 * readingsOf(name))
  })
})

describe('a list of a fixed length, where each arrival pushes the oldest out', () => {
  const rolling: typeof growing = [
    ['newest first', (list) => list.roll('first')],
    ['oldest first', (list) => list.roll('last')],
  ]
  test.each(rolling)('%s: whole only if all that stood in it at the start was seen', async (name, roll) => {
    for (const everyNth of [1, 3, 10]) {
      const list = new LiveList(2_000)
      list.happening = () => {
        if (list.answers % everyNth === 0) roll(list)
      }
      // The oldest is at the end, which is read second.
      const [complete, missed] = name === 'newest first' && everyNth === 1 ? [false, 1] : [true, 0]
      expect(await read(list, 4)).toMatchObject({complete, missed})
    }
  })

  const oldest = (list: LiveList) => list.leave(list.records.length - 1)
  const leaving: [what: string, total: number, happens: (list: LiveList) => void][] = [
    ['the oldest of 230, as one arrives', 230, (list) => list.roll('first')],
    ['the oldest of 430, as one arrives', 430, (list) => list.roll('first')],
    [
      'the two oldest, as two arrive',
      230,
      (list) => {
        list.roll('first')
        list.roll('first')
      },
    ],
    ['the oldest, and none arrives', 230, oldest],
    [
      'one of the middle, as one arrives',
      230,
      (list) => {
        list.leave(130)
        list.arriveFirst()
      },
    ],
  ]
  test.each(leaving)('%s, before it was read: never whole (P9)', async (_, total, happens) => {
    for (const filter of [{}, {status: 'failed'}] as const) {
      const list = new LiveList(total)
      list.happening = () => {
        if (list.answers === 2) happens(list)
      }
      const {complete, because} = await readFullList(list, {filter, width: 1})
      expect({complete, because}).toEqual({
        complete: false,
        because: 'a record left the list while it was read',
      })
      expect(list.answers).toBeLessThan(20)
    }
  })

  test.each([
    ['comes back', 7, true],
    ['stays away', 99, false],
  ])('a copy of the list lacks one from the second answer on, which %s', async (_, until, complete) => {
    const list = new LiveList(230)
    const whole = list.records
    list.happening = () => {
      list.records = list.answers <= until ? whole.filter((_record, at) => at !== 130) : whole
    }
    const reading = await readFullList(list, {filter: {}, width: 1})
    expect([reading.complete, reading.records.length]).toEqual([complete, complete ? 230 : 229])
  })

  test('IDs that are places, given anew with each arrival, are no proof: never whole (P9)', async () => {
    const list = new LiveList(230)
    const idAt = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
    list.happening = () => {
      if (list.answers < 2) return
      list.arriveFirst()
      list.records = list.records.map((record, at) => ({...record, id: idAt(at)}))
    }
    expect(await read(list)).toMatchObject({complete: false})
  })

  test.each(rolling)('%s: too fast to be read, it is partial', async (_, roll) => {
    const list = new LiveList(1_000)
    list.happening = () => {
      for (let n = 0; n < 150; n++) roll(list)
    }
    expect(await read(list)).toMatchObject({complete: false})
  })
})

describe('what is called whole is whole', () => {
  type Change = (list: LiveList) => void
  const anywhere = (list: LiveList) => list.below(list.records.length)
  const changes: Record<string, Change> = {
    'one leaves anywhere': (list) => list.leave(anywhere(list)),
    'one leaves anywhere, one arrives first': (list) => {
      list.leave(anywhere(list))
      list.arriveFirst()
    },
    'one leaves anywhere, one arrives last': (list) => {
      list.leave(anywhere(list))
      list.arriveLast()
    },
    'one leaves, one arrives, in no order': (list) => {
      list.leave(anywhere(list))
      list.arriveAnywhere()
    },
    'one is brought to the front': (list) => list.jump(anywhere(list), 0),
    'one is brought to the end': (list) => list.jump(anywhere(list), list.records.length),
    'two change places': (list) => list.jump(anywhere(list), anywhere(list)),
  }
  test.each(Object.entries(changes))('%s: at odd moments, 50 times', async (_, change) => {
    let whole = 0
    for (let seed = 1; seed <= 50; seed++) {
      const list = new LiveList(400 + seed, seed)
      const odds = 1 + (seed % 25)
      list.turnsMax = seed % 3
      list.happening = () => {
        if (list.below(odds) === 0) change(list)
      }
      const told = await read(list, 1 + (seed % 4))
      if (told.complete) expect([seed, told.missed]).toEqual([seed, 0])
      whole += Number(told.complete)
    }
    // A proof that nothing ever passes proves nothing either.
    expect(whole).toBeGreaterThan(10)
  })

  test.each([
    ['was read', 50, true],
    ['was not read', 700, false],
  ])('one leaves that %s: whole only with it', async (_, at, complete) => {
    const list = new LiveList(1_000)
    const all = list.records.map(({id}) => id)
    const leaves = all[at]
    list.happening = () => {
      if (list.answers === 4) list.leave(at)
    }
    const reading = await readFullList(list, {filter: {}, width: 1})
    const seen = new Set(reading.records.map(({id}) => id))
    expect(reading.complete).toBe(complete)
    expect(all.filter((id) => !seen.has(id))).toEqual(complete ? [] : [leaves])
  })

  test.each([
    [0, 'was just sent'],
    [-20_000, 'was sent 20 seconds ago, and not answered'],
    [3_600_000, 'is sent later, by its own word'],
  ])('by status: one leaves unread as one enters that %d ms %s: never whole', async (sentMs) => {
    for (const at of [2, 3]) {
      const list = new LiveList(300)
      list.happening = () => {
        if (list.answers !== at) return
        list.leave(at === 2 ? 299 : 150)
        list.comesIn(new Date(list.clockMs + sentMs).toISOString())
      }
      expect(await readFullList(list, {filter: {status: 'failed'}, width: 1})).toMatchObject({
        complete: false,
      })
    }
  })

  test('by status: one leaves as another enters, and the next one slips over the edge of a page', async () => {
    for (let at = 2; at <= 4; at++) {
      const list = new LiveList(300)
      list.happening = () => {
        if (list.answers !== at) return
        list.leave(20)
        list.arriveLast()
      }
      const {records, complete} = await readFullList(list, {filter: {status: 'failed'}, width: 1})
      const seen = new Set(records.map(({id}) => id))
      expect(complete).toBe(true)
      expect([...list.stayed].filter((id) => !seen.has(id))).toEqual([])
    }
  })
})

describe('one is brought to the front, behind the reader, as another comes in', () => {
  const replacesFirst = (list: LiveList) => {
    list.arriveLast()
    list.leave(0)
  }
  const comes: [where: string, filter: DeliveryFilter, comesIn: (list: LiveList) => void][] = [
    ['last', {}, (list) => list.arriveLast()],
    ['anywhere', {}, (list) => list.arriveAnywhere()],
    ['last, and the first leaves', {}, replacesFirst],
    ['last, by status', {status: 'failed'}, (list) => list.arriveLast()],
    ['last, made long ago, by status', {status: 'failed'}, (list) => list.comesIn()],
    ['last, and the first leaves, by status', {status: 'failed'}, replacesFirst],
  ]
  test.each(comes)('%s: it is read again, and the one that moved is seen', async (_, filter, comesIn) => {
    for (const at of [2, 3, 4]) {
      for (const from of [150, 230, 290]) {
        const list = new LiveList(300)
        const moved = list.records[from]?.id
        list.happening = () => {
          if (list.answers !== at) return
          list.jump(from, 1)
          comesIn(list)
        }
        const {complete, records} = await readFullList(list, {filter, width: 1})
        expect([at, from, complete, records.some(({id}) => id === moved)]).toEqual([at, from, true, true])
      }
    }
  })
})

describe('a long pause in the middle of the reading', () => {
  test.each(growing)('%s: 700 records arrive, and the thread is found again', async (_, arrive) => {
    const list = new LiveList(3_000)
    list.happening = () => {
      for (let n = 0; list.answers === 12 && n < 700; n++) arrive(list)
    }
    expect(await read(list, 4)).toMatchObject({complete: true, missed: 0})
  })
})

describe('20,000 records, and one arrives between any two answers', () => {
  test.each(growing)('%s: whole in one or two readings', async (name, arrive) => {
    const list = new LiveList(20_000)
    list.happening = arrive
    const {complete, records} = await readFullList(list, {filter: {}, width: 8})
    const seen = new Set(records.map(({id}) => id))
    expect([complete, [...list.stayed].filter((id) => !seen.has(id))]).toEqual([true, []])
    expect(list.answers).toBeLessThan(250 * readingsOf(name))
  })
})

describe('pages that cannot overlap', () => {
  test('the service ignores the limit: two readings that agree are whole', async () => {
    const list = new LiveList(250)
    const plain = list.listDeliveries.bind(list)
    const stubborn = {
      listDeliveries: ({page = 1}: DeliveryFilter = {}) => plain({page, limit: 100}),
    }
    const {complete, records} = await readFullList(stubborn, {filter: {}, width: 2})
    expect([complete, records.length]).toEqual([true, 250])
  })

  test('three to a page: read twice, and partial where the two differ', async () => {
    const still = new LiveList(14)
    still.limitMax = 3
    expect(await read(still)).toMatchObject({complete: true, missed: 0, calls: 10})
    const rolling = new LiveList(14)
    rolling.limitMax = 3
    rolling.happening = () => rolling.roll('last')
    expect(await read(rolling)).toMatchObject({complete: false})
  })

  test.each(growing)('five to a page overlap in a list of 15 that grows, %s', async (name, arrive) => {
    const list = new LiveList(15)
    list.limitMax = 5
    list.happening = arrive
    // So few pages do not show that the list is unordered, so its arrivals may be records of another copy.
    if (name === 'in no order') expect((await read(list, 4)).complete).toBe(false)
    else expect(await read(list, 4)).toMatchObject({complete: true, missed: 0})
  })
})

test('two copies of a list answer at random, and one lacks a record: whole only with that one', async () => {
  let whole = 0
  for (let seed = 1; seed <= 300; seed++) {
    const list = new LiveList(100 + ((seed * 37) % 500), seed)
    list.turnsMax = seed % 4
    const full = list.records
    const {id: lacking} = full[list.below(full.length)] ?? {}
    const copies = [full, full.filter(({id}) => id !== lacking)] as const
    list.happening = () => {
      list.records = copies[list.below(2)] ?? full
    }
    list.happening(list)
    const totals: number[] = []
    const seen = new Set<string>()
    const asked = {
      listDeliveries: async (filter: DeliveryFilter) => {
        const page = await list.listDeliveries(filter)
        totals.push(page.total)
        return page
      },
    }
    const {complete} = await readFullListInto(
      asked,
      {filter: {}, width: 1 + (seed % 4)},
      {
        again: () => {},
        add: ({id}) => seen.add(id),
        addOdd: () => false,
      },
    )
    // A reading that met only the smaller copy cannot tell.
    if (complete && totals.includes(full.length)) expect([seed, seen.size]).toEqual([seed, full.length])
    whole += Number(complete)
  }
  expect(whole).toBeGreaterThan(200)
})

test('the price of the proof: calls for 1,000 pages of a list that stands still', async () => {
  const list = new LiveList(100_000)
  const told = await read(list, 8)
  expect(told).toMatchObject({complete: true, missed: 0})
  expect(told.calls).toBeLessThanOrEqual(1_160)
}, 30_000)

test('a stream says the same, and hands each record on once', async () => {
  const list = new LiveList(3_000)
  list.happening = () => list.arriveFirst()
  const given: string[] = []
  const end: StreamedList = await streamDeliveries(list, {filter: {}, width: 4}, async (records) => {
    given.push(...records.map(({id}) => id))
  })
  expect(end).toMatchObject({complete: true, gone: 0, records: given.length})
  expect(new Set(given).size).toBe(given.length)
  const seen = new Set(given)
  expect([...list.stayed].filter((id) => !seen.has(id))).toEqual([])
})
