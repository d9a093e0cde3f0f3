import type {DeliveryPage} from '../../api/client.ts'
import {Failure, isStop} from '../../core/failure.ts'
import type {Delivery, OddDelivery} from '../../core/order.ts'
import {counted} from '../../report/figures.ts'
import {type Lister, type PageConsumer, readFirstPage} from './list-reader.ts'
import {type ListReading, type ReadingOptions, readOnce} from './read-list-once.ts'

/** At most this often is the list read again because what was read of it proves too little (P9). */
const readingsMax = 4

/**
 * Pages a stream reads ahead, at most: what waits for its turn outlives the young generation, and at 16 pages the
 * peak of memory grows by a third from 10,000 records to 100,000 (test/bench/list.bench.ts).
 */
const readAheadMax = 4

export interface FullReadOptions extends ReadingOptions {
  /** The first page, where somebody has read it already. */
  readonly firstPage?: DeliveryPage
}

/** What is known of a list that was read to its end. Only `complete` proves an absence (P9). */
export interface ListProof {
  readonly complete: boolean
  /** Why it is not complete; null when it is. */
  readonly because: string | null
}

/** A list read to its end, or what could be read of it. */
export interface FullListRead extends ListProof {
  readonly records: readonly Delivery[]
}

/** Takes the records of a list while it is read. */
export interface RecordSink {
  /** Forgets what it has: the list is read again from its beginning. */
  clear(): void
  has(id: string): boolean
  /** False where it has a record of that id already. */
  add(record: Delivery): boolean
  /** The same of a record that is not as documented. */
  addOdd(odd: OddDelivery): boolean
}

export interface StreamedList extends ListProof {
  /** How many records were handed on, each id once. */
  readonly records: number
  /** How many of those were not in the list any more when it was read again. */
  readonly gone: number
}

/**
 * Reads the whole list of delivery records. Its order is unknown (A10), and it may change meanwhile. It is
 * whole when every record that stood in it as the reading began was seen; what arrives meanwhile is no reason against
 * it. What could not be shown to be whole is read again.
 *
 * Throws only where nothing could be read at all.
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

/** A list with an unreadable record is not proven whole, for a reader who wants all of it. */
function withoutOdd({complete, because}: ListProof, odd: readonly OddDelivery[]): ListProof {
  const whyOdd = describeOdd(odd)
  return {complete: complete && whyOdd === null, because: because ?? whyOdd}
}

const oddNamed = 5

/** In a clause, which records are not as documented; null where all are. */
export function describeOdd(
  odd: readonly Pick<OddDelivery, 'id' | 'why'>[],
  count = odd.length,
): string | null {
  if (count === 0) return null
  const named = odd.slice(0, oddNamed).map(({id, why}) => `${id} (${why})`)
  const more = count > named.length ? ` and ${count - named.length} more` : ''
  return `${counted(count, 'record is', 'records are')} not as documented: ${named.join(', ')}${more}`
}

/** The same, the records handed to a sink: in the order of the list, or in none. */
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
 * The same for a list of any length: `use` gets the records while they are read, each id once, as it was when it
 * was first read. Kept of a record are 17 bytes, never the record. That the list was whole is known at the end,
 * and then everything in it was handed on.
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

/** `begin` is called once a reading has its first page; readings count from 1. */
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
    // A record may fall off either end, so readings start from both ends in turn.
    const way = readings % 2 === 1 ? 'forward' : 'backward'
    const reading: ListReading = await readOnce(client, options, first, begin(readings), {way, before})
    if (reading.because === null) return {complete: true, because: null, readings}
    before = reading
  }
  return {complete: false, because: before?.because ?? null, readings: readingsMax}
}

/**
 * Which delivery records were seen, and in which reading of the list, at 17 bytes a slot: an id that is kept as
 * text keeps the whole page it was cut from. Open addressing; at most half of the slots are taken.
 */
export class RecordIds {
  private slots = 1024
  /** Four words an id. */
  private words = new Uint32Array(this.slots * 4)
  /** 0: an empty slot. */
  private marks = new Uint8Array(this.slots)
  private taken = 0

  get size(): number {
    return this.taken
  }

  /** Puts this mark (1 to 255) on a UUID, and answers the one it had; 0 where it is new. Case does not matter. */
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

  /** The mark on a UUID; 0 where there is none. */
  markOf(id: string): number {
    return this.marks[this.slotOf(wordsOf(id))] ?? 0
  }

  /** How many ids carry another mark than this. */
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
