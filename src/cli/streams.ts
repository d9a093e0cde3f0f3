import {Failure} from '../core/failure.ts'

/** Set once stdout has failed: a lost result is an error, but `console.log` would exit 0 (P16). */
let lostBecause: NodeJS.ErrnoException | undefined
let isWatched = false

/** Remembers errors of stdout. oclif's own listener would throw them outside every catch. */
export function watchStdout(): void {
  if (isWatched) return
  isWatched = true
  process.stdout.removeAllListeners('error')
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    lostBecause ??= error
  })
}

/** The reader of stdout is gone: the rest of a stream need not be written. */
export class ReaderGone extends Error {}

/** Like `writeStdout`, for a result in parts. Throws `ReaderGone` if nobody reads on (`| head`). */
export async function streamStdout(text: string): Promise<void> {
  if (text !== '') await writeStdout(text)
  if (lostBecause?.code === 'EPIPE') throw new ReaderGone('stdout was closed')
}

/** Writes to stdout and waits until it is taken. A reader that went away (`| head`) is no failure; a full disk is. */
export async function writeStdout(text: string): Promise<void> {
  watchStdout()
  const error = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => {
    process.stdout.write(text, resolve)
  })
  const failure = failureOfOutput(error ?? lostBecause)
  if (failure) throw failure
}

/** The first error of stdout. */
export function lostOutput(): NodeJS.ErrnoException | undefined {
  return lostBecause
}

/** The failure behind an error of stdout; null for a reader that went away. */
export function failureOfOutput(error: NodeJS.ErrnoException | null | undefined): Failure | null {
  if (!error || error.code === 'EPIPE') return null
  return new Failure(
    'storage_failed',
    `The result could not be written to standard output (${error.code ?? 'write error'}).`,
    'Free some space, or send the output to another place. Then run it again.',
  )
}

export function isStdoutRead(): boolean {
  return lostBecause?.code !== 'EPIPE'
}

/**
 * A second guard for P20: `secret` can no longer leave by stdout or stderr. The first guard is that nothing prints
 * it.
 */
export function hideSecret(secret: string): void {
  if (secret.length < 4 || hidden.has(secret)) return
  if (hidden.size === 0) {
    wrap(process.stdout)
    wrap(process.stderr)
  }
  hidden.add(secret)
  // Its spelling inside a JSON string.
  hidden.add(JSON.stringify(secret).slice(1, -1))
}

const hidden = new Set<string>()

function wrap(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean
  stream.write = ((chunk: unknown, ...rest: unknown[]) =>
    write(
      chunk instanceof Uint8Array ? scrubBytes(chunk) : scrub(String(chunk)),
      ...rest,
    )) as typeof stream.write
}

function scrubBytes(chunk: Uint8Array): Uint8Array {
  const text = Buffer.from(chunk).toString('latin1')
  const hiddenBytes = [...hidden].map((secret) => Buffer.from(secret).toString('latin1'))
  const clean = hiddenBytes.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
  return clean === text ? chunk : Buffer.from(clean, 'latin1')
}

export function scrub(text: string): string {
  let clean = text
  for (const secret of hidden) clean = clean.replaceAll(secret, '***')
  return clean
}

export function isQuiet(argv: readonly string[] = process.argv): boolean {
  return argv.includes('--quiet') || argv.includes('-q')
}
