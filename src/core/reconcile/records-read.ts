/** How the delivery records were read: not at all, to the end of the list, only the window's part of it, or order by order. */
export const recordWays = ['none', 'sweep', 'window', 'look-ups'] as const
export type RecordWay = (typeof recordWays)[number]

/** What reading the delivery records took, for the report. */
export interface RecordsRead {
  readonly way: RecordWay
  /** Why nothing, or not everything, was read; for `window` what proves that it was enough. */
  readonly because: string | null
  readonly pagesRead: number
  /** Null where the list was not asked for. */
  readonly pagesTotal: number | null
  readonly lookUps: number
}
