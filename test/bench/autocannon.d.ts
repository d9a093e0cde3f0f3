/** The part of autocannon that queries.bench.ts uses; the package brings no types. */
declare module 'autocannon' {
  interface Options {
    readonly url: string
    readonly method: 'POST'
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly connections: number
    /** Seconds. */
    readonly duration: number
  }

  interface Result {
    /** Seconds. */
    readonly duration: number
    readonly requests: {readonly total: number}
  }

  export default function autocannon(options: Options): Promise<Result>
}
