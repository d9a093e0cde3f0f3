import type {DatabaseSync} from 'node:sqlite'

import {Failure} from '../core/failure.ts'
import {visible} from '../core/text.ts'
import {attempt, type Database, write} from './sqlite.ts'

/**
 * The schema, one step a version; `user_version` counts the steps that were taken. A step that has been
 * released is never edited: add the next one.
 *
 * Times are milliseconds since the epoch, amounts whole paisa. STRICT tables refuse a value of another type.
 */
const steps: readonly string[] = [
  `
  CREATE TABLE owner (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    profile TEXT NOT NULL,
    merchant_id TEXT NOT NULL
  ) STRICT;

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
]

/** Of this hisab: how many steps a journal has taken that it knows whole. */
export const schemaVersion = steps.length

/** Brings the schema up to date in one transaction. Throws `file_unreadable` for one that is newer than this hisab. */
export function migrate(db: Database): void {
  if (attempt(db, versionOf) === schemaVersion) return
  write(db, (sql) => {
    // Read again under the write lock: another process may have taken the steps in between.
    const version = versionOf(sql)
    if (version > schemaVersion) throw newerThanThis(db.path, version)
    for (const step of steps.slice(version)) sql.exec(step)
    sql.exec(`PRAGMA user_version = ${schemaVersion}`)
  })
}

function versionOf(sql: DatabaseSync): number {
  return Number(sql.prepare('PRAGMA user_version').get()?.user_version)
}

function newerThanThis(path: string, version: number): Failure {
  return new Failure(
    'file_unreadable',
    `The journal ${visible(path)} was written by a newer hisab (schema ${version}; this one knows ${schemaVersion}).`,
    'Run the newer hisab, or choose another folder with HISAB_DATA_DIR. The journal was not changed.',
  )
}
