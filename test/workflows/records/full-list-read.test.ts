import {describe, expect, test} from 'vitest'

import type {DeliveryFilter, DeliveryPage} from '../../../src/api/client.ts'
import {
  type FullListRead,
  readFullList,
  streamDeliveries,
} from '../../../src/workflows/records/full-list-read.ts'
import {delivery} from '../../core/reconcile/sample.ts'
import {failure} from '../fake-client.ts'

/** A list of the records `1` to `total`; `alter` says what a page gives instead, sweep by sweep. */
class FakeList {
  total: number
  readonly asked: DeliveryFilter[] = []
  reading = 0
  private readonly alter: (list: FakeList, page: DeliveryPage) => Partial<DeliveryPage>

  constructor(total: number, alter: FakeList['alter'] = () => ({})) {
    this.total = total
    this.alter = alter
  }

  async listDeliveries(filter: DeliveryFilter): Promise<DeliveryPage> {
    this.asked.push(filter)
    const {page = 1, limit = 20} = filter
    if (page === 1) this.reading += 1
    const ids = Array.from({length: this.total}, (_, index) => `${index + 1}`)
    const records = ids.slice((page - 1) * limit, page * limit).map((id) => delivery({id}))
    const plain = {
      records,
      page,
      limit,
      total: this.total,
      totalPages: Math.ceil(this.total / limit),
      odd: [],
      answeredAt: null,
    }
    return {...plain, ...this.alter(this, plain)}
  }
}

const read = (list: FakeList, width = 1): Promise<FullListRead> => readFullList(list, {filter: {}, width})

describe('a whole sweep', () => {
  test.each([
    [0, 1],
    [1, 1],
    [99, 1],
    [100, 2],
    [101, 2],
    [1_000, 12],
  ])('%d records are read in %d calls', async (total, calls) => {
    const list = new FakeList(total)
    const reading = await read(list, 4)
    expect(reading).toMatchObject({complete: true, because: null})
    expect(new Set(reading.records.map(({id}) => id)).size).toBe(total)
    expect(list.asked).toHaveLength(calls)
  })

  test('every page is asked with the filter, and pages overlap', async () => {
    const list = new FakeList(250)
    await readFullList(list, {filter: {status: 'failed', orderId: 'platform-1'}, width: 2})
    for (const asked of list.asked) expect(asked).toMatchObject({status: 'failed', orderId: 'platform-1'})
    // The first hundred, the end, and what joins them.
    expect(list.asked.map(({page, limit}) => [page, limit])).toEqual([
      [1, 100],
      [3, 87],
      [2, 98],
    ])
  })

  test('a first page that was read already is not read again', async () => {
    const list = new FakeList(150)
    const firstPage = await list.listDeliveries({page: 1, limit: 100})
    expect(await readFullList(list, {filter: {}, width: 1, firstPage})).toMatchObject({complete: true})
    expect(list.asked).toHaveLength(2)
  })
})

/** Two copies of a list answer in turn, and one of them lacks a record. */
test.each([
  [330, 1],
  [330, 100],
  [330, 101],
  [330, 190],
  [330, 270],
  [330, 330],
  [250, 120],
  [1_000, 555],
])('of %d records a copy lacks the %dth: the list is whole only with that one', async (total, lacking) => {
  for (const turn of [0, 1]) {
    for (const everyNth of [2, 3]) {
      let calls = turn
      const list = new FakeList(total, (_list, {page, limit}) => {
        const isWhole = calls++ % everyNth === 0
        const ids = Array.from({length: total}, (_, at) => at + 1).filter((id) => isWhole || id !== lacking)
        const start = (page - 1) * limit
        return {
          records: ids.slice(start, start + limit).map((id) => delivery({id: `${id}`})),
          ...{total: ids.length, totalPages: Math.ceil(ids.length / limit)},
          answeredAt: '2026-11-21T00:00:00.000Z',
        }
      })
      const reading = await read(list)
      const hasIt = reading.records.some(({id}) => id === `${lacking}`)
      if (reading.complete) expect(hasIt, `${turn} ${everyNth}`).toBe(true)
      else expect(reading.because).toMatch(/states|left the list/)
    }
  }
})

describe('a list that is counted too short is never whole', () => {
  type Stated = Pick<DeliveryPage, 'total' | 'totalPages'>
  const listStating = (records: number, size: number, stated: (page: DeliveryPage) => Stated) =>
    new FakeList(records, (list, page) => {
      const limit = Math.min(page.limit, size)
      const start = (page.page - 1) * limit
      const ids = Array.from({length: list.total}, (_, index) => `${index + 1}`).slice(start, start + limit)
      const given = {...page, limit, records: ids.map((id) => delivery({id}))}
      return {...given, ...stated(given)}
    })

  test.each<readonly [what: string, records: number, size: number, stated: (page: DeliveryPage) => Stated]>([
    ['the count stops at 100, the pages do not', 130, 100, () => ({total: 100, totalPages: 2})],
    ['it counts the page', 130, 100, ({records}) => ({total: records.length, totalPages: 2})],
    [
      'it counts the page, and says it is one',
      130,
      100,
      ({records}) => ({total: records.length, totalPages: 1}),
    ],
    ['it counts a page of its own length', 70, 50, ({records}) => ({total: records.length, totalPages: 1})],
    ['the last page is not full, but not the last', 130, 100, () => ({total: 100, totalPages: 3})],
    ['of many pages', 330, 100, ({limit}) => ({total: 200, totalPages: Math.ceil(330 / limit)})],
    ['of pages that cannot overlap', 7, 2, () => ({total: 4, totalPages: 2})],
  ])('%s', async (_what, records, size, stated) => {
    const list = listStating(records, size, stated)
    const reading = await read(list)
    expect(reading.complete).toBe(false)
    expect(reading.because).toMatch(/holds|records left/)
    expect(list.asked.length).toBeLessThan(40)
  })

  test.each([
    ['a page too many is stated, and it is empty', 30, () => ({total: 30, totalPages: 2})],
    ['a full last page, and nothing behind it', 100, () => ({total: 100, totalPages: 1})],
  ] as const)('%s: whole', async (_what, records, stated) => {
    const list = listStating(records, 100, stated)
    expect(await read(list)).toMatchObject({complete: true, because: null})
    expect(list.asked).toHaveLength(2)
  })

  test('one that grows behind its full last page is whole', async () => {
    const list: FakeList = new FakeList(100, (_list, {page}) => {
      if (page === 1) list.total = 103
      return {}
    })
    const reading = await read(list)
    expect(reading.complete).toBe(true)
    expect(reading.records).toHaveLength(103)
  })
})

test.each([
  ['just to the end of that page: only whether there is one behind it', 0, [2, 80, 3, 100]],
  ['one record beyond it: the end again', 1, [2, 80, 2, 91]],
])('a list that grows while its end is asked for, %s', async (_what, beyond, asked) => {
  const list: FakeList = new FakeList(150, (_list, {page, limit}) => {
    if (page === 1) return {}
    if (list.total === 150) list.total = page * limit + beyond
    const ids = Array.from({length: list.total}, (_, index) => `${index + 1}`)
    const records = ids.slice((page - 1) * limit, page * limit).map((id) => delivery({id}))
    return {records, total: list.total, totalPages: Math.ceil(list.total / limit)}
  })
  const reading = await read(list)
  expect(reading.complete).toBe(true)
  expect(new Set(reading.records.map(({id}) => id)).size).toBe(list.total)
  expect(list.asked.slice(1).flatMap(({page, limit}) => [page, limit])).toEqual(asked)
})

describe('what moved while it was read is read again', () => {
  const onlyIn = (upTo: number, alter: FakeList['alter']) => (list: FakeList, page: DeliveryPage) =>
    list.reading <= upTo ? alter(list, page) : {}
  type Alter = (list: FakeList, page: DeliveryPage) => Partial<DeliveryPage>

  const troubles: readonly (readonly [what: string, alter: Alter, because: RegExp])[] = [
    [
      'a record of the second page is hidden behind one of the first',
      (_list, {page, records}) =>
        page === 2 ? {records: [delivery({id: '90'}), ...records.slice(0, -1)]} : {},
      /states 150 records and gave 149/,
    ],
    [
      'one page holds an id twice',
      (_list, {page, records}) =>
        page === 1 ? {records: [...records.slice(1), ...records.slice(1, 2)]} : {},
      /states 150 records and gave 149/,
    ],
    [
      'fewer come than the total says',
      (_list, {page, records}) => (page === 2 ? {records: records.slice(0, -1)} : {}),
      /states 150 records and gave 149/,
    ],
    [
      'more come than the total says',
      (_list, {page, records}) => (page === 2 ? {records: [...records, delivery({id: 'extra'})]} : {}),
      /records left the list/,
    ],
    [
      'a page shares no record with the one before it',
      (_list, {page, records}) =>
        page === 2 ? {records: records.map(({id}) => delivery({id: `x${id}`}))} : {},
      /moved while it was read/,
    ],
    [
      'a page fails',
      (_list, {page}) => {
        if (page === 2) throw failure('service_busy', 'HTTP 503')
        return {}
      },
      /not every page could be read: HTTP 503/,
    ],
  ]

  test.each(troubles)('%s: once, and the second reading is whole', async (_what, alter) => {
    const list = new FakeList(150, onlyIn(1, alter))
    const reading = await read(list)
    expect(reading.complete).toBe(true)
    const ids = reading.records.map(({id}) => id)
    expect(Array.from({length: 150}, (_, n) => `${n + 1}`).filter((id) => !ids.includes(id))).toEqual([])
  })

  test.each(troubles)(
    '%s: each time, and after four readings the list is partial',
    async (_what, alter, because) => {
      const list = new FakeList(150, onlyIn(99, alter))
      const reading = await read(list)
      expect(reading.complete).toBe(false)
      expect(reading.because).toMatch(because)
      expect(list.asked.length).toBeLessThan(100)
    },
  )

  test('its first page as well, also where somebody had read that one before', async () => {
    const list = new FakeList(
      150,
      onlyIn(1, (_list, {page, records}) => (page === 2 ? {records: records.slice(0, -1)} : {})),
    )
    const firstPage = await list.listDeliveries({page: 1, limit: 100})
    expect(await readFullList(list, {filter: {}, width: 1, firstPage})).toMatchObject({complete: true})
    expect(list.asked.map(({page}) => page)).toEqual([1, 2, 1, 2, 1])
  })

  test('the fourth reading may still be the whole one', async () => {
    const list = new FakeList(
      150,
      onlyIn(4, (_list, {page, records}) => (page === 2 ? {records: records.slice(0, -1)} : {})),
    )
    expect(await read(list)).toMatchObject({complete: true})
    expect(list.reading).toBeGreaterThan(4)
  })
})

describe('what cannot be read', () => {
  test('a first page that fails is the failure itself', async () => {
    const list = new FakeList(150, () => {
      throw failure('legacy_unavailable', 'There is no legacy API')
    })
    await expect(read(list)).rejects.toMatchObject({code: 'legacy_unavailable'})
  })

  test('a first page that fails later leaves what was read, called partial', async () => {
    const list = new FakeList(150, ({reading}, {total}) => {
      if (reading === 2) throw failure('legacy_unavailable', 'There is no legacy API')
      return {total: total + 1}
    })
    const reading = await read(list)
    expect(reading).toMatchObject({complete: false})
    expect(reading.because).toMatch(/gave 150, and reading it again failed: There is no legacy API$/)
    expect(reading.records).toHaveLength(150)
  })

  test('a page in the middle that always fails leaves the list partial, and says so', async () => {
    const list = new FakeList(450, (_list, {page}) => {
      if (page === 3) throw failure('service_busy', 'HTTP 503')
      return {}
    })
    const reading = await read(list)
    expect(reading).toMatchObject({complete: false})
    expect(reading.because).toMatch(/not every page could be read: HTTP 503/)
  })

  test.each(['interrupted', 'terminated'] as const)(
    'a run that is %s is not a partial list',
    async (code) => {
      const list = new FakeList(150, (_list, {page}) => {
        if (page === 2) throw failure(code, 'Stopped')
        return {}
      })
      await expect(read(list)).rejects.toMatchObject({code})
      expect(list.asked).toHaveLength(2)
    },
  )

  test('a defect is not a partial list', async () => {
    const list = new FakeList(150, (_list, {page}) => {
      if (page === 2) throw new TypeError('a defect')
      return {}
    })
    await expect(read(list)).rejects.toThrow('a defect')
  })

  test.each([
    ['more than a million pages', 2_000_000, 200_000_000],
    ['more pages than records', 900_000, 10],
  ])('%s are not read at all', async (_what, totalPages, total) => {
    const list = new FakeList(10, () => ({totalPages, total}))
    expect(await read(list)).toMatchObject({
      complete: false,
      because: `the list claims ${totalPages} pages of ${total} records`,
    })
    expect(list.asked).toHaveLength(4)
  })

  test('a service that answers each page with the first one proves nothing', async () => {
    const first = Array.from({length: 100}, (_, index) => delivery({id: `${index + 1}`}))
    const list = new FakeList(300, () => ({records: first, page: 1}))
    expect(await read(list)).toMatchObject({complete: false})
  })

  test('one record on every page is not read as often as the list claims records', async () => {
    const list = new FakeList(10, () => ({
      records: [delivery({id: '1'})],
      total: 1_000_000,
      totalPages: 10_000,
    }))
    expect(await read(list, 16)).toMatchObject({complete: false})
    expect(list.asked.length).toBeLessThan(100)
  })
})

describe('a list that is handed on while it is read', () => {
  const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

  /** Three pages of uuids; `ids` says what the list holds in each of its readings. */
  function movingList(readings: readonly (readonly number[])[]) {
    return new FakeList(0, (list, {page, limit}) => {
      const ids = readings[Math.min(list.reading, readings.length) - 1] ?? []
      const records = ids.slice((page - 1) * limit, page * limit).map((n) => delivery({id: uuid(n)}))
      return {
        records,
        total: ids.length,
        totalPages: Math.ceil(ids.length / limit),
        odd: [],
        answeredAt: null,
      }
    })
  }
  const numbers = (first: number, last: number) => Array.from({length: last - first + 1}, (_, n) => first + n)

  async function stream(list: FakeList, width = 1) {
    const given: string[] = []
    const end = await streamDeliveries(list, {filter: {}, width}, async (records) => {
      given.push(...records.map(({id}) => id))
    })
    return {given, end}
  }

  test('a whole one: every record once, in the order of the list', async () => {
    const {given, end} = await stream(movingList([numbers(1, 250)]), 4)
    expect(given).toEqual(numbers(1, 250).map(uuid))
    expect(end).toEqual({complete: true, because: null, records: 250, gone: 0})
  })

  test('what was partial is read again, and only what is new is handed on', async () => {
    // The first reading is short of its last records.
    const list = movingList([[...numbers(1, 240), ...numbers(1, 10)], numbers(1, 250)])
    const {given, end} = await stream(list)
    expect(given).toEqual(numbers(1, 250).map(uuid))
    expect(end).toMatchObject({complete: true, records: 250, gone: 0})
  })

  test('what was handed on and left the list since is counted', async () => {
    const list = movingList([[...numbers(1, 100), ...numbers(100, 149)], numbers(3, 150)])
    const {given, end} = await stream(list)
    expect([...given].sort()).toEqual(numbers(1, 150).map(uuid))
    expect(end).toMatchObject({complete: true, records: 150, gone: 2})
  })

  test('one that never stands still is partial, and still no id comes twice', async () => {
    const list = movingList([1, 2, 3, 4, 5, 6].map((n) => [...numbers(n, 100 + n), ...numbers(100 + n, 150)]))
    const {given, end} = await stream(list)
    expect(new Set(given).size).toBe(given.length)
    expect(end).toMatchObject({complete: false})
  })

  test('who cannot take the records ends it: that is no fault of the list', async () => {
    const list = movingList([numbers(1, 250)])
    const full = failure('storage_failed', 'The disk is full')
    await expect(
      streamDeliveries(list, {filter: {}, width: 2}, async (records) => {
        if (records[0]?.id === uuid(101)) throw full
      }),
    ).rejects.toBe(full)
    expect(list.reading).toBe(1)
  })

  test('no more pages are read ahead than can wait: a slow reader keeps the list waiting', async () => {
    const list = movingList([numbers(1, 2_000)])
    const waiting = Promise.withResolvers<void>()
    const first = Promise.withResolvers<void>()
    const streaming = streamDeliveries(list, {filter: {}, width: 16}, async (records) => {
      if (records[0]?.id !== uuid(101)) return
      first.resolve()
      await waiting.promise
    })
    await first.promise
    // The first page, the end, and four ahead.
    expect(list.asked.length).toBeLessThanOrEqual(2 + 4)
    waiting.resolve()
    expect(await streaming).toMatchObject({records: 2_000})
  })
})
