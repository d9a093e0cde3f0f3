/** How the delivery records were read: not at all, the whole list, its part since the window, or order by order. */
export const recordWays = ['none', 'full-list', 'incremental-list', 'look-ups'] as const
export type RecordWay = (typeof recordWays)[number]

export interface RecordsRead {
  readonly way: RecordWay
  /** Why not everything was read; for `incremental-list`, the proof that it was enough. */
  readonly because: string | null
  readonly pagesRead: number
  /** Null if the list was not read. */
  readonly pagesTotal: number | null
  readonly lookUps: number
}
