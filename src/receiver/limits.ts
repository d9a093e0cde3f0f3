/** Every bound on what a sender may cost (P17, P23). */
export interface ReceiverLimits {
  readonly bodyBytesMax: number
  /** Request line and headers together. */
  readonly headerBytesMax: number
  readonly headersTimeoutMs: number
  /** A whole request, from its first byte to its last. */
  readonly requestTimeoutMs: number
  /** How often both are looked at. */
  readonly timeoutCheckMs: number
  /** Connections at once; one more is closed as soon as it is made. */
  readonly connectionsMax: number
  /** How long requests under way may take to finish once the receiver is being closed. */
  readonly drainTimeoutMs: number
}

export const defaultReceiverLimits: ReceiverLimits = {
  bodyBytesMax: 65_536,
  headerBytesMax: 16_384,
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  timeoutCheckMs: 500,
  connectionsMax: 512,
  drainTimeoutMs: 12_000,
}
