/**
 * This factor times the calls that the client allows at once are begun, so that a call waiting out its `Retry-After`
 * takes no place from the others. The client bounds how many are really under way.
 */
export const begunPerPlace = 4

/**
 * Calls `work` on each item in order, at most `width` at a time; rejects with the first error. After `signal` aborts no
 * further item is begun, and running ones are awaited.
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
 * Reads at most `width` items ahead and uses the results in order, one after the other, so that only `width` results
 * are kept. If `use` returns false it stops after all running reads ended: whoever changes things afterwards must not
 * have reads behind them (P10). Rejects with the first error of either, without waiting for running reads.
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
      // An abandoned read must not become an unhandled rejection.
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
