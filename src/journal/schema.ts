import {accountTable, type Schema} from '../files/owned-database.ts'
import {accountMemory, droppedRequests} from './account-memory.ts'
import {balancesSchema} from './balances.ts'
import {statedCeilings} from './ceiling.ts'
import {clockTable} from './clock.ts'
import {evidenceSchema} from './evidence.ts'
import {itemsSchema} from './items.ts'
import {staysForever} from './query.ts'
import {generations} from './witness.ts'

/** What was sent, by which run. The state `not_sent` is `refused` with the mark `never_left`. */
const runsAndResends = `
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
  ${staysForever('runs')}

  CREATE TABLE resends (
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
    -- How far the service's clock was ahead of this machine's as it was sent; NULL where it was not measured.
    skew_ms INTEGER,
    UNIQUE (run_id, order_id, event)
  ) STRICT;
  CREATE INDEX resends_of_an_order ON resends (order_id, event, id);
  ${staysForever('resends')}
`

/**
 * Creates, what they came to, and what a person said of it. `absent_before`: the service knew no such number before the
 * first send, so that an order under it can only be this one. `intent_digest`: what the number was asked for, the return
 * address apart. `sent_fields`: what recognises its fields in an answer.
 */
const creates = `
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
    payee_fingerprint TEXT,
    claimed_at_ms INTEGER NOT NULL DEFAULT 0,
    repeats_allowed TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(repeats_allowed)),
    intent_digest TEXT,
    return_url TEXT,
    absent_before INTEGER NOT NULL DEFAULT 0 CHECK (absent_before IN (0, 1)),
    confirmation TEXT CHECK (confirmation IN ('confirmed', 'unanswered', 'not_shown', 'contradicted')),
    confirmation_why TEXT,
    sent_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(sent_fields)),
    UNIQUE (kind, order_no)
  ) STRICT;
  CREATE INDEX payouts_by_time ON requests (claimed_at_ms, state, amount_paisa) WHERE kind = 'payout';
  CREATE INDEX payouts_to_a_payee ON requests (masked_account, amount_paisa, claimed_at_ms)
    WHERE kind = 'payout';
  CREATE INDEX requests_in_doubt ON requests (kind, intent_at_ms)
    WHERE state IN ('intent', 'unknown') OR state = 'accepted' AND confirmation = 'contradicted';
  CREATE INDEX requests_of_platform_order ON requests (platform_order_no) WHERE platform_order_no IS NOT NULL;
  ${staysForever('requests')}

  CREATE TABLE resolutions (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    order_no TEXT NOT NULL,
    happened INTEGER NOT NULL CHECK (happened IN (0, 1)),
    state_before TEXT NOT NULL,
    by TEXT NOT NULL,
    reason TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    -- A person's decision is about one request, and its number may have had others.
    body_digest TEXT,
    UNIQUE (kind, order_no, at_ms)
  ) STRICT;
  ${staysForever('resolutions')}

  CREATE TABLE endpoints (address TEXT PRIMARY KEY, knew_an_order_at_ms INTEGER NOT NULL) STRICT;
`

/**
 * What reconciliations remember from run to run: findings from their first sight to their end, those a person told hisab
 * to ignore, the figures of each run, and how far the list of delivery records is known to be in order. `said` is what a
 * finding said, and what an ignore was said of.
 */
const memoryAcrossRuns = `
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
    said TEXT,
    changed_run_id TEXT REFERENCES runs (id),
    ordered_at_ms INTEGER,
    closed_by TEXT CHECK (closed_by IN ('ledger', 'service', 'person')),
    UNIQUE (kind, order_no, verdict)
  ) STRICT;
  CREATE INDEX findings_open ON findings (id) WHERE healed_ms IS NULL;
  ${staysForever('findings')}

  CREATE TABLE ignores (
    id INTEGER PRIMARY KEY,
    finding_id INTEGER NOT NULL REFERENCES findings (id),
    at_risk_paisa INTEGER,
    reason TEXT NOT NULL,
    ignored_by TEXT NOT NULL,
    ignored_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    removed_by TEXT,
    removed_at_ms INTEGER,
    said TEXT,
    opened_ms INTEGER
  ) STRICT;
  ${staysForever('ignores')}

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
`

/**
 * Final orders, which need not be asked for again; what they share is stored once. In `settling` they are as they were
 * found: a row without a settlement undoes an earlier one. It has no foreign keys, because SQLite would then track each
 * row it deletes. Orders that only a dry run matched are marked: they hold resends back and say nothing else.
 */
const finalOrders = `
  CREATE TABLE settlements (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('deposit', 'payout')),
    status TEXT NOT NULL CHECK (status IN ('completed', 'failed')),
    raw_status TEXT NOT NULL,
    run_id TEXT NOT NULL REFERENCES runs (id),
    settled_at_ms INTEGER NOT NULL,
    is_seen_only INTEGER NOT NULL DEFAULT 0 CHECK (is_seen_only IN (0, 1))
  ) STRICT;

  CREATE TABLE settled (
    kind INTEGER NOT NULL CHECK (kind IN (0, 1)),
    order_no TEXT NOT NULL,
    settlement INTEGER NOT NULL,
    ledger_paisa INTEGER,
    service_paisa INTEGER,
    platform_order_no TEXT NOT NULL,
    is_taken_back INTEGER NOT NULL DEFAULT 0 CHECK (is_taken_back IN (0, 1)),
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

/**
 * Rows of earlier ledgers that carried money, or may have, and did not end as matched; they hold resends back and say
 * nothing else. Kind -1: the row does not say.
 */
const rowsSeen = `
  CREATE TABLE rows_seen (
    kind INTEGER NOT NULL CHECK (kind IN (-1, 0, 1)),
    order_no TEXT NOT NULL,
    any_order TEXT NOT NULL,
    is_beginning INTEGER NOT NULL,
    line INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    ledger_to_ms INTEGER NOT NULL,
    is_time_known INTEGER NOT NULL DEFAULT 1 CHECK (is_time_known IN (0, 1)),
    is_booked INTEGER NOT NULL DEFAULT 1 CHECK (is_booked IN (0, 1)),
    PRIMARY KEY (kind, order_no, any_order)
  ) STRICT, WITHOUT ROWID;
`

/**
 * The journal's schema. Times are milliseconds since the epoch, amounts whole paisa. STRICT tables refuse a value of
 * another type.
 */
export const journalSchema: Schema = {
  first: 30,
  steps: [
    [
      ...[
        accountTable,
        accountMemory,
        runsAndResends,
        creates,
        droppedRequests,
        memoryAcrossRuns,
        itemsSchema,
      ],
      ...[finalOrders, rowsSeen, balancesSchema, statedCeilings, clockTable, evidenceSchema, generations],
    ].join(''),
  ],
}
