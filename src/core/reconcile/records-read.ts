/** How the delivery records were read: not at all, the whole list, its part since the window, or order by order. */
export const recordWays = ['none', 'full-list', 'incremental-list', 'look-ups'] as const
export type RecordWay = (typeof recordWays)[number]

/** How the delivery records were read, for the report. */
export interface RecordsRead {
  readonly way: RecordWay
  /** Why nothing, or not everything, was read; for `incremental-list` what proves that it was enough. */
  readonly because: string | null
  readonly pagesRead: number
  /** Null where the list was not asked for. */
  readonly pagesTotal: number | null
  readonly lookUps: number
}
