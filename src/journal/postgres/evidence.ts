import {type EvidenceChain, type EvidenceRow, evidenceColumns} from '../evidence.ts'
import {holdAccount, type Shared} from './account.ts'
import type {Transaction} from './database.ts'
import {part, sql} from './sql.ts'

/** A step of `schema.ts`. */
export const sharedEvidence = `
  CREATE TABLE hisab.evidence (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES hisab.account (id),
    folder TEXT NOT NULL, run_id TEXT NOT NULL, host TEXT NOT NULL, dir TEXT NOT NULL, begun_at_ms BIGINT NOT NULL,
    sealed_seq BIGINT, sha256 TEXT, previous TEXT, bytes BIGINT, removed_at_ms BIGINT,
    UNIQUE (account_id, folder)
  );
`

export function sharedChain({db, accountId}: Shared): EvidenceChain {
  const write = <T>(work: (tx: Transaction) => Promise<T>) =>
    db.write(async (tx) => {
      await holdAccount(tx, accountId)
      return await work(tx)
    }, 'repeat')
  return {
    beginEvidence: ({folder, runId, host, dir, begunAtMs}) =>
      write(async (tx) => {
        await tx.run(
          sql`INSERT INTO hisab.evidence (account_id, folder, run_id, host, dir, begun_at_ms)
            VALUES (${accountId}, ${folder}, ${runId}, ${host}, ${dir}, ${begunAtMs}) ON CONFLICT DO NOTHING`,
        )
      }),
    sealEvidence: (folder, {sha256, previous, bytes}) =>
      write(async (tx) => {
        await tx.run(
          sql`UPDATE hisab.evidence SET sha256 = ${sha256}, previous = ${previous}, bytes = ${bytes},
              sealed_seq = (SELECT coalesce(max(sealed_seq), 0) + 1 FROM hisab.evidence WHERE account_id = ${accountId})
            WHERE account_id = ${accountId} AND folder = ${folder} AND sha256 IS NULL
              AND ${previous}::text IS NOT DISTINCT FROM (SELECT sha256 FROM hisab.evidence
                WHERE account_id = ${accountId} AND sealed_seq IS NOT NULL ORDER BY sealed_seq DESC, id DESC LIMIT 1)`,
        )
        const row = await tx.one(
          sql`SELECT sha256 FROM hisab.evidence WHERE account_id = ${accountId} AND folder = ${folder}`,
        )
        return row?.sha256 === sha256
      }),
    recordEvidenceRemoved: (folder, atMs) =>
      write(async (tx) => {
        await tx.run(
          sql`UPDATE hisab.evidence SET removed_at_ms = ${atMs}
            WHERE account_id = ${accountId} AND folder = ${folder} AND removed_at_ms IS NULL`,
        )
      }),
    listEvidence: async () =>
      (await db.all(
        sql`SELECT ${part(evidenceColumns)} FROM hisab.evidence WHERE account_id = ${accountId} ORDER BY id`,
      )) as unknown as EvidenceRow[],
  }
}
