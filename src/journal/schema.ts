import {accountTable, ownerTable} from '../files/owned-database.ts'
import {accountMemory, droppedRequests, wordsOfRequests} from './account-memory.ts'
import {linkedAddresses} from './addresses.ts'
import {balancesSchema} from './balances.ts'
import {statedCeilings} from './ceiling.ts'
import {clockTable} from './clock.ts'
import {evidenceSchema} from './evidence.ts'
import {itemsSchema} from './items.ts'
import {nameIndexes} from './request-row.ts'
import {sqliteEngine} from './store.ts'
import {ceilingGenerations, generations} from './witness.ts'

/**
 * What reconciliations remember from run to run, a step of `schema.ts`: orders that need not be asked for again,
 * findings from their first sight to their end, those a person told hisab to ignore, the figures of each run, and how
 * far the list of delivery records is known to be in order.
 */
const memoryAcrossRuns = `
  CREATE TABLE settled (
    kind TEXT NOT NULL CHECK (kind IN ('deposit', 'payout')),
    order_no TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('completed', 'failed')),
    ledger_paisa INTEGER,
    service_paisa INTEGER,
    raw_status TEXT NOT NULL,
    platform_order_no TEXT NOT NULL,
    run_id TEXT NOT NULL REFERENCES runs (id),
    settled_at_ms INTEGER NOT NULL,
    PRIMARY KEY (kind, order_no)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE findings (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('deposit', 'payout')),
    order_no TEXT NOT NULL,
    verdict TEXT NOT NULL,
    cause TEXT,
    severity TEXT NOT NULL,
    at_risk_paisa INTEGER,
    first_seen_ms INTEGER NOT NULL,
    first_run_id TEXT NOT NULL REFERENCES runs (id),
    opened_ms INTEGER NOT NULL,
    opened_run_id TEXT NOT NULL REFERENCES runs (id),
    last_seen_ms INTEGER NOT NULL,
    last_run_id TEXT NOT NULL REFERENCES runs (id),
    healed_ms INTEGER,
    healed_run_id TEXT REFERENCES runs (id),
    UNIQUE (kind, order_no, verdict)
  ) STRICT;
  CREATE INDEX findings_open ON findings (id) WHERE healed_ms IS NULL;

  CREATE TABLE ignores (
    id INTEGER PRIMARY KEY,
    finding_id INTEGER NOT NULL REFERENCES findings (id),
    at_risk_paisa INTEGER,
    reason TEXT NOT NULL,
    ignored_by TEXT NOT NULL,
    ignored_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    removed_by TEXT,
    removed_at_ms INTEGER
  ) STRICT;

  CREATE TABLE run_totals (
    run_id TEXT PRIMARY KEY REFERENCES runs (id),
    totals TEXT NOT NULL CHECK (json_valid(totals))
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE list_mark (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    direction TEXT NOT NULL CHECK (direction IN ('newest_first', 'oldest_first')),
    records INTEGER NOT NULL,
    newest_id TEXT NOT NULL,
    run_id TEXT NOT NULL REFERENCES runs (id)
  ) STRICT;

  CREATE TRIGGER findings_stay BEFORE DELETE ON findings
    BEGIN SELECT RAISE(ABORT, 'rows of the journal are never deleted'); END;
  CREATE TRIGGER ignores_stay BEFORE DELETE ON ignores
    BEGIN SELECT RAISE(ABORT, 'rows of the journal are never deleted'); END;
`

/** Final orders as they were found; a row without a settlement undoes an earlier one. */
const finalOrdersAppended = `
  CREATE TABLE settling (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('deposit', 'payout')),
    order_no TEXT NOT NULL,
    status TEXT CHECK (status IN ('completed', 'failed')),
    ledger_paisa INTEGER,
    service_paisa INTEGER,
    raw_status TEXT,
    platform_order_no TEXT,
    run_id TEXT REFERENCES runs (id),
    settled_at_ms INTEGER
  ) STRICT;
`

/**
 * What final orders share is stored once. Earlier final orders are dropped and will be queried again. `settling` has no
 * foreign keys, because SQLite would then track each row it deletes.
 */
const finalOrdersGrouped = `
  DROP TABLE settled;
  DROP TABLE settling;

  CREATE TABLE settlements (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('deposit', 'payout')),
    status TEXT NOT NULL CHECK (status IN ('completed', 'failed')),
    raw_status TEXT NOT NULL,
    run_id TEXT NOT NULL REFERENCES runs (id),
    settled_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE settled (
    kind INTEGER NOT NULL CHECK (kind IN (0, 1)),
    order_no TEXT NOT NULL,
    settlement INTEGER NOT NULL,
    ledger_paisa INTEGER,
    service_paisa INTEGER,
    platform_order_no TEXT NOT NULL,
    PRIMARY KEY (kind, order_no)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE settling (
    id INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    order_no TEXT NOT NULL,
    settlement INTEGER,
    ledger_paisa INTEGER,
    service_paisa INTEGER,
    platform_order_no TEXT
  ) STRICT;
`

/** What a finding said, and what an ignore was said of: older rows do not know, and no ignore of theirs fits any more. */
const findingSnapshots = `
  ALTER TABLE findings ADD COLUMN said TEXT;
  ALTER TABLE findings ADD COLUMN changed_run_id TEXT REFERENCES runs (id);
  ALTER TABLE ignores ADD COLUMN said TEXT;
  ALTER TABLE ignores ADD COLUMN opened_ms INTEGER;
`

/**
 * Rows of earlier ledgers that carried money, or may have, and did not end as matched; they hold resends back and say
 * nothing else. Orders that only a dry run matched are marked, for the same use. Kind -1: the row does not say.
 */
const rowsSeenSchema = `
  ALTER TABLE settlements ADD COLUMN is_seen_only INTEGER NOT NULL DEFAULT 0 CHECK (is_seen_only IN (0, 1));

  CREATE TABLE rows_seen (
    kind INTEGER NOT NULL CHECK (kind IN (-1, 0, 1)),
    order_no TEXT NOT NULL,
    any_order TEXT NOT NULL,
    is_beginning INTEGER NOT NULL,
    line INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    ledger_to_ms INTEGER NOT NULL,
    PRIMARY KEY (kind, order_no, any_order)
  ) STRICT, WITHOUT ROWID;
`

/**
 * What a create came to besides its state, and what a person said of it. `absent_before`: the service knew no such
 * number before the first send, so that an order under it can only be this one; rows of an older hisab were taken
 * for such. Refusals of an older hisab which prove nothing (A5b) become doubts.
 */
const requestDoubts = `
  ALTER TABLE requests ADD COLUMN absent_before INTEGER NOT NULL DEFAULT 0 CHECK (absent_before IN (0, 1));
  UPDATE requests SET absent_before = 1;
  ALTER TABLE requests ADD COLUMN confirmation TEXT
    CHECK (confirmation IN ('confirmed', 'unanswered', 'not_shown', 'contradicted', 'another_order'));
  ALTER TABLE requests ADD COLUMN confirmation_why TEXT;
  UPDATE requests SET state = 'unknown'
    WHERE state = 'refused' AND service_code IS NOT NULL AND service_code <> 'INSUFFICIENT_BALANCE';
  CREATE INDEX requests_in_doubt ON requests (kind, intent_at_ms)
    WHERE state IN ('intent', 'unknown') OR state = 'accepted' AND confirmation = 'contradicted';

  CREATE TABLE resolutions (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    order_no TEXT NOT NULL,
    happened INTEGER NOT NULL CHECK (happened IN (0, 1)),
    state_before TEXT NOT NULL,
    by TEXT NOT NULL,
    reason TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    UNIQUE (kind, order_no, at_ms)
  ) STRICT;
  CREATE TRIGGER resolutions_stay BEFORE DELETE ON resolutions
    BEGIN SELECT RAISE(ABORT, 'rows of the journal are never deleted'); END;

  CREATE TABLE endpoints (address TEXT PRIMARY KEY, knew_an_order_at_ms INTEGER NOT NULL) STRICT;
`

/** `healed` became `delivered`. A CHECK cannot be changed, so the table is made again. */
const resendsDelivered = `
  CREATE TABLE resends_again (
    id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id),
    delivery_id TEXT NOT NULL,
    order_id TEXT NOT NULL,
    event TEXT NOT NULL,
    kind TEXT CHECK (kind IN ('deposit', 'payout')),
    order_no TEXT,
    state TEXT NOT NULL
      CHECK (state IN ('intent', 'accepted', 'refused', 'unknown', 'delivered', 'still_failing')),
    intent_at_ms INTEGER NOT NULL,
    sent_at_ms INTEGER,
    baseline_attempts INTEGER NOT NULL,
    baseline_sent_at TEXT,
    baseline_status TEXT NOT NULL CHECK (baseline_status IN ('pending', 'success', 'failed')),
    baseline_next_retry_at TEXT,
    response_code INTEGER,
    detail TEXT,
    overrides TEXT NOT NULL CHECK (json_valid(overrides)),
    cause TEXT,
    baseline_response_code INTEGER,
    never_left INTEGER NOT NULL DEFAULT 0 CHECK (never_left IN (0, 1)),
    UNIQUE (run_id, order_id, event)
  ) STRICT;
  INSERT INTO resends_again
    SELECT id, run_id, delivery_id, order_id, event, kind, order_no,
      CASE state WHEN 'healed' THEN 'delivered' ELSE state END, intent_at_ms, sent_at_ms, baseline_attempts,
      baseline_sent_at, baseline_status, baseline_next_retry_at, response_code, detail, overrides, cause,
      baseline_response_code, never_left FROM resends;
  DROP TABLE resends;
  ALTER TABLE resends_again RENAME TO resends;
  CREATE INDEX resends_of_an_order ON resends (order_id, event, id);
  CREATE TRIGGER resends_stay BEFORE DELETE ON resends
    BEGIN SELECT RAISE(ABORT, 'rows of the journal are never deleted'); END;
`

/**
 * The journal's schema, a step a version (`files/owned-database.ts`).
 *
 * Times are milliseconds since the epoch, amounts whole paisa. STRICT tables refuse a value of another type.
 */
export const journalSteps: readonly string[] = [
  `
  ${ownerTable}

  CREATE TABLE runs (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    command TEXT NOT NULL CHECK (command IN ('reconcile', 'resend')),
    merchant_id TEXT NOT NULL,
    started_at_ms INTEGER NOT NULL,
    finished_at_ms INTEGER,
    status TEXT NOT NULL CHECK (status IN ('running', 'finished', 'interrupted')),
    options TEXT NOT NULL CHECK (json_valid(options)),
    exit_status INTEGER,
    report_dir TEXT
  ) STRICT;

  CREATE TABLE resends (
    id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id),
    delivery_id TEXT NOT NULL,
    order_id TEXT NOT NULL,
    event TEXT NOT NULL,
    kind TEXT CHECK (kind IN ('deposit', 'payout')),
    order_no TEXT,
    state TEXT NOT NULL
      CHECK (state IN ('intent', 'accepted', 'refused', 'unknown', 'healed', 'still_failing')),
    intent_at_ms INTEGER NOT NULL,
    sent_at_ms INTEGER,
    baseline_attempts INTEGER NOT NULL,
    baseline_sent_at TEXT,
    baseline_status TEXT NOT NULL CHECK (baseline_status IN ('pending', 'success', 'failed')),
    baseline_next_retry_at TEXT,
    response_code INTEGER,
    detail TEXT,
    overrides TEXT NOT NULL CHECK (json_valid(overrides)),
    cause TEXT,
    UNIQUE (run_id, order_id, event)
  ) STRICT;
  CREATE INDEX resends_of_an_order ON resends (order_id, event, id);

  CREATE TABLE requests (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('deposit', 'payout')),
    order_no TEXT NOT NULL,
    body_digest TEXT NOT NULL,
    amount_paisa INTEGER,
    channel TEXT,
    masked_account TEXT,
    state TEXT NOT NULL CHECK (state IN ('intent', 'accepted', 'refused', 'unknown')),
    platform_order_no TEXT,
    service_code TEXT,
    claims INTEGER NOT NULL DEFAULT 1,
    intent_at_ms INTEGER NOT NULL,
    settled_at_ms INTEGER,
    UNIQUE (kind, order_no)
  ) STRICT;

  CREATE TRIGGER runs_stay BEFORE DELETE ON runs
    BEGIN SELECT RAISE(ABORT, 'rows of the journal are never deleted'); END;
  CREATE TRIGGER resends_stay BEFORE DELETE ON resends
    BEGIN SELECT RAISE(ABORT, 'rows of the journal are never deleted'); END;
  CREATE TRIGGER requests_stay BEFORE DELETE ON requests
    BEGIN SELECT RAISE(ABORT, 'rows of the journal are never deleted'); END;
  `,
  `ALTER TABLE resends ADD COLUMN baseline_response_code INTEGER`,
  `
  ALTER TABLE requests ADD COLUMN payee_fingerprint TEXT;
  ALTER TABLE requests ADD COLUMN claimed_at_ms INTEGER NOT NULL DEFAULT 0;
  UPDATE requests SET claimed_at_ms = intent_at_ms;
  CREATE INDEX payouts_by_time ON requests (claimed_at_ms, state, amount_paisa) WHERE kind = 'payout';
  CREATE INDEX payouts_to_a_payee ON requests (masked_account, amount_paisa, claimed_at_ms)
    WHERE kind = 'payout';
  `,
  memoryAcrossRuns,
  // The state `not_sent` is `refused` with this mark, because the CHECK of a released step cannot be changed.
  `ALTER TABLE resends ADD COLUMN never_left INTEGER NOT NULL DEFAULT 0 CHECK (never_left IN (0, 1))`,
  finalOrdersAppended,
  finalOrdersGrouped,
  resendsDelivered,
  `ALTER TABLE requests ADD COLUMN repeats_allowed TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(repeats_allowed))`,
  // What a number was asked for, the return address apart, and that address, for the same bytes again.
  `
  ALTER TABLE requests ADD COLUMN intent_digest TEXT;
  ALTER TABLE requests ADD COLUMN return_url TEXT;
  `,
  `${accountTable}${accountMemory}`,
  findingSnapshots,
  requestDoubts,
  statedCeilings,
  rowsSeenSchema,
  linkedAddresses,
  generations,
  droppedRequests,
  `ALTER TABLE rows_seen ADD COLUMN is_time_known INTEGER NOT NULL DEFAULT 1 CHECK (is_time_known IN (0, 1))`,
  // What the service shows in another form may have been made: only a person ends such a doubt.
  `UPDATE requests SET confirmation = 'contradicted' WHERE confirmation = 'another_order'`,
  // How far the service's clock was ahead of this machine's as the resend was sent; NULL where it was not measured.
  'ALTER TABLE resends ADD COLUMN skew_ms INTEGER',
  // Of rows that were seen earlier nobody knows what they said. An order found booked stays known as that.
  `
  ALTER TABLE rows_seen ADD COLUMN is_booked INTEGER NOT NULL DEFAULT 1 CHECK (is_booked IN (0, 1));
  ALTER TABLE settled ADD COLUMN is_taken_back INTEGER NOT NULL DEFAULT 0 CHECK (is_taken_back IN (0, 1));
  `,
  clockTable,
  ceilingGenerations,
  itemsSchema,
  'CREATE INDEX requests_of_platform_order ON requests (platform_order_no) WHERE platform_order_no IS NOT NULL',
  balancesSchema,
  evidenceSchema,
  wordsOfRequests,
  // What recognises a request's fields in an answer.
  `
  ALTER TABLE requests ADD COLUMN sent_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(sent_fields));
  ALTER TABLE requests_dropped ADD COLUMN sent_fields TEXT NOT NULL DEFAULT '{}';
  `,
  // A create asks for the payouts of its name.
  nameIndexes(sqliteEngine, 'requests', ''),
  // Payouts that the service once showed as failed, whatever it shows later.
  `
  CREATE TABLE payouts_failed (
    order_no TEXT PRIMARY KEY,
    seen_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER payouts_failed_stay BEFORE DELETE ON payouts_failed
    BEGIN SELECT RAISE(ABORT, 'rows of the journal are never deleted'); END;
  `,
  // When a payout that repeats or replaces another was first seen completed: the next of its amount is ordinary some days later.
  `
  CREATE TABLE payouts_completed (
    order_no TEXT PRIMARY KEY,
    seen_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER payouts_completed_stay BEFORE DELETE ON payouts_completed
    BEGIN SELECT RAISE(ABORT, 'rows of the journal are never deleted'); END;
  `,
]
