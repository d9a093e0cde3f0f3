/** A room of `src`, and the tests that are to notice a change in it: its own, and those of the rooms that call it. */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  core: ['core', 'ledger', 'report', 'receiver', 'workflows'],
  api: [
    'api',
    'fuzz/answers',
    'fuzz/statuses',
    'commands/create-doubts',
    'commands/query',
    'commands/doctor',
  ],
  workflows: ['workflows', 'commands'],
  journal: ['journal', 'workflows/resend', 'commands/reconcile-history', 'commands/creates-in-doubt'],
  receiver: ['receiver', 'fuzz/webhooks'],
}
