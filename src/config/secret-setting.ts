import {nearest} from '../core/nearest.ts'

/** `api_secret` or `api_key` in `config.toml`. Plain text is accepted with a warning. */
export type SecretSetting =
  | string
  | {readonly file: string; readonly exact?: boolean}
  | {readonly command: readonly string[]; readonly exact?: boolean}
  | {readonly env: string}

const shapes = '{ file = "…" }, { command = ["…"] } or { env = "NAME" }'
const ways = ['file', 'command', 'env']

/** The problem with a value that should be a `SecretSetting`, or null. It never quotes the value. */
export function secretProblem(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? `is empty; give it as ${shapes}` : null
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `must be ${shapes}`
  const {exact, ...rest} = value as Record<string, unknown>
  const entries = Object.entries(rest)
  const [entry] = entries
  if (entry === undefined || entries.length > 1) return `must be exactly one of ${shapes}`
  const [way, content] = entry
  if (!ways.includes(way)) {
    const meant = nearest(way, ways)
    return `must be ${shapes}${meant === null ? '' : `; did you mean "${meant}"?`}`
  }
  if (exact !== undefined && (typeof exact !== 'boolean' || way === 'env')) {
    return 'may have exact = true or false beside a file or a command, nowhere else'
  }
  if (way === 'command') {
    const isArgv = Array.isArray(content) && content.every((arg) => typeof arg === 'string')
    return isArgv && content[0]
      ? null
      : 'must have a list of words as its command: the program, then its arguments'
  }
  return typeof content === 'string' && content !== '' ? null : `must have text in quotes as its "${way}"`
}
