/** A page of a list and its positions: `start` counts from 0, `end` is exclusive. */
export interface PageSpan {
  readonly page: number
  readonly limit: number
  readonly start: number
  readonly end: number
}

/**
 * How many records consecutive pages share if possible, else one. The service takes a page and a limit but no
 * position, so pages overlap only by a smaller limit: 1.15 calls for each 100 records.
 */
const overlaps = [2, 1]

/**
 * Whether pages of at most `limitMax` can overlap by so many records. No page contains a position that every limit
 * divides: with 5 a page that is 60, with 20 it is beyond any list.
 */
export function canOverlap(records: number, limitMax: number): boolean {
  let undivided = 1
  for (let limit = 2; limit <= limitMax && undivided <= records; limit++) {
    undivided = (undivided / greatestCommonDivisor(undivided, limit)) * limit
  }
  return records < undivided
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other)
}

export function spanOf(page: number, limit: number): PageSpan {
  return {page, limit, start: (page - 1) * limit, end: page * limit}
}

/** The page with this position that reaches farthest towards the end of the list. */
export function spanForward(position: number, limitMax: number): PageSpan {
  let best = spanOf(Math.floor(position / limitMax) + 1, limitMax)
  for (let limit = limitMax - 1; position + limit > best.end; limit--) {
    const span = spanOf(Math.floor(position / limit) + 1, limit)
    if (span.end > best.end) best = span
  }
  return best
}

/** The page with this position that reaches farthest towards the beginning, with `room` positions after it. */
export function spanBackward(position: number, limitMax: number, room = 0): PageSpan {
  let best: PageSpan | null = null
  for (let limit = limitMax; limit > room && (best === null || position - limit < best.start); limit--) {
    const span = spanOf(Math.ceil((position + 1 + room) / limit), limit)
    if (span.start <= position && (best === null || span.start < best.start)) best = span
  }
  return best ?? spanOf(position + 1, 1)
}

/** Pages from `near` to the position `until`, each overlapping the previous one. */
export function* spansForward(near: PageSpan, until: number, limitMax: number): Generator<PageSpan> {
  for (let {end} = near; end <= until; ) {
    const from = end
    const span = overlaps.map((shared) => spanForward(from - shared, limitMax)).find((one) => one.end > from)
    if (!span) return
    yield span
    end = span.end
  }
}

/** The same towards the beginning of the list, until a page contains `until`. */
export function* spansBackward(near: PageSpan, until: number, limitMax: number): Generator<PageSpan> {
  for (let {start} = near; start >= until && start > 0; ) {
    const from = start
    const span = overlaps
      .map((shared) => spanBackward(from + shared - 1, limitMax))
      .find((one) => one.start < from)
    if (!span) return
    yield span
    start = span.start
  }
}
