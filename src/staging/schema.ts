/**
 * `shares` of a row: 0 it names its order alone; 1 it is the first of the rows that name it, one that cannot be read
 * included; 2 a further one. `wants` of an answer: 0 it says all there is to say; 1 the order is to be decided; 2 by
 * its delivery records.
 */
export const stagingSchema = `
  CREATE TABLE ledger (
    id INTEGER PRIMARY KEY, file INTEGER, line INTEGER, kind INTEGER, order_no TEXT, status INTEGER, amount INTEGER,
    shares INTEGER, stated_platform TEXT, from_ms INTEGER, to_ms INTEGER
  );
  CREATE TABLE unreadable (id INTEGER PRIMARY KEY, order_no TEXT, kind INTEGER, row TEXT);
  CREATE TABLE answers (
    row INTEGER PRIMARY KEY, wants INTEGER, kind INTEGER, state TEXT, status INTEGER, raw_status TEXT, amount INTEGER,
    platform_order_no TEXT, told TEXT
  );
  CREATE TABLE records (
    id TEXT PRIMARY KEY, order_id TEXT, merchant_order_id TEXT, event TEXT, created_ms INTEGER, record TEXT
  );
  CREATE TABLE odd_records (
    id TEXT PRIMARY KEY, order_id TEXT, merchant_order_id TEXT, event TEXT, created_ms INTEGER, status TEXT,
    why TEXT
  );
  CREATE TABLE findings (
    id INTEGER PRIMARY KEY, file INTEGER, line INTEGER, says INTEGER, finding BLOB
  );
  CREATE TABLE damaged (
    fold TEXT, is_own INTEGER, kind INTEGER, file INTEGER, line INTEGER, order_no TEXT, is_booked INTEGER
  );
  CREATE TABLE likenesses (id INTEGER PRIMARY KEY, file INTEGER, line INTEGER, order_no TEXT);
  CREATE TABLE places (place INTEGER PRIMARY KEY, id INTEGER);
`
