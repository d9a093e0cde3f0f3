import {renameSync} from 'node:fs'
import {hostname} from 'node:os'
import {DatabaseSync} from 'node:sqlite'
import type {Account} from '../../core/account.ts'
import {inBatches} from '../../core/batches.ts'
import {Failure} from '../../core/failure.ts'
import {escapeInvisible, firstOf} from '../../core/text.ts'
import {databaseOf} from '../../files/sqlite.ts'
import {type DroppedRow, dropInDoubt, strength, wasThereBefore} from '../account-memory.ts'
import {sortFinalOrders} from '../final-orders.ts'
import {beingSent} from '../lock.ts'
import {part, rowsAtOnce, sql} from '../query.ts'
import {declaredMade} from '../request-row.ts'
import {holdAccount} from './account.ts'
import type {Row, Transaction} from './database.ts'
import {accountIdOf, openShared} from './journal.ts'
import type {DatabaseAddress} from './settings.ts'
import {postgres} from './store.ts'

const requestsOf = (
  table: 'requests' | 'requests_dropped',
) => `SELECT kind, order_no, body_digest, intent_digest, return_url, CAST(amount_paisa AS TEXT) AS amount_paisa, channel,
  masked_account, payee_fingerprint, sent_fields, state, platform_order_no, service_code, absent_before, confirmation, confirmation_why,
  claims, intent_at_ms, claimed_at_ms, settled_at_ms, repeats_allowed, uuid() AS claim_token FROM ${table} ORDER BY id`

/** Where each table's rows are on a machine; what another row of the same already says is kept. Amounts are text on the way. */
const tables: readonly (readonly [table: string, select: string])[] = [
  [
    'runs',
    `SELECT id, command, merchant_id, started_at_ms, finished_at_ms, status, options, exit_status, report_dir, totals, machine() AS machine
     FROM runs LEFT JOIN run_totals ON run_id = id ORDER BY seq`,
  ],
  [
    'resends',
    `SELECT run_id, delivery_id, order_id, event, kind, order_no, CASE never_left WHEN 1 THEN 'not_sent' ELSE state END AS state,
       intent_at_ms, skew_ms, sent_at_ms, baseline_attempts, baseline_sent_at, baseline_status, baseline_next_retry_at,
       baseline_response_code, response_code, detail, overrides, cause, uuid() AS claim_token FROM resends ORDER BY id`,
  ],
  [
    'resolutions',
    'SELECT kind, order_no, body_digest, happened, state_before, by, reason, at_ms FROM resolutions ORDER BY id',
  ],
  ['endpoints', 'SELECT address, knew_an_order_at_ms FROM endpoints'],
  ['account_origin', 'SELECT origin, first_seen_ms, is_linked FROM addresses'],
  ['account_notes', 'SELECT at_ms, by, what, reason FROM account_notes ORDER BY id'],
  ['daily_ceilings', 'SELECT CAST(paisa AS TEXT) AS paisa, stated_at_ms FROM daily_ceilings ORDER BY id'],
  [
    'findings',
    `SELECT kind, order_no, verdict, cause, severity, CAST(at_risk_paisa AS TEXT) AS at_risk_paisa, first_seen_ms, first_run_id,
       opened_ms, opened_run_id, last_seen_ms, last_run_id, changed_run_id, said, healed_ms, healed_run_id, closed_by,
       ordered_at_ms FROM findings ORDER BY id`,
  ],
  ['item_events', 'SELECT kind, order_no, what, text, by, at_ms FROM item_events ORDER BY id'],
  [
    'evidence',
    'SELECT folder, run_id, host, dir, begun_at_ms, sealed_seq, sha256, previous, bytes, removed_at_ms FROM evidence ORDER BY id',
  ],
  ['sign_offs', 'SELECT run_id, by, note, is_alone, at_ms FROM sign_offs ORDER BY id'],
  [
    'settled',
    `SELECT settlements.kind, order_no, status, raw_status, run_id, settled_at_ms, CAST(ledger_paisa AS TEXT) AS ledger_paisa,
       CAST(service_paisa AS TEXT) AS service_paisa, platform_order_no, is_seen_only, is_taken_back
     FROM settled JOIN settlements ON settlements.id = settlement`,
  ],
  ['rows_seen', 'SELECT * FROM rows_seen'],
  ['payouts_failed', 'SELECT order_no, seen_ms FROM payouts_failed'],
  ['payouts_completed', 'SELECT order_no, seen_ms FROM payouts_completed'],
  ['balances', 'SELECT * FROM balances'],
  ['requests_dropped', requestsOf('requests_dropped')],
]

const ignores = `SELECT i.id AS place, kind, order_no, verdict, CAST(i.at_risk_paisa AS TEXT) AS at_risk_paisa, reason, ignored_by, ignored_at_ms,
  expires_at_ms, removed_by, removed_at_ms, i.said, i.opened_ms FROM ignores AS i JOIN findings AS f ON f.id = finding_id ORDER BY i.id`

/**
 * Moves a journal of this machine into the shared one, in one transaction, and the file out of its place. Repeating it
 * changes nothing. Of a number that both sent with other parameters it keeps a row as `mergeJournal` does: "this" is the
 * file's, "other" the shared journal's.
 */
export async function importJournal(
  path: string,
  address: DatabaseAddress,
  account: Account,
  keep: 'this' | 'other' | null = null,
): Promise<{rows: Record<string, number>; dropped: readonly DroppedRow[]}> {
  const db = await openShared(address)
  const file = new DatabaseSync(path)
  try {
    sortFinalOrders(databaseOf(file, path))
    file.function('uuid', () => crypto.randomUUID())
    file.function('machine', hostname)
    // No other process of this machine writes to it meanwhile, and its log is part of the file that is moved.
    file.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    const accountId = await accountIdOf(db, account)
    const moved = await db.write(async (tx) => {
      const {nowMs} = await holdAccount(tx, accountId)
      const {taken, dropped} = await takeRequests(tx, accountId, {
        file,
        path,
        sharedName: address.name,
        keep,
        account,
        nowMs,
      })
      const done: Record<string, number> = {requests: taken}
      for (const [table, select] of tables)
        done[table] = await insertAll(tx, accountId, table, file.prepare(select).iterate())
      done.ignores = 0
      for (const page of inBatches(file.prepare(ignores).iterate(), rowsAtOnce))
        done.ignores += await tx.run(
          sql`INSERT INTO hisab.ignores (account_id, finding_id, at_risk_paisa, reason, ignored_by, ignored_at_ms, expires_at_ms,
              removed_by, removed_at_ms, said, opened_ms)
            SELECT ${accountId}, f.id, one.at_risk_paisa, one.reason, one.ignored_by, one.ignored_at_ms, one.expires_at_ms,
              one.removed_by, one.removed_at_ms, one.said, one.opened_ms
            FROM json_to_recordset(${JSON.stringify(page)}) AS one (place bigint, kind text, order_no text, verdict text,
                at_risk_paisa bigint, reason text, ignored_by text, ignored_at_ms bigint, expires_at_ms bigint, removed_by text,
                removed_at_ms bigint, said text, opened_ms bigint)
              JOIN hisab.findings AS f ON f.account_id = ${accountId} AND f.kind = one.kind AND f.order_no = one.order_no
                AND f.verdict = one.verdict
            WHERE NOT EXISTS (SELECT 1 FROM hisab.ignores AS known WHERE known.finding_id = f.id
              AND known.ignored_at_ms = one.ignored_at_ms AND known.ignored_by = one.ignored_by)
            ORDER BY one.place`,
        )
      await tx.run(
        sql`UPDATE hisab.requests_dropped AS r SET ${part(dropInDoubt)} AND r.account_id = ${accountId} AND NOT ${declaredMade(postgres)}`,
      )
      // Told apart from a copy of before.
      await tx.run(
        sql`INSERT INTO hisab.generations (account_id, number, token, at_ms)
          SELECT ${accountId}, coalesce(max(number), 0) + 1, ${crypto.randomUUID()}, ${nowMs} FROM hisab.generations
          WHERE account_id = ${accountId}`,
      )
      return {rows: done, dropped}
    })
    file.exec('ROLLBACK')
    file.close()
    renameSync(path, `${path}.imported`)
    return moved
  } finally {
    if (file.isOpen) file.close()
    await db.close()
  }
}

const strengthOf = (state: string) => `array_position(ARRAY['${strength.join("', '")}'], ${state})`

interface OwnFile {
  readonly file: DatabaseSync
  readonly path: string
  readonly sharedName: string
  readonly keep: 'this' | 'other' | null
  readonly account: Account
  readonly nowMs: number
}

async function takeRequests(
  tx: Transaction,
  accountId: number,
  {file, path, sharedName, keep, account, nowMs}: OwnFile,
): Promise<{taken: number; dropped: readonly DroppedRow[]}> {
  let taken = 0
  const dropped: DroppedRow[] = []
  for (const page of inBatches(file.prepare(requestsOf('requests')).iterate(), rowsAtOnce)) {
    const theirs = part(`json_populate_recordset(NULL::hisab.requests, `)
    const contradictions = await tx.all(
      sql`SELECT mine.kind, mine.order_no, mine.amount_paisa::text AS amount, mine.masked_account AS account,
          coalesce(mine.sending_until_ms > ${nowMs}, false) AS is_sent_now,
          ${part(wasThereBefore('mine', 'theirs'))} AS is_mine, ${part(wasThereBefore('theirs', 'mine'))} AS is_theirs
        FROM hisab.requests AS mine JOIN ${theirs} ${JSON.stringify(page)}) AS theirs USING (kind, order_no)
        WHERE mine.account_id = ${accountId} AND mine.state <> 'refused' AND theirs.state <> 'refused'
          AND mine.body_digest <> theirs.body_digest AND mine.intent_digest IS DISTINCT FROM theirs.intent_digest`,
    )
    // Its outcome would be recorded of the row that takes its place.
    if (contradictions.some((row) => row.is_sent_now === true)) throw beingSent(account)
    const isOpen = (row: Row) => row.is_mine !== true && row.is_theirs !== true
    const open = contradictions.filter(isOpen)
    if (open.length > 0 && keep === null) throw contradiction(path, open)
    // Which page rows take the place of another, or are left.
    const replacing: Row[] = []
    const left = new Set<Row>()
    for (const mine of contradictions) {
      const own = page.find((row) => row.kind === mine.kind && row.order_no === mine.order_no) ?? {}
      const takesOwn = isOpen(mine) ? keep === 'this' : mine.is_theirs === true && mine.is_mine !== true
      if (takesOwn) replacing.push(own)
      left.add(own)
      const lost = takesOwn ? mine : {...own, amount: own.amount_paisa, account: own.masked_account}
      dropped.push(droppedRow(lost, takesOwn ? sharedName : path, !isOpen(mine)))
      if (!isOpen(mine)) continue
      if (takesOwn) await dropMine(tx, accountId, own)
      else await insertAll(tx, accountId, 'requests_dropped', [own])
    }
    const kept = page.filter((row) => !left.has(row))
    const replace = async (rows: readonly Row[], condition: string) =>
      await tx.run(
        sql`UPDATE hisab.requests AS mine SET state = theirs.state, body_digest = theirs.body_digest,
            intent_digest = theirs.intent_digest, return_url = theirs.return_url, amount_paisa = theirs.amount_paisa,
            channel = theirs.channel, masked_account = theirs.masked_account, payee_fingerprint = theirs.payee_fingerprint,
            sent_fields = theirs.sent_fields,
            platform_order_no = theirs.platform_order_no, service_code = theirs.service_code,
            absent_before = theirs.absent_before, confirmation = theirs.confirmation,
            confirmation_why = theirs.confirmation_why, claims = mine.claims + theirs.claims,
            intent_at_ms = theirs.intent_at_ms, claimed_at_ms = greatest(mine.claimed_at_ms, theirs.claimed_at_ms),
            settled_at_ms = theirs.settled_at_ms, repeats_allowed = theirs.repeats_allowed
          FROM ${theirs} ${JSON.stringify(rows)}) AS theirs
          WHERE mine.account_id = ${accountId} AND mine.kind = theirs.kind AND mine.order_no = theirs.order_no
            AND ${part(condition)}`,
      )
    taken += await replace(kept, `${strengthOf('theirs.state')} > ${strengthOf('mine.state')}`)
    taken += await replace(replacing, 'true')
    taken += await insertAll(tx, accountId, 'requests', kept)
  }
  return {taken, dropped}
}

const droppedColumns =
  part(`account_id, claim_token, sending_until_ms, kind, order_no, body_digest, intent_digest, return_url,
  amount_paisa, channel, masked_account, payee_fingerprint, sent_fields, state, platform_order_no, service_code, absent_before, confirmation,
  confirmation_why, claims, intent_at_ms, claimed_at_ms, settled_at_ms, repeats_allowed, sent_by`)

async function dropMine(tx: Transaction, accountId: number, {kind, order_no: orderNo}: Row): Promise<void> {
  await tx.run(
    sql`INSERT INTO hisab.requests_dropped (${droppedColumns}) SELECT ${droppedColumns} FROM hisab.requests
      WHERE account_id = ${accountId} AND kind = ${kind} AND order_no = ${orderNo} ON CONFLICT DO NOTHING`,
  )
}

function droppedRow(
  {kind, order_no: orderNo, amount, account}: Row,
  path: string,
  isNeverMade: boolean,
): DroppedRow {
  return {
    ...{kind: kind === 'payout' ? 'payout' : 'deposit', orderNo: String(orderNo)},
    amount: amount == null ? null : BigInt(String(amount)),
    maskedAccount: account == null ? null : String(account),
    ...{path, isNeverMade},
  }
}

async function insertAll(
  tx: Transaction,
  accountId: number,
  table: string,
  rows: Iterable<Row>,
): Promise<number> {
  let count = 0
  for (const page of inBatches(rows, rowsAtOnce)) {
    const names = part(Object.keys(page[0] ?? {}).join(', '))
    const target = part(`hisab.${table}`)
    count += await tx.run(
      sql`INSERT INTO ${target} (account_id, ${names}) SELECT ${accountId}, ${names}
        FROM json_populate_recordset(NULL::${target}, ${JSON.stringify(page.map(asDocuments))}) ON CONFLICT DO NOTHING`,
    )
  }
  return count
}

/** SQLite keeps a document as its text; as text it would be one string in a column of documents. */
function asDocuments(row: Row): Row {
  const documents = ['options', 'totals'].filter((name) => typeof row[name] === 'string')
  return {...row, ...Object.fromEntries(documents.map((name) => [name, JSON.parse(String(row[name]))]))}
}

function contradiction(path: string, rows: readonly Row[]): Failure {
  const shown = firstOf(rows, 5, (row) => `${row.kind} ${escapeInvisible(String(row.order_no), 40)}`)
  return new Failure(
    'file_unreadable',
    `${escapeInvisible(path)} and the shared journal contradict each other: they sent ${shown} with different parameters. Nothing was moved.`,
    'Query those numbers at the service. Then keep the right rows: hisab journal import --keep this (the file), or --keep other (the shared journal). The other rows stay in doubt: hisab payout list --in-doubt.',
  )
}
