/**
 * So many times as many calls are begun as may be on their way: one that waits out its `Retry-After` takes no place from
 * the others. How many are on their way is the client's to bound.
 */
export const begunPerPlace = 4

/**
 * Calls `work` on each item, at most `width` at a time, in order of the items; rejects with the first error. Once
 * `signal` is aborted no further item is begun, and what is under way is waited for.
 */
export async function forEachBounded<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T, index: number) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const source = items[Symbol.iterator]()
  let begun = 0
  let failed = false
  const worker = async () => {
    while (!failed && !signal?.aborted) {
      const next = source.next()
      if (next.done) return
      try {
        await work(next.value, begun++)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({length: width}, worker))
}

/**
 * Reads the items at most `width` ahead and uses what was read in order of the items, one after the other, so
 * that no more than `width` results are ever kept. Ends where `use` answers false, once what is on its way has come
 * to its end too: whoever goes on to change things must not have reads behind them (P10). Rejects with the first error
 * of either; what is on its way then is let go.
 */
export async function forEachInOrder<T, R>(
  items: Iterable<T>,
  width: number,
  read: (item: T) => Promise<R>,
  use: (result: R) => Promise<boolean>,
): Promise<void> {
  const source = items[Symbol.iterator]()
  const ahead: Promise<R>[] = []
  for (;;) {
    while (ahead.length < width) {
      const next = source.next()
      if (next.done) break
      const result = read(next.value)
      // One that is let go must not reject with nobody to hear it.
      result.catch(() => {})
      ahead.push(result)
    }
    const result = ahead.shift()
    if (result === undefined) return
    if (await use(await result)) continue
    await Promise.allSettled(ahead)
    return
  }
}
