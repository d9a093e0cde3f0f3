import {accountTable, ownerTable} from '../files/owned-database.ts'

/** Finds contents whose platform ID differs in case or surrounding blanks. */
export const foldedOrderId = 'lower(trim(order_id))'

/**
 * The schema of received events, a step for each version (`files/owned-database.ts`).
 *
 * Order and name identify an event (service §4.7, §6); without a name, order and status do (`same-event.ts`). Each
 * content of an event is a row. A conflict is a content that contradicts an acknowledged one. Times are milliseconds
 * since the epoch.
 */
export const inboxSteps: readonly string[] = [
  `
  ${ownerTable}

  CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    order_id TEXT NOT NULL,
    event TEXT NOT NULL,
    digest TEXT NOT NULL,
    is_conflict INTEGER NOT NULL CHECK (is_conflict IN (0, 1)),
    order_no TEXT,
    status TEXT,
    amount TEXT,
    player_ref TEXT,
    content TEXT NOT NULL,
    received_at_ms INTEGER NOT NULL,
    forwards INTEGER NOT NULL DEFAULT 0,
    forward_status INTEGER,
    acknowledged_at_ms INTEGER,
    UNIQUE (order_id, event, digest)
  ) STRICT;
  CREATE UNIQUE INDEX one_event ON events (order_id, event) WHERE is_conflict = 0;
  CREATE INDEX events_of_an_order ON events (order_no, id);
  CREATE INDEX events_not_acknowledged ON events (id) WHERE forwards > 0 AND acknowledged_at_ms IS NULL;

  CREATE TRIGGER events_stay BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events that were acknowledged are never deleted'); END;
  `,
  // `forward_open`: a forward was begun and its end is not recorded. `answered_alone`: hisab's own 200 was the
  // answer. Contents that an older hisab withheld from a server that had acknowledged nothing are no conflicts.
  `
  DROP INDEX one_event;
  DROP INDEX events_not_acknowledged;
  ALTER TABLE events ADD COLUMN event_key TEXT
    GENERATED ALWAYS AS (CASE event WHEN '' THEN coalesce(status, '') ELSE event END) VIRTUAL;
  ALTER TABLE events ADD COLUMN forward_open INTEGER NOT NULL DEFAULT 0 CHECK (forward_open IN (0, 1));
  ALTER TABLE events ADD COLUMN answered_alone INTEGER NOT NULL DEFAULT 0 CHECK (answered_alone IN (0, 1));
  UPDATE events SET answered_alone = 1 WHERE forwards = 0 AND is_conflict = 0;
  UPDATE events SET is_conflict = 0 WHERE is_conflict = 1 AND EXISTS (
    SELECT 1 FROM events AS first WHERE first.order_id = events.order_id AND first.event = events.event
      AND first.is_conflict = 0 AND first.forwards > 0 AND first.acknowledged_at_ms IS NULL);
  CREATE INDEX contents_of_an_event ON events (order_id, event_key);
  CREATE INDEX events_pending ON events (id)
    WHERE acknowledged_at_ms IS NULL AND is_conflict = 0 AND (forwards > 0 OR answered_alone = 0);

  CREATE TABLE forwards_under_way (
    order_id TEXT NOT NULL,
    event_key TEXT NOT NULL,
    claim TEXT NOT NULL,
    until_ms INTEGER NOT NULL,
    PRIMARY KEY (order_id, event_key)
  ) STRICT;
  `,
  accountTable,
  // `superseded_by`: the acknowledged content that also covers this one, which was not handed on.
  `
  ALTER TABLE events ADD COLUMN superseded_by INTEGER;
  UPDATE events SET superseded_by = (SELECT min(id) FROM events AS other WHERE other.order_id = events.order_id
    AND other.event_key = events.event_key AND other.acknowledged_at_ms IS NOT NULL)
    WHERE acknowledged_at_ms IS NULL;
  DROP INDEX contents_of_an_event;
  DROP INDEX events_pending;
  CREATE INDEX contents_of_an_order ON events (${foldedOrderId});
  CREATE INDEX events_pending ON events (id) WHERE acknowledged_at_ms IS NULL AND is_conflict = 0
    AND superseded_by IS NULL AND (forwards > 0 OR answered_alone = 0);
  `,
  // The service's addresses for these events; unknown for rows before this step.
  'CREATE TABLE addresses (origin TEXT PRIMARY KEY) STRICT, WITHOUT ROWID',
  // Contradictions that were counted as superseded, and so were in no list.
  'UPDATE events SET superseded_by = NULL WHERE is_conflict = 1',
  'ALTER TABLE events ADD COLUMN closed_by TEXT; ALTER TABLE events ADD COLUMN close_reason TEXT;',
]
