/**
 * Calls `work` on each item, at most `width` at a time, in order of the items; rejects with the first error. Once
 * `signal` is aborted no further item is begun, and what is under way is waited for.
 */
export async function forEachBounded<T>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  let next = 0
  let failed = false
  const worker = async () => {
    while (next < items.length && !failed && !signal?.aborted) {
      const index = next++
      try {
        await work(items[index] as T, index)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({length: Math.min(width, items.length)}, worker))
}
