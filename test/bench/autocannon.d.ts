/** The little of autocannon that the benchmarks use; it brings no types. */
declare module 'autocannon' {
  interface Load {
    readonly url: string
    readonly connections: number
    /** Seconds; without `amount`. */
    readonly duration?: number
    /** Requests in all. */
    readonly amount?: number
    readonly sampleInt?: number
    readonly method?: 'POST'
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
    readonly requests?: readonly {
      readonly method?: 'POST'
      readonly path?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly setupRequest: (request: object) => object
    }[]
  }

  interface Result {
    /** Seconds. */
    readonly duration: number
    readonly requests: {readonly total: number}
    readonly non2xx: number
    readonly errors: number
    readonly '2xx': number
  }

  export default function autocannon(load: Load): Promise<Result>
}
