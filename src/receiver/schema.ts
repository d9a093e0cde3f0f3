import {ownerTable} from '../files/owned-database.ts'

/**
 * The schema of what was received, a step a version (`files/owned-database.ts`).
 *
 * An event is known by its order and its name (document §4.7, §6). The first content that comes is the event;
 * another one under the same name is kept beside it as a conflict. Times are milliseconds since the epoch.
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
]
