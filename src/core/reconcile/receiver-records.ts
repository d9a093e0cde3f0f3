/** Delivery records by the host of the address they went to. */
export interface ReceiverRecords {
  readonly host: string
  readonly records: number
  readonly delivered: number
}
