import {escapeInvisible} from '../core/text.ts'
import {columnsFor} from '../files/sqlite.ts'
import type {Journal} from './interface.ts'
import {part, sql} from './query.ts'
import type {RunRow} from './rows.ts'
import type {Store} from './store.ts'

type Runs = Pick<
  Journal,
  'finishRun' | 'findRun' | 'listRuns' | 'knewAnOrder' | 'recordKnewAnOrder' | 'addNote'
>

export function noRun(id: string): string {
  return `There is no run ${escapeInvisible(id)} to resume.`
}

/** Past runs, the addresses that knew an order, and a person's notes about the account. */
export function runsAndNotes({engine, mine, into, first, all, run, change}: Store): Runs {
  const [runs, endpoints] = [engine.table('runs'), engine.table('endpoints')]
  const columns = part(
    columnsFor<RunRow>({
      ...{id: 'id', command: 'command', merchantId: 'merchant_id', startedAtMs: 'started_at_ms'},
      ...{finishedAtMs: 'finished_at_ms', status: 'status', options: 'CAST(options AS TEXT)'},
      ...{exitStatus: 'exit_status', reportDir: 'report_dir', by: `options ->> 'by'`, ...engine.run},
    }),
  )
  return {
    finishRun: (id, {status, finishedAtMs, exitStatus, reportDir}) =>
      change(
        sql`UPDATE ${runs} AS r SET status = ${status}, finished_at_ms = ${finishedAtMs}, exit_status = ${exitStatus},
            report_dir = CASE WHEN ${Number(reportDir !== undefined)} = 1 THEN ${reportDir ?? null} ELSE report_dir END
          WHERE ${mine('r')} AND id = ${id} AND status = 'running'`,
        `The run ${escapeInvisible(id)} is not running, so it cannot end.`,
      ),
    async findRun(id) {
      const [row] = await all(sql`SELECT ${columns} FROM ${runs} AS r WHERE ${mine('r')} AND id = ${id}`)
      return (row as unknown as RunRow | undefined) ?? null
    },
    listRuns: async (rowsMax) =>
      (await all(
        sql`SELECT ${columns} FROM ${runs} AS r WHERE ${mine('r')} ORDER BY seq DESC LIMIT ${rowsMax}`,
      )) as unknown as RunRow[],
    knewAnOrder: async (address) =>
      (await all(sql`SELECT 1 AS one FROM ${endpoints} AS r WHERE ${mine('r')} AND address = ${address}`))
        .length > 0,
    async recordKnewAnOrder(address, atMs) {
      await run(
        sql`INSERT INTO ${into('endpoints', 'address, knew_an_order_at_ms')}
          VALUES (${first}${address}, ${atMs}) ON CONFLICT DO NOTHING`,
      )
    },
    async addNote({atMs, by, what, reason}) {
      await run(
        sql`INSERT INTO ${into('account_notes', 'at_ms, by, what, reason')}
          VALUES (${first}${atMs}, ${by}, ${what}, ${reason})`,
      )
    },
  }
}
