/** The rooms of `src` whose changes are to be noticed. */
export const rooms: readonly string[] = ['core', 'api', 'workflows', 'journal', 'receiver']

/** The tests that load the source into their own process. Which of them play for a change is measured, not listed. */
export const tests: readonly string[] = [
  ...['api', 'cli', 'commands', 'config', 'core', 'files', 'fuzz', 'journal', 'ledger', 'receiver', 'report'],
  ...['workflows', 'index'],
]

/** Where the source of a place stands, from `src/` on, in the sandbox as well as here. */
export function fromSource(fileName: string): string {
  return fileName.slice(fileName.lastIndexOf('/src/') + 1)
}

export function roomOf(fileName: string): string {
  return fromSource(fileName).split('/')[1] ?? ''
}

/** A file in the folder that the processes of one measurement share. */
export function sharedFile(name: string): string {
  return `${process.env.MUTATION_FOLDER}/${name}`
}
