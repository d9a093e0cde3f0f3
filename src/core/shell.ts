/** One word of a POSIX shell, as is where nothing in it is special. Inside single quotes only the quote itself is. */
export function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
