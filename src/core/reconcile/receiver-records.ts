export interface ReceiverRecords {
  readonly host: string
  readonly records: number
  readonly delivered: number
}
