/** Why a file cannot be read, from the system's code. */
export function whyUnread(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  return reasons[code] ?? code
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'reading it is not permitted',
  EPERM: 'reading it is not permitted',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8',
}
