/** A file of its own, because the command's help reads it without opening SQLite. */
export const exportKinds = ['ledger', 'records'] as const
export type ExportKind = (typeof exportKinds)[number]
