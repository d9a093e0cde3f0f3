import {createHash} from 'node:crypto'
import type {DeliveryPage} from '../../api/client.ts'
import {Failure, isStop} from '../../core/failure.ts'
import type {Delivery, OddDelivery} from '../../core/order.ts'
import {counted} from '../../report/figures.ts'
import {type Lister, type PageConsumer, readFirstPage} from './list-reader.ts'
import {arrivalsSince, type ListReading, type ReadingOptions, readOnce} from './read-list-once.ts'

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

/** Receives the records of a list during the reading, each once in a reading. */
export interface RecordSink {
  /** A reading begins. What it gives replaces what an earlier one gave; records that have left since stay. */
  again(): void
  add(record: Delivery): unknown
  addOdd(odd: OddDelivery): unknown
}

export interface StreamedList extends ListProof {
  /** The number of records passed on, each ID once. */
  readonly records: number
  /** The number of those that were gone from the list when it was read again. */
  readonly gone: number
}

/**
 * Reads the whole list of delivery records. Its order is unknown (A10), and it may change meanwhile. It is complete if
 * every record that was in it before the first reading was seen; records that arrive meanwhile do not matter. If this is
 * not proven, it is read again.
 *
 * Throws only if nothing could be read at all.
 */
export async function readFullList(client: Lister, options: FullReadOptions): Promise<FullListRead> {
  const byId = new Map<string, Delivery>()
  const odd = new Map<string, OddDelivery>()
  const proof = await readFullListInto(client, options, {
    again: () => odd.clear(),
    add: (record) => byId.set(record.id, record),
    addOdd: (one) => odd.set(one.id, one),
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
  const {complete, because} = await readUntilWhole(client, options, {
    again: () => sink.again(),
    use: ({records, odd}) => {
      for (const record of records) sink.add(record)
      for (const one of odd) sink.addOdd(one)
    },
  })
  return {complete, because}
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
  const narrow = {...options, width: Math.min(options.width, readAheadMax)}
  const odd: OddDelivery[] = []
  let oddCount = 0
  const {complete, because, ids, readings} = await readUntilWhole(client, narrow, {
    use: async ({isNew, ...page}) => {
      const freshOdd = page.odd.filter(isNew)
      oddCount += freshOdd.length
      odd.push(...freshOdd.slice(0, oddNamed - odd.length))
      await use(page.records.filter(isNew))
    },
  })
  const whyOdd = describeOdd(odd, oddCount)
  const proof = {complete: complete && whyOdd === null, because: because ?? whyOdd}
  return {...proof, records: ids.size - oddCount, gone: complete ? ids.countOther(readings) : 0}
}

/** Receives what is not yet given in the reading. `isNew`: nor in an earlier one. */
interface ReadingTarget {
  readonly again?: () => void
  readonly use: (
    page: Pick<DeliveryPage, 'records' | 'odd'> & {readonly isNew: (one: {readonly id: string}) => boolean},
  ) => void | Promise<void>
}

const recordLeft = 'a record left the list while it was read'

async function readUntilWhole(
  client: Lister,
  options: FullReadOptions,
  {again, use}: ReadingTarget,
): Promise<ListProof & {readonly readings: number; readonly ids: RecordIds}> {
  const ids = new RecordIds()
  /** The number of records seen that may have been in the list before the first reading, and how many there were. */
  let [seenOfStart, total] = [0, 0]
  let hasArrived: (record: Delivery) => boolean = () => false
  const consumerOf = (readingNo: number): PageConsumer => ({
    has: (id) => ids.markOf(id) === readingNo,
    take: async ({records, odd}) => {
      const fresh = new Set<string>()
      let given = 0
      const isGiven = ({id}: {readonly id: string}) => {
        const before = ids.mark(id, readingNo)
        if (before === 0) fresh.add(id)
        if (before !== readingNo) given += 1
        return before !== readingNo
      }
      const page = {records: records.filter(isGiven), odd: odd.filter(isGiven)}
      const isNew = ({id}: {readonly id: string}) => fresh.has(id)
      seenOfStart += fresh.size - page.records.filter((record) => isNew(record) && hasArrived(record)).length
      await use({...page, isNew})
      return given
    },
  })
  let before: ListReading | null = null
  for (let readings = 1; readings <= readingsMax; readings++) {
    let first: DeliveryPage
    try {
      first = (readings === 1 && options.firstPage) || (await readFirstPage(client, options.filter))
    } catch (error) {
      if (before === null || !(error instanceof Failure) || isStop(error)) throw error
      const because = `${before.because}, and reading it again failed: ${error.clause}`
      return {complete: false, because, readings: readings - 1, ids}
    }
    if (before === null) {
      total = first.total
      hasArrived = arrivalsSince(first, options.filter)
    }
    again?.()
    // Records may leave the list at either end, so readings start from both ends in turn.
    const way = readings % 2 === 1 ? 'forward' : 'backward'
    const reading: ListReading = await readOnce(client, options, first, consumerOf(readings), {way, before})
    // A later reading cannot show a record that left before it.
    const isShort: boolean = before !== null && (seenOfStart < total || ids.size < before.highest)
    const because: string | null = reading.because ?? (isShort ? recordLeft : null)
    if (because === null) return {complete: true, because, readings, ids}
    if (because === recordLeft && before?.because === recordLeft)
      return {complete: false, because, readings, ids}
    before = {...reading, because}
  }
  return {complete: false, because: before?.because ?? null, readings: readingsMax, ids}
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

  /** Sets a mark (1 to 255) on an ID, a UUID in any case, and returns its previous mark, or 0. */
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

  /** The mark on an ID, or 0. */
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
  const hex = id.replaceAll('-', '')
  const digits = /^[0-9a-f]{32}$/i.test(hex) ? hex : createHash('sha256').update(id).digest('hex')
  return Uint32Array.from([0, 8, 16, 24], (at) => Number.parseInt(digits.slice(at, at + 8), 16))
}

// Ids may differ only in their last digits, so every word must affect every bit.
function spread(words: Uint32Array): number {
  let mixed = 0
  for (const word of words) mixed = Math.imul(mixed ^ word ^ (mixed >>> 15), 0x9e3779b1)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
