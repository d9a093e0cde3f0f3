/** A room of `src`, and the tests that are to notice a change in it: its own, and those of the rooms that call it. */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  core: ['core', 'ledger', 'report', 'workflows', 'commands'],
  api: ['api', 'fuzz/answers', 'fuzz/statuses', 'commands'],
  workflows: ['workflows', 'commands'],
  journal: ['journal', 'commands', 'workflows/resend', 'workflows/run-history', 'workflows/payouts'],
  receiver: ['receiver', 'fuzz/webhooks', 'commands'],
}
