import {Failure} from '../failure.ts'
import {quoteForShell} from '../shell.ts'

/** A header; the shell fills in `$NAME` or `${NAME…}`, so that no secret is printed (P20). */
export interface CurlHeader {
  readonly name: string
  readonly value: string
  /** The environment variable with the value; `value` is then not used. */
  readonly fromVariable?: string
}

export interface CurlRequest {
  readonly method: string
  /** What comes before the path; a variable if no address is configured. */
  readonly origin: string | {readonly variable: string}
  readonly path: string
  readonly headers: readonly CurlHeader[]
  readonly body: string
}

/** A `curl` command for a POSIX shell that sends exactly these bytes. Throws `input_invalid` for a NUL. */
export function writeCurl({method, origin, path, headers, body}: CurlRequest): string {
  const address = typeof origin === 'string' ? quote(origin + path) : `"$${origin.variable}"${quote(path)}`
  const lines = [`curl --silent --show-error --request ${quote(method)} ${address}`]
  for (const {name, value, fromVariable} of headers) {
    const shown = fromVariable === undefined ? quote(`${name}: ${value}`) : `"${name}: $${fromVariable}"`
    lines.push(`--header ${shown}`)
  }
  // `--data` would read a file for a body that begins with @, and drop newlines.
  if (body !== '') lines.push(`--data-raw ${quote(body)}`)
  return lines.join(' \\\n  ')
}

function quote(text: string): string {
  if (text.includes('\0')) {
    throw new Failure(
      'input_invalid',
      'The body has a NUL byte, which a command line cannot contain.',
      'Use --print body and send the file with curl --data-binary @FILE.',
    )
  }
  return quoteForShell(text)
}
