import {Failure} from '../../core/failure.ts'
import {dropInDoubt} from '../account-memory.ts'
import {part, sql} from '../query.ts'
import {nameIndexes} from '../request-row.ts'
import {SharedDatabase, type Transaction} from './database.ts'
import type {DatabaseAddress} from './settings.ts'
import {postgres} from './store.ts'

/**
 * The tables of a shared journal, a step a version; a step that was released is never edited. Each row is of one account.
 * Their columns are those of the journal on a machine (`../schema.ts`), as far as they have them: times in milliseconds
 * of the database's clock, amounts in whole paisa.
 */
export const sharedSteps: readonly string[] = [
  `
  CREATE TABLE hisab.account (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    merchant_id TEXT NOT NULL,
    environment TEXT NOT NULL,
    timeline TEXT,
    skew_ms BIGINT,
    list_mark JSON,
    UNIQUE (merchant_id, environment)
  );

  CREATE TABLE hisab.account_origin (
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    origin TEXT NOT NULL,
    first_seen_ms BIGINT NOT NULL,
    is_linked SMALLINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, origin)
  );

  CREATE TABLE hisab.account_notes (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    at_ms BIGINT NOT NULL, by TEXT NOT NULL, what TEXT NOT NULL, reason TEXT
  );

  CREATE TABLE hisab.daily_ceilings (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    paisa BIGINT NOT NULL, stated_at_ms BIGINT NOT NULL
  );

  CREATE TABLE hisab.lease (
    account_id BIGINT PRIMARY KEY REFERENCES hisab.account (id),
    fence BIGINT NOT NULL,
    holder TEXT NOT NULL,
    taken_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
  );

  CREATE TABLE hisab.runs (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    id TEXT NOT NULL,
    command TEXT NOT NULL CHECK (command IN ('reconcile', 'resend')),
    merchant_id TEXT NOT NULL,
    started_at_ms BIGINT NOT NULL,
    finished_at_ms BIGINT,
    status TEXT NOT NULL CHECK (status IN ('running', 'finished', 'interrupted')),
    options JSON NOT NULL,
    exit_status INTEGER,
    report_dir TEXT,
    totals JSON,
    UNIQUE (account_id, id)
  );

  CREATE TABLE hisab.resends (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    claim_token UUID NOT NULL UNIQUE,
    run_id TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    order_id TEXT NOT NULL,
    event TEXT NOT NULL,
    kind TEXT CHECK (kind IN ('deposit', 'payout')),
    order_no TEXT,
    state TEXT NOT NULL CHECK (state IN ('intent', 'accepted', 'refused', 'unknown', 'delivered', 'still_failing', 'not_sent')),
    intent_at_ms BIGINT NOT NULL,
    skew_ms BIGINT,
    sent_at_ms BIGINT,
    baseline_attempts INTEGER NOT NULL,
    baseline_sent_at TEXT,
    baseline_status TEXT NOT NULL CHECK (baseline_status IN ('pending', 'success', 'failed')),
    baseline_next_retry_at TEXT,
    baseline_response_code INTEGER,
    response_code INTEGER,
    detail TEXT,
    overrides TEXT NOT NULL,
    cause TEXT,
    FOREIGN KEY (account_id, run_id) REFERENCES hisab.runs (account_id, id)
  );
  CREATE UNIQUE INDEX resends_once_a_run ON hisab.resends (account_id, run_id, order_id, event)
    WHERE state <> 'not_sent';
  CREATE INDEX resends_of_an_order ON hisab.resends (account_id, lower(order_id));
  CREATE INDEX resends_of_a_number ON hisab.resends (account_id, order_no);

  CREATE TABLE hisab.requests (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    claim_token UUID NOT NULL,
    -- Its sender may still be at it until then.
    sending_until_ms BIGINT,
    kind TEXT NOT NULL CHECK (kind IN ('deposit', 'payout')),
    order_no TEXT NOT NULL,
    body_digest TEXT NOT NULL,
    intent_digest TEXT,
    return_url TEXT,
    amount_paisa BIGINT,
    channel TEXT,
    masked_account TEXT,
    payee_fingerprint TEXT,
    state TEXT NOT NULL CHECK (state IN ('intent', 'accepted', 'refused', 'unknown')),
    platform_order_no TEXT,
    service_code TEXT,
    absent_before SMALLINT NOT NULL DEFAULT 0,
    confirmation TEXT CHECK (confirmation IN ('confirmed', 'unanswered', 'not_shown', 'contradicted')),
    confirmation_why TEXT,
    claims INTEGER NOT NULL DEFAULT 1,
    intent_at_ms BIGINT NOT NULL,
    claimed_at_ms BIGINT NOT NULL,
    settled_at_ms BIGINT,
    repeats_allowed TEXT NOT NULL DEFAULT '[]',
    UNIQUE (account_id, kind, order_no)
  );
  CREATE INDEX requests_by_time ON hisab.requests (account_id, kind, claimed_at_ms);
  CREATE INDEX requests_to_a_payee ON hisab.requests (account_id, masked_account, amount_paisa) WHERE kind = 'payout';
  CREATE INDEX requests_of_platform_order ON hisab.requests (account_id, platform_order_no);

  CREATE TABLE hisab.resolutions (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    kind TEXT NOT NULL, order_no TEXT NOT NULL, happened SMALLINT NOT NULL,
    state_before TEXT NOT NULL, by TEXT NOT NULL, reason TEXT NOT NULL, at_ms BIGINT NOT NULL
  );
  CREATE INDEX resolutions_of_a_number ON hisab.resolutions (account_id, kind, order_no);

  CREATE TABLE hisab.endpoints (
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    address TEXT NOT NULL,
    knew_an_order_at_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, address)
  );

  CREATE TABLE hisab.findings (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    kind TEXT NOT NULL CHECK (kind IN ('deposit', 'payout')),
    order_no TEXT NOT NULL,
    verdict TEXT NOT NULL,
    cause TEXT,
    severity TEXT NOT NULL,
    at_risk_paisa BIGINT,
    first_seen_ms BIGINT NOT NULL,
    first_run_id TEXT NOT NULL,
    opened_ms BIGINT NOT NULL,
    opened_run_id TEXT NOT NULL,
    last_seen_ms BIGINT NOT NULL,
    last_run_id TEXT NOT NULL,
    changed_run_id TEXT,
    said TEXT,
    healed_ms BIGINT,
    healed_run_id TEXT,
    closed_by TEXT CHECK (closed_by IN ('ledger', 'service', 'person')),
    ordered_at_ms BIGINT,
    UNIQUE (account_id, kind, order_no, verdict)
  );
  CREATE INDEX findings_open ON hisab.findings (account_id, id) WHERE healed_ms IS NULL;

  CREATE TABLE hisab.ignores (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    finding_id BIGINT NOT NULL REFERENCES hisab.findings (id),
    at_risk_paisa BIGINT, reason TEXT NOT NULL, ignored_by TEXT NOT NULL, ignored_at_ms BIGINT NOT NULL,
    expires_at_ms BIGINT NOT NULL, removed_by TEXT, removed_at_ms BIGINT, said TEXT, opened_ms BIGINT
  );
  CREATE INDEX ignores_of_an_account ON hisab.ignores (account_id);

  CREATE TABLE hisab.item_events (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    kind TEXT NOT NULL, order_no TEXT NOT NULL,
    what TEXT NOT NULL CHECK (what IN ('assigned', 'noted', 'closed')),
    text TEXT NOT NULL, by TEXT NOT NULL, at_ms BIGINT NOT NULL,
    UNIQUE (account_id, kind, order_no, what, at_ms, by)
  );

  CREATE TABLE hisab.sign_offs (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    run_id TEXT NOT NULL, by TEXT NOT NULL, note TEXT NOT NULL, is_alone SMALLINT NOT NULL, at_ms BIGINT NOT NULL,
    UNIQUE (account_id, run_id, by, at_ms)
  );

  CREATE TABLE hisab.settled (
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    kind TEXT NOT NULL,
    order_no TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('completed', 'failed')),
    raw_status TEXT NOT NULL,
    run_id TEXT NOT NULL,
    settled_at_ms BIGINT NOT NULL,
    ledger_paisa BIGINT,
    service_paisa BIGINT,
    platform_order_no TEXT NOT NULL,
    is_seen_only SMALLINT NOT NULL,
    is_taken_back SMALLINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, kind, order_no)
  );
  CREATE INDEX settled_of_platform_order ON hisab.settled (account_id, platform_order_no);

  CREATE TABLE hisab.balances (
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    kind SMALLINT NOT NULL, order_no TEXT NOT NULL, run_id TEXT NOT NULL,
    ledger_paisa NUMERIC NOT NULL, service_paisa NUMERIC NOT NULL, difference_paisa NUMERIC NOT NULL,
    verdict TEXT, cause TEXT, is_void SMALLINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, kind, order_no, run_id)
  );

  CREATE TABLE hisab.rows_seen (
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    kind SMALLINT NOT NULL, order_no TEXT NOT NULL, any_order TEXT NOT NULL, is_beginning SMALLINT NOT NULL,
    line INTEGER NOT NULL, run_id TEXT NOT NULL, ledger_to_ms BIGINT NOT NULL, is_time_known SMALLINT NOT NULL,
    is_booked SMALLINT NOT NULL,
    PRIMARY KEY (account_id, kind, order_no, any_order)
  );
  `,
  // What a restored database is known by (`witness.ts`).
  `
  ALTER TABLE hisab.account RENAME COLUMN timeline TO place;
  ALTER TABLE hisab.account ADD COLUMN accepted_at_ms BIGINT;
  UPDATE hisab.account SET place = NULL WHERE place = substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);

  CREATE TABLE hisab.generations (
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    number BIGINT NOT NULL,
    token UUID NOT NULL UNIQUE,
    at_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, number)
  );
  `,
  `
  -- What its holder does.
  ALTER TABLE hisab.lease ADD COLUMN doing TEXT NOT NULL DEFAULT 'hisab';
  -- Where it runs, and until when it is known to.
  ALTER TABLE hisab.runs ADD COLUMN machine TEXT, ADD COLUMN alive_until TIMESTAMPTZ;
  -- Who claimed it last: person@machine.
  ALTER TABLE hisab.requests ADD COLUMN sent_by TEXT;
  `,
  // Creates that lost their number to another journal's, and may have been carried out. A later column of `requests` is added here, too.
  `
  CREATE TABLE hisab.requests_dropped (
    LIKE hisab.requests INCLUDING CONSTRAINTS INCLUDING DEFAULTS INCLUDING IDENTITY,
    PRIMARY KEY (id), FOREIGN KEY (account_id) REFERENCES hisab.account (id),
    UNIQUE (account_id, kind, order_no, body_digest)
  );
  `,
  `
  CREATE TABLE hisab.evidence (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    folder TEXT NOT NULL, run_id TEXT NOT NULL, host TEXT NOT NULL, dir TEXT NOT NULL, begun_at_ms BIGINT NOT NULL,
    sealed_seq BIGINT, sha256 TEXT, previous TEXT, bytes BIGINT, removed_at_ms BIGINT,
    UNIQUE (account_id, folder)
  );
  `,
  // A person's word is about one request, and its number may have had others.
  `
  ALTER TABLE hisab.resolutions ADD COLUMN body_digest TEXT;
  UPDATE hisab.resolutions AS said SET body_digest = (SELECT r.body_digest FROM hisab.requests AS r
    WHERE r.account_id = said.account_id AND r.kind = said.kind AND r.order_no = said.order_no);
  UPDATE hisab.requests_dropped SET ${dropInDoubt};
  `,
  // A ceiling counts what is in doubt at any age, and looks at no other payout of earlier days.
  `
  CREATE INDEX requests_in_doubt ON hisab.requests (account_id, kind)
    WHERE state IN ('intent', 'unknown') OR state = 'accepted' AND confirmation = 'contradicted';
  `,
  // What recognises a request's fields in an answer.
  `
  ALTER TABLE hisab.requests ADD COLUMN sent_fields TEXT NOT NULL DEFAULT '{}';
  ALTER TABLE hisab.requests_dropped ADD COLUMN sent_fields TEXT NOT NULL DEFAULT '{}';
  `,
  // A create asks for the payouts of its name.
  nameIndexes(postgres, 'hisab.requests', 'account_id, '),
  // Payouts that the service once showed as failed, whatever it shows later.
  `
  CREATE TABLE hisab.payouts_failed (
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    order_no TEXT NOT NULL,
    seen_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, order_no)
  );
  `,
  // When a payout that repeats or replaces another was first seen completed: the next of its amount is ordinary some days later.
  `
  CREATE TABLE hisab.payouts_completed (
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    order_no TEXT NOT NULL,
    seen_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, order_no)
  );
  `,
]

export const readVersion = sql`SELECT max(version)::int AS version FROM hisab.schema_version`

/** Brings the schema up to date; by its owner alone. */
export async function migrateJournal(
  address: DatabaseAddress,
  grantTo: string | null,
): Promise<{before: number; now: number}> {
  const db = new SharedDatabase(address, async () => undefined)
  try {
    const before = await db.write((tx) => migrateShared(tx, grantTo))
    return {before, now: sharedSteps.length}
  } finally {
    await db.close()
  }
}

async function migrateShared(tx: Transaction, grantTo: string | null): Promise<number> {
  await tx.run(sql`CREATE SCHEMA IF NOT EXISTS hisab`)
  await tx.run(sql`CREATE TABLE IF NOT EXISTS hisab.schema_version (version INTEGER PRIMARY KEY,
    taken_at TIMESTAMPTZ NOT NULL DEFAULT now())`)
  await tx.run(sql`LOCK TABLE hisab.schema_version IN EXCLUSIVE MODE`)
  const before = Number((await tx.one(readVersion))?.version ?? 0)
  if (before > sharedSteps.length)
    throw new Failure(
      'config_invalid',
      `The shared journal has schema ${before}; this hisab knows ${sharedSteps.length}. Nothing was changed.`,
      'Run the newer hisab.',
    )
  for (const [at, step] of sharedSteps.entries()) {
    if (at < before) continue
    await tx.run({text: step, values: []})
    await tx.run(sql`INSERT INTO hisab.schema_version (version) VALUES (${at + 1})`)
  }
  if (grantTo !== null) {
    const role = part(`"${grantTo.replaceAll('"', '""')}"`)
    await tx.run(sql`GRANT USAGE ON SCHEMA hisab TO ${role}`)
    await tx.run(sql`GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA hisab TO ${role}`)
    await tx.run(sql`REVOKE INSERT, UPDATE ON hisab.schema_version FROM ${role}`)
  }
  return before
}
