/**
 * What reconciliations remember from run to run, a step of `schema.ts`: orders that need not be asked for again,
 * findings from their first sight to their end, those a person told hisab to ignore, the figures of each run, and how
 * far the list of delivery records is known to be in order.
 */
export const memoryAcrossRuns = `
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

/** Answers of settled orders as they came; one without a settlement takes back what an earlier run settled. */
export const finalOrdersAppended = `
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
 * What settled orders share stands once for all that were written down together. What was settled before is forgotten,
 * and asked for again. `settling` names no other table's rows: where one does, SQLite remembers each row it deletes.
 */
export const finalOrdersGrouped = `
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
export const findingSnapshots = `
  ALTER TABLE findings ADD COLUMN said TEXT;
  ALTER TABLE findings ADD COLUMN changed_run_id TEXT REFERENCES runs (id);
  ALTER TABLE ignores ADD COLUMN said TEXT;
  ALTER TABLE ignores ADD COLUMN opened_ms INTEGER;
`

/**
 * Rows of earlier ledgers that carried money, or may have, and did not end as matched; they hold resends back and say
 * nothing else. Orders that only a dry run matched are marked, for the same use. Kind -1: the row does not say.
 */
export const rowsSeenSchema = `
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
