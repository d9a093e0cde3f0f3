/** The little of autocannon that is used here; it brings no types. */
declare module 'autocannon' {
  interface Load {
    readonly url: string
    readonly connections: number
    /** Seconds. */
    readonly duration: number
    readonly requests: readonly {
      readonly method: 'POST'
      readonly path: string
      readonly headers: Readonly<Record<string, string>>
      readonly setupRequest: (request: object) => object
    }[]
  }
  export default function autocannon(load: Load): Promise<{
    readonly non2xx: number
    readonly errors: number
    readonly duration: number
    readonly '2xx': number
  }>
}
