import {part, type Query, sql} from '../query.ts'
import {inDoubtCondition} from '../request-row.ts'
import {resendInDoubt} from '../resend-doubts.ts'
import {type Engine, type Names, type Steps, type Store, unchanged} from '../store.ts'
import {holdAccount, type Shared} from './account.ts'
import type {Transaction} from './database.ts'
import {isOnItsWay} from './doubts.ts'

/** Who started its run, and on which machine. */
const senderOf = `(SELECT coalesce(u.options ->> 'by', 'hisab') || '@' || u.machine FROM hisab.runs AS u
  WHERE u.account_id = r.account_id AND u.id = r.run_id)`

export const postgres: Engine = {
  table: (name) => part(`hisab.${name}`),
  same: (alias) => part(`${alias}.account_id = r.account_id`),
  droppedId: 'id',
  resend: {state: 'r.state', by: senderOf, isOnItsWay: isOnItsWay.resend},
  resendState: (state) => ({state}),
  request: {sentBy: 'r.sent_by', isOnItsWay: isOnItsWay.create},
  fingerprintOf: (field) => `sent_fields::json #>> '{${field},fingerprint}'`,
  requestEnded: {sending_until_ms: null},
  requestRefused: {claim_token: part('gen_random_uuid()')},
  run: {machine: 'machine', isAlive: 'coalesce(alive_until > clock_timestamp(), false)'},
  runsWithTotals: part('hisab.runs'),
}

/** In doubt, and not on its way: nobody may know the outcome yet. */
export const isInDoubt = {
  resend: sql`${resendInDoubt(postgres)} AND NOT ${part(isOnItsWay.resend)}`,
  create: sql`${part(inDoubtCondition)} AND NOT ${part(isOnItsWay.create)}`,
}

/** The names of an account's rows. */
export function namesOf(accountId: number): Names {
  return {
    engine: postgres,
    mine: (alias) => part(`${alias}.account_id = ${accountId}`),
    into: (table, columns) => part(`hisab.${table} (account_id, ${columns})`),
    first: part(`${accountId}, `),
    owner: part('account_id, '),
    given(rows, columns) {
      const types = part(columns.map((name) => `${name} text`).join(', '))
      return sql`(SELECT * FROM json_to_recordset(${JSON.stringify(rows)}) AS given (${types}))`
    },
  }
}

/** Goes through the steps of a transaction. */
export async function walkIn<T>(tx: Transaction, steps: Steps<T>): Promise<T> {
  let step = steps.next([])
  while (!step.done) step = steps.next(await tx.all(step.value))
  return step.value
}

export function sharedStore({db, accountId}: Shared): Store {
  const change = (query: Query, otherwise: string) =>
    db.write(async (tx) => {
      if ((await tx.run(query)) !== 1 && !tx.isRepeat) throw unchanged(otherwise)
    }, 'repeat')
  return {
    ...namesOf(accountId),
    all: (query) => db.all(query),
    run: (...queries) =>
      db.write(async (tx) => {
        await holdAccount(tx, accountId)
        let changed = 0
        for (const query of queries) changed = await tx.run(query)
        return changed
      }, 'repeat'),
    change,
  }
}
