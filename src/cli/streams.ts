import {Failure} from '../core/failure.ts'

/** Set once stdout has failed: a lost result is an error, and `console.log` would exit 0 over it (P16). */
let lostBecause: NodeJS.ErrnoException | undefined
let isWatched = false

/** From here on an error of stdout is remembered. oclif's own listener would throw it, past every catch. */
function watchStdout(): void {
  if (isWatched) return
  isWatched = true
  process.stdout.removeAllListeners('error')
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    lostBecause ??= error
  })
}

/**
 * Writes to stdout and waits until it is taken. A reader that went away (`| head`) is no failure of ours and
 * the work goes on; a full disk is.
 */
export async function writeStdout(text: string): Promise<void> {
  watchStdout()
  const error = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => {
    process.stdout.write(text, resolve)
  })
  const lost = error ?? lostBecause
  if (!lost || lost.code === 'EPIPE') return
  throw new Failure(
    'storage_failed',
    `The result could not be written to standard output (${lost.code ?? 'write error'}).`,
    'Make room, or send the output elsewhere, and run it again.',
  )
}

/** False once whoever read stdout has gone (`| head`): what is still to be written is for nobody. */
export function isStdoutRead(): boolean {
  return lostBecause?.code !== 'EPIPE'
}

/**
 * The second net under P20: from here on `secret` cannot leave by stdout or stderr, whoever writes it. The
 * first net is that nobody puts it there.
 */
export function hideSecret(secret: string): void {
  if (secret.length < 4 || hidden.has(secret)) return
  if (hidden.size === 0) {
    wrap(process.stdout)
    wrap(process.stderr)
  }
  hidden.add(secret)
}

const hidden = new Set<string>()

function wrap(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean
  stream.write = ((chunk: unknown, ...rest: unknown[]) =>
    write(typeof chunk === 'string' ? scrub(chunk) : chunk, ...rest)) as typeof stream.write
}

function scrub(text: string): string {
  let clean = text
  for (const secret of hidden) clean = clean.replaceAll(secret, '***')
  return clean
}
