import {chmodSync, closeSync, mkdirSync, openSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {Failure} from '../../core/failure.ts'

/** Raised with every change of the tables; a file with another version is refused. */
const schemaVersion = 7

/**
 * The service's state. Amounts are paisa, times milliseconds since the epoch by the sandbox's clock.
 *
 * Each index serves one look-up of the stores. An index ends with `seq` by itself.
 *
 * `delivery_counts` has the number of records of each 4096 rows, so that a page far down the list is found without
 * walking to it; `latest_attempt` has the latest time. Triggers update both in every transaction.
 */
const schema = `
CREATE TABLE balances (
  merchant_id TEXT PRIMARY KEY,
  paisa INTEGER NOT NULL CHECK (paisa >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE deposits (
  seq INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  order_no TEXT NOT NULL,
  platform_order_no TEXT NOT NULL,
  pay_code TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'completed', 'failed')),
  paisa INTEGER CHECK (paisa > 0),
  channel TEXT,
  return_url TEXT NOT NULL,
  player_phone TEXT NOT NULL,
  player_ref TEXT NOT NULL,
  is_test INTEGER NOT NULL,
  chosen_paisa INTEGER CHECK (chosen_paisa > 0),
  chosen_channel TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  finished_at INTEGER,
  UNIQUE (merchant_id, order_no),
  CHECK ((state = 'completed') = (paisa IS NOT NULL)),
  CHECK ((chosen_paisa IS NULL) = (chosen_channel IS NULL))
) STRICT;

CREATE INDEX deposits_by_state ON deposits (state);
CREATE INDEX deposits_awaiting_sms ON deposits (player_phone, chosen_paisa, chosen_channel) WHERE state = 'open';
CREATE INDEX deposits_expiring ON deposits (expires_at) WHERE state = 'open' AND expires_at IS NOT NULL;

CREATE TABLE payouts (
  seq INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  order_no TEXT NOT NULL,
  platform_order_no TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'completed', 'failed')),
  paisa INTEGER NOT NULL CHECK (paisa > 0),
  bank_type TEXT NOT NULL,
  user_name TEXT NOT NULL,
  account TEXT NOT NULL,
  return_url TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  UNIQUE (merchant_id, order_no)
) STRICT;

CREATE INDEX payouts_by_state ON payouts (state);

CREATE TABLE sms (
  seq INTEGER PRIMARY KEY,
  received_at INTEGER NOT NULL,
  origin TEXT NOT NULL,
  text TEXT NOT NULL,
  channel TEXT,
  sender TEXT,
  sender_tail TEXT,
  paisa INTEGER CHECK (paisa > 0),
  trx_id TEXT,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'released', 'discarded', 'duplicate')),
  reason TEXT,
  deposit_seq INTEGER,
  decided_by TEXT CHECK (decided_by IN ('match', 'desk', 'test')),
  decided_at INTEGER,
  CHECK ((state = 'waiting') = (decided_at IS NULL)),
  CHECK ((state = 'released') = (deposit_seq IS NOT NULL)),
  CHECK ((channel IS NULL) = (paisa IS NULL) AND (channel IS NULL) = (trx_id IS NULL))
) STRICT;

CREATE INDEX sms_by_transaction ON sms (channel, trx_id);
CREATE UNIQUE INDEX sms_released_once ON sms (channel, trx_id) WHERE state = 'released';
CREATE INDEX sms_by_state ON sms (state);
CREATE INDEX sms_of_player ON sms (sender, state) WHERE sender IS NOT NULL;
CREATE INDEX sms_of_deposit ON sms (deposit_seq) WHERE deposit_seq IS NOT NULL;

CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  merchant_id TEXT NOT NULL,
  order_id TEXT NOT NULL,
  merchant_order_id TEXT NOT NULL,
  url TEXT NOT NULL,
  event TEXT NOT NULL,
  payload TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'success', 'failed')),
  response_code INTEGER,
  response_body TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  scheduled_attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER,
  sent_at INTEGER,
  created_at INTEGER NOT NULL,
  receiver TEXT AS (substr(url, 1, 7 + instr(substr(url, 9) || '/', '/'))) VIRTUAL
) STRICT;

CREATE INDEX deliveries_listed ON deliveries (merchant_id);
CREATE INDEX deliveries_listed_by_status ON deliveries (merchant_id, status);
CREATE INDEX deliveries_of_order ON deliveries (order_id);
CREATE INDEX deliveries_due ON deliveries (due_at, seq) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_due_at_receiver ON deliveries (receiver, due_at, seq) WHERE due_at IS NOT NULL;

CREATE TABLE delivery_counts (
  merchant_id TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  status TEXT NOT NULL,
  records INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, chunk, status)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER delivery_counted AFTER INSERT ON deliveries BEGIN
  INSERT INTO delivery_counts VALUES (NEW.merchant_id, NEW.seq >> 12, NEW.status, 1)
    ON CONFLICT DO UPDATE SET records = records + 1;
END;

CREATE TRIGGER delivery_recounted AFTER UPDATE OF status ON deliveries WHEN OLD.status <> NEW.status BEGIN
  UPDATE delivery_counts SET records = records - 1
    WHERE merchant_id = OLD.merchant_id AND chunk = OLD.seq >> 12 AND status = OLD.status;
  INSERT INTO delivery_counts VALUES (NEW.merchant_id, NEW.seq >> 12, NEW.status, 1)
    ON CONFLICT DO UPDATE SET records = records + 1;
END;

CREATE TABLE delivery_attempts (
  seq INTEGER PRIMARY KEY,
  delivery_seq INTEGER NOT NULL,
  number INTEGER NOT NULL,
  started_by TEXT NOT NULL CHECK (started_by IN ('schedule', 'resend')),
  role TEXT NOT NULL CHECK (role IN ('webhook', 'forged', 'doubled')),
  began_at INTEGER NOT NULL,
  began_real INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  reason TEXT,
  request_headers TEXT NOT NULL,
  other_body TEXT,
  response_code INTEGER,
  response_headers TEXT NOT NULL,
  response_body TEXT
) STRICT;

CREATE INDEX attempts_of_delivery ON delivery_attempts (delivery_seq);

CREATE TABLE latest_attempt (sent_at INTEGER NOT NULL) STRICT;
INSERT INTO latest_attempt VALUES (0);

CREATE TRIGGER attempt_dated AFTER UPDATE OF sent_at ON deliveries
  WHEN NEW.sent_at > (SELECT sent_at FROM latest_attempt) BEGIN
  UPDATE latest_attempt SET sent_at = NEW.sent_at;
END;
`

export const stateFileName = 'sandbox.sqlite'
const busy = 5

/**
 * Opens the state in `dataDir`, or in memory for null, with private modes.
 *
 * Throws `locked` if another sandbox holds the folder (two would send every retry twice), and `storage_failed` if the
 * file cannot be used.
 */
export function openStateDatabase(dataDir: string | null): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(dataDir === null ? ':memory:' : createFile(dataDir))
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    prepareSchema(db)
    assertDurable(db)
    return db
  } catch (error) {
    db?.close()
    throw explainDatabaseError(error, dataDir)
  }
}

/** Runs `work` as one transaction; inside another it is a part of that one. */
export function transact<T>(db: DatabaseSync, work: () => T): T {
  if (db.isTransaction) return work()
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // A failed COMMIT may have ended the transaction.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function createFile(dataDir: string): string {
  mkdirSync(dataDir, {recursive: true, mode: 0o700})
  const path = join(dataDir, stateFileName)
  // SQLite would create it with mode 0644; its -wal file copies the mode.
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
  return path
}

function prepareSchema(db: DatabaseSync): void {
  const found = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  if (found === schemaVersion) return
  if (found !== 0) {
    throw new Failure(
      'storage_failed',
      `The sandbox's state was written by another version of hisab (layout ${found}, this one reads ${schemaVersion}).`,
      'Name another folder with --data, or begin afresh with `hisab sandbox reset`: it holds rehearsals only.',
    )
  }
  transact(db, () => db.exec(`${schema}; PRAGMA user_version = ${schemaVersion}`))
}

function assertDurable(db: DatabaseSync): void {
  // WAL with a lower setting does not sync on commit (P3).
  if (db.prepare('PRAGMA synchronous').get()?.synchronous === 2) return
  throw new Failure('bug', 'SQLite did not take synchronous=FULL.', 'Report this with the version of Node.')
}

/** Turns an error of SQLite into a `Failure`. */
export function explainDatabaseError(error: unknown, dataDir: string | null): unknown {
  if (error instanceof Failure) return error
  if ((error as {errcode?: number}).errcode === busy) {
    return new Failure(
      'locked',
      `Another sandbox is using ${dataDir}.`,
      'Stop it, or name another folder with --data.',
    )
  }
  const reason = error instanceof Error ? error.message : String(error)
  return new Failure(
    'storage_failed',
    `The sandbox's state in ${dataDir} cannot be opened: ${reason}.`,
    'Check that the folder can be written to and that the disk has room, or name another with --data.',
  )
}
