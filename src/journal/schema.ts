import {accountTable, ownerTable} from '../files/owned-database.ts'
import {accountMemory, droppedRequests} from './account-memory.ts'
import {linkedAddresses} from './addresses.ts'
import {statedCeilings} from './ceiling.ts'
import {clockTable} from './clock.ts'
import {requestDoubts} from './doubt-schema.ts'
import {
  finalOrdersAppended,
  finalOrdersGrouped,
  findingSnapshots,
  memoryAcrossRuns,
  rowsSeenSchema,
} from './memory-schema.ts'
import {ceilingGenerations, generations} from './witness.ts'

/** What was called `healed` is `delivered`: a CHECK cannot learn a word, so the table is made again. */
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
  // The state `not_sent` is `refused` with this mark: the CHECK of a released step cannot learn a word.
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
]
