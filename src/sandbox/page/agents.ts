import type {PayoutChannel} from '../../core/order.ts'

export interface Agent {
  /** No operator has 010: nobody who takes a rehearsal for the real thing can pay a stranger. */
  readonly number: string
  /** What a telephone without the app dials. */
  readonly dial: string
}

/** Who takes the money of each channel. A merchant never sees an agent's number (service §1). */
export const agents: Readonly<Record<PayoutChannel, Agent>> = {
  BKASH: {number: '01000000001', dial: '*247#'},
  NAGAD: {number: '01000000002', dial: '*167#'},
  ROCKET: {number: '01000000003', dial: '*322#'},
}
