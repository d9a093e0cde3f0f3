import type {DeliveryPage} from '../../api/client.ts'
import {Failure, isStop} from '../../core/failure.ts'
import type {Delivery, OddDelivery} from '../../core/order.ts'
import {counted} from '../../report/figures.ts'
import {type Lister, type PageConsumer, readFirstPage} from './list-reader.ts'
import {type ListReading, type ReadingOptions, readOnce} from './read-list-once.ts'

/** The list is read at most this often, if what was read proves too little (P9). */
const readingsMax = 4

/**
 * The most pages that a stream reads ahead: waiting pages outlive the young generation, and at 16 pages peak memory
 * grows by a third from 10,000 records to 100,000 (test/bench/list.bench.ts).
 */
const readAheadMax = 4

export interface FullReadOptions extends ReadingOptions {
  /** The first page, if it was read already. */
  readonly firstPage?: DeliveryPage
}

/** The result of reading a list to its end. Only `complete` proves an absence (P9). */
export interface ListProof {
  readonly complete: boolean
  /** Why it is not complete; null when it is. */
  readonly because: string | null
}

/** A whole list, or what could be read of it. */
export interface FullListRead extends ListProof {
  readonly records: readonly Delivery[]
}

/** Receives the records of a list during the reading. */
export interface RecordSink {
  /** Drops all records, because the list is read again from its beginning. */
  clear(): void
  has(id: string): boolean
  /** Returns false if it has a record of that ID already. */
  add(record: Delivery): boolean
  /** The same for a malformed record. */
  addOdd(odd: OddDelivery): boolean
}

export interface StreamedList extends ListProof {
  /** The number of records passed on, each ID once. */
  readonly records: number
  /** The number of those that were gone from the list when it was read again. */
  readonly gone: number
}

/**
 * Reads the whole list of delivery records. Its order is unknown (A10), and it may change meanwhile. It is complete if
 * every record that was in it at the start was seen; records that arrive meanwhile do not matter. If this is not
 * proven, it is read again.
 *
 * Throws only if nothing could be read at all.
 */
export async function readFullList(client: Lister, options: FullReadOptions): Promise<FullListRead> {
  const byId = new Map<string, Delivery>()
  const odd = new Map<string, OddDelivery>()
  const proof = await readFullListInto(client, options, {
    clear: () => {
      byId.clear()
      odd.clear()
    },
    has: (id) => byId.has(id) || odd.has(id),
    addOdd: (one) => {
      const isNew = !odd.has(one.id)
      odd.set(one.id, one)
      return isNew
    },
    add: (record) => {
      const sizeBefore = byId.size
      byId.set(record.id, record)
      return byId.size > sizeBefore
    },
  })
  return {records: [...byId.values()], ...withoutOdd(proof, [...odd.values()])}
}

/** A list with a malformed record is not complete for readers who need all of it. */
function withoutOdd({complete, because}: ListProof, odd: readonly OddDelivery[]): ListProof {
  const whyOdd = describeOdd(odd)
  return {complete: complete && whyOdd === null, because: because ?? whyOdd}
}

const oddNamed = 5

/** Which records are malformed, as a clause; null if none are. */
export function describeOdd(
  odd: readonly Pick<OddDelivery, 'id' | 'why'>[],
  count = odd.length,
): string | null {
  if (count === 0) return null
  const named = odd.slice(0, oddNamed).map(({id, why}) => `${id} (${why})`)
  const more = count > named.length ? ` and ${count - named.length} more` : ''
  return `${counted(count, 'record is', 'records are')} not as documented: ${named.join(', ')}${more}`
}

/** The same with a sink for the records, which come in the order of the list or in none. */
export async function readFullListInto(
  client: Lister,
  options: FullReadOptions,
  sink: RecordSink,
): Promise<ListProof> {
  const {complete, because} = await readUntilWhole(client, options, () => {
    sink.clear()
    return consumerOf(sink)
  })
  return {complete, because}
}

export function consumerOf(sink: RecordSink): PageConsumer {
  return {
    has: (id) => sink.has(id),
    take: ({records, odd}) =>
      records.filter((record) => sink.add(record)).length + odd.filter((one) => sink.addOdd(one)).length,
  }
}

/**
 * The same for a list of any length: `use` gets the records during the reading, each ID once, as it was when first
 * read. Only 17 bytes of a record are kept. Whether the list was complete is known at the end; if so, `use` had all of
 * it.
 */
export async function streamDeliveries(
  client: Lister,
  options: FullReadOptions,
  use: (records: readonly Delivery[]) => Promise<void>,
): Promise<StreamedList> {
  const ids = new RecordIds()
  const narrow = {...options, width: Math.min(options.width, readAheadMax)}
  const odd: OddDelivery[] = []
  let oddCount = 0
  const {complete, because, readings} = await readUntilWhole(client, narrow, (readingNo) => ({
    has: (id) => ids.markOf(id) === readingNo,
    take: async (page) => {
      let given = 0
      const isFresh = ({id}: {readonly id: string}) => {
        const before = ids.mark(id, readingNo)
        if (before !== readingNo) given += 1
        return before === 0
      }
      const freshOdd = page.odd.filter(isFresh)
      oddCount += freshOdd.length
      odd.push(...freshOdd.slice(0, oddNamed - odd.length))
      await use(page.records.filter(isFresh))
      return given
    },
  }))
  const whyOdd = describeOdd(odd, oddCount)
  const proof = {complete: complete && whyOdd === null, because: because ?? whyOdd}
  return {...proof, records: ids.size - oddCount, gone: complete ? ids.countOther(readings) : 0}
}

/** `begin` is called when a reading has its first page; readings are counted from 1. */
async function readUntilWhole(
  client: Lister,
  options: FullReadOptions,
  begin: (readingNo: number) => PageConsumer,
): Promise<ListProof & {readonly readings: number}> {
  let before: ListReading | null = null
  for (let readings = 1; readings <= readingsMax; readings++) {
    let first: DeliveryPage
    try {
      first = (readings === 1 && options.firstPage) || (await readFirstPage(client, options.filter))
    } catch (error) {
      if (before === null || !(error instanceof Failure) || isStop(error)) throw error
      const because = `${before.because}, and reading it again failed: ${error.clause}`
      return {complete: false, because, readings: readings - 1}
    }
    // Records may leave the list at either end, so readings start from both ends in turn.
    const way = readings % 2 === 1 ? 'forward' : 'backward'
    const reading: ListReading = await readOnce(client, options, first, begin(readings), {way, before})
    if (reading.because === null) return {complete: true, because: null, readings}
    before = reading
  }
  return {complete: false, because: before?.because ?? null, readings: readingsMax}
}

/**
 * Which delivery records were seen, and in which reading, in 17 bytes a slot: an ID kept as text would keep its whole
 * page in memory. Open addressing; at most half of the slots are used.
 */
export class RecordIds {
  private slots = 1024
  /** Four words for each ID. */
  private words = new Uint32Array(this.slots * 4)
  /** 0 marks an empty slot. */
  private marks = new Uint8Array(this.slots)
  private taken = 0

  get size(): number {
    return this.taken
  }

  /** Sets a mark (1 to 255) on a UUID in any case, and returns its previous mark, or 0. */
  mark(id: string, mark: number): number {
    if (this.taken * 2 >= this.slots) this.grow()
    const words = wordsOf(id)
    const slot = this.slotOf(words)
    const before = this.marks[slot] ?? 0
    if (before === 0) {
      this.words.set(words, slot * 4)
      this.taken += 1
    }
    this.marks[slot] = mark
    return before
  }

  /** The mark on a UUID, or 0. */
  markOf(id: string): number {
    return this.marks[this.slotOf(wordsOf(id))] ?? 0
  }

  /** How many IDs have a different mark. */
  countOther(mark: number): number {
    return this.marks.reduce((count, other) => count + Number(other !== 0 && other !== mark), 0)
  }

  private slotOf(words: Uint32Array): number {
    for (let slot = spread(words) & (this.slots - 1); ; slot = (slot + 1) & (this.slots - 1)) {
      if (this.marks[slot] === 0 || this.isAt(slot, words)) return slot
    }
  }

  private isAt(slot: number, words: Uint32Array): boolean {
    return words.every((word, index) => this.words[slot * 4 + index] === word)
  }

  private grow(): void {
    const {slots, words, marks} = this
    this.slots = slots * 2
    this.words = new Uint32Array(this.slots * 4)
    this.marks = new Uint8Array(this.slots)
    for (let old = 0; old < slots; old++) {
      const mark = marks[old] ?? 0
      if (mark === 0) continue
      const id = words.subarray(old * 4, old * 4 + 4)
      const slot = this.slotOf(id)
      this.words.set(id, slot * 4)
      this.marks[slot] = mark
    }
  }
}

function wordsOf(id: string): Uint32Array {
  const digits = id.replaceAll('-', '')
  if (!/^[0-9a-f]{32}$/i.test(digits)) throw new Error('the id of a record is not a UUID')
  return Uint32Array.from([0, 8, 16, 24], (at) => Number.parseInt(digits.slice(at, at + 8), 16))
}

// Ids may differ only in their last digits, so every word must affect every bit.
function spread(words: Uint32Array): number {
  let mixed = 0
  for (const word of words) mixed = Math.imul(mixed ^ word ^ (mixed >>> 15), 0x9e3779b1)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
