/** What can be taken out of the state; a file of its own, for the command's help reads it without opening SQLite. */
export const exportKinds = ['ledger', 'records'] as const
export type ExportKind = (typeof exportKinds)[number]
