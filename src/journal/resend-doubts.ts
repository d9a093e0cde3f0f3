import {part, type Query, sql} from './query.ts'
import {historyOf, type ResendHistory, resendOf, selectResends} from './resends.ts'
import type {ResendRow} from './rows.ts'
import type {Engine, Store} from './store.ts'

interface ResendReader {
  resendsOfRun(runId: string): Promise<ResendRow[]>
  /** All resends, or those of an order number, for planning. Only `claimResend` decides. */
  resendHistory(orderNo?: string): Promise<ResendHistory>
}

/** Resends whose record has not shown how they ended. */
export interface ResendDoubts {
  /** Resends with unknown outcome, of any age, oldest first (P6). */
  resendsInDoubt(): Promise<ResendRow[]>
  /** Those in doubt and those that were answered, with a no or a 2xx. */
  resendsWithoutEnd(): Promise<ResendRow[]>
  /**
   * Takes down the end of a resend that its record showed later, whoever read it. False where there is nothing to take
   * down, and where the run that sent it is at work. `isAlone`: no other process is at work for the merchant.
   */
  endResend(
    id: number,
    state: 'delivered' | 'still_failing',
    code: number | null,
    isAlone: boolean,
  ): Promise<boolean>
}

/** No later resend of the same event took its place; one that was refused takes nothing back. */
export const isLatest = ({table, same}: Engine) =>
  sql`NOT EXISTS (SELECT 1 FROM ${table('resends')} AS later WHERE ${same('later')} AND later.order_id = r.order_id
    AND later.event = r.event AND later.id > r.id AND later.state NOT IN ('refused', 'not_sent'))`

/** A resend with unknown outcome (P6). */
export const resendInDoubt = (engine: Engine) => sql`r.state IN ('intent', 'unknown') AND ${isLatest(engine)}`

/** `own`: the runs of this process, which watch their resends themselves. */
export function resendDoubts(store: Store, own: ReadonlySet<string>): ResendDoubts & ResendReader {
  const {engine, mine, all, run} = store
  const [resends, runs] = [engine.table('resends'), engine.table('runs')]
  const withoutEnd = sql`${part(engine.resend.state)} IN ('intent', 'accepted', 'unknown', 'refused') AND ${isLatest(engine)}`
  const read = async (where: Query, order: string) =>
    (await all(sql`${selectResends(store)} AND ${where} ORDER BY ${part(order)}`))
      .map(resendOf)
      .map((row) => ({...row, isOnItsWay: row.isOnItsWay && !own.has(row.runId)}))
  return {
    resendsInDoubt: () => read(resendInDoubt(engine), 'r.intent_at_ms, r.id'),
    resendsWithoutEnd: () => read(withoutEnd, 'r.intent_at_ms, r.id'),
    resendsOfRun: (runId) => read(sql`r.run_id = ${runId}`, 'r.id'),
    resendHistory: async (orderNo) =>
      historyOf(await read(orderNo === undefined ? sql`TRUE` : sql`r.order_no = ${orderNo}`, 'r.id')),
    /** A run that is found running while no other process is at work was killed. */
    async endResend(id, state, code, isAlone) {
      const isEnded = sql`EXISTS (SELECT 1 FROM ${runs} AS sender WHERE ${engine.same('sender')} AND sender.id = r.run_id
        AND (sender.status <> 'running' OR ${Number(isAlone)} = 1))`
      const which = sql`${mine('r')} AND r.id = ${id} AND ${withoutEnd} AND ${isEnded}`
      const [row] = await all(sql`SELECT run_id AS "runId" FROM ${resends} AS r WHERE ${which}`)
      if (row === undefined || own.has(String(row.runId))) return false
      return (
        (await run(
          sql`UPDATE ${resends} AS r SET state = ${state}, response_code = ${code}, detail = NULL WHERE ${which}`,
        )) === 1
      )
    },
  }
}
