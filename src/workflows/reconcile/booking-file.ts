import {renameSync, statSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {parse} from 'csv-parse/sync'

import {readIfThere} from '../../files/private-files.ts'
import {storageFailure} from '../../files/storage-failure.ts'

/**
 * A run lists an order once, and the next run in the same report folder would replace the list. So it is kept as
 * `booking.<run>.csv`: no other file has its orders.
 */
export function keepBooking(path: string, runId: string): void {
  const text = readIfThere(path)?.toString() ?? ''
  if (text.trim().split('\n').length < 2) return
  const listedBy = listedByOf(text)
  if (listedBy === runId) return
  try {
    const name = listedBy ?? new Date(statSync(path).mtimeMs).toISOString().replaceAll(':', '')
    renameSync(path, join(dirname(path), `booking.${name}.csv`))
  } catch (error) {
    throw storageFailure('write', path, error)
  }
}

/** Null if a person saved it in another format. */
function listedByOf(text: string): string | null {
  try {
    const [first] = parse(text, {columns: true, bom: true, to: 1}) as Record<string, string>[]
    return first?.listed_by?.match(/^[\w-]+$/)?.[0] ?? null
  } catch {
    return null
  }
}
