/**
 * What a create came to besides its state, and what a person said of it. `absent_before`: the service knew no such
 * number before the first send, so that an order under it can only be this one; rows of an older hisab were taken
 * for such. Refusals of an older hisab which prove nothing (A5b) become doubts.
 */
export const requestDoubts = `
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
