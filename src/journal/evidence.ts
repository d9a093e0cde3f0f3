import {columnsFor} from '../files/sqlite.ts'
import {part, sql} from './query.ts'
import type {Store} from './store.ts'

/** A folder of evidence as the journal knows it: who changes the folder alone does not change this. */
export interface EvidenceRow {
  /** Its name; unique in an account. */
  readonly folder: string
  readonly runId: string
  /** The machine and the folder above it. */
  readonly host: string
  readonly dir: string
  readonly begunAtMs: number
  /** The place in the order of sealing; null where the run did not finish writing it. */
  readonly sealedSeq: number | null
  /** Null where the run did not finish writing it. */
  readonly sha256: string | null
  /** The sum of the folder that was sealed before; null for the first. */
  readonly previous: string | null
  readonly bytes: number | null
  /** When its files were removed by age (retention); null while they are kept. */
  readonly removedAtMs: number | null
}

/** The one that was sealed last, which the next one names; null where there is none. */
export function lastSealed(rows: readonly EvidenceRow[]): EvidenceRow | null {
  const last = Math.max(...rows.map(({sealedSeq}) => sealedSeq ?? 0))
  return rows.find(({sealedSeq}) => sealedSeq === last) ?? null
}

export type NewEvidence = Pick<EvidenceRow, 'folder' | 'runId' | 'host' | 'dir' | 'begunAtMs'>
export interface EvidenceSeal extends Pick<EvidenceRow, 'previous'> {
  readonly sha256: string
  readonly bytes: number
}

/** The chain of evidence. All writes are on the disk when they return. */
export interface EvidenceChain {
  beginEvidence(evidence: NewEvidence): Promise<void>
  /** False where another folder was sealed since `previous` was: nothing is recorded then. */
  sealEvidence(folder: string, seal: EvidenceSeal): Promise<boolean>
  recordEvidenceRemoved(folder: string, atMs: number): Promise<void>
  /** Oldest first. */
  listEvidence(): Promise<EvidenceRow[]>
}

/** A step of `schema.ts`. */
export const evidenceSchema = `
  CREATE TABLE evidence (
    id INTEGER PRIMARY KEY,
    folder TEXT NOT NULL UNIQUE,
    run_id TEXT NOT NULL REFERENCES runs (id),
    host TEXT NOT NULL,
    dir TEXT NOT NULL,
    begun_at_ms INTEGER NOT NULL,
    sealed_seq INTEGER,
    sha256 TEXT,
    previous TEXT,
    bytes INTEGER,
    removed_at_ms INTEGER
  ) STRICT;
  CREATE TRIGGER evidence_stays BEFORE DELETE ON evidence
    BEGIN SELECT RAISE(ABORT, 'rows of the journal are never deleted'); END;
`

export const evidenceColumns = columnsFor<EvidenceRow>({
  ...{folder: 'folder', runId: 'run_id', host: 'host', dir: 'dir', begunAtMs: 'begun_at_ms'},
  sealedSeq: 'sealed_seq',
  ...{sha256: 'sha256', previous: 'previous', bytes: 'bytes', removedAtMs: 'removed_at_ms'},
})

export function evidenceChain({engine, mine, into, first, all, run}: Store): EvidenceChain {
  const evidence = engine.table('evidence')
  return {
    async beginEvidence({folder, runId, host, dir, begunAtMs}) {
      await run(
        sql`INSERT INTO ${into('evidence', 'folder, run_id, host, dir, begun_at_ms')}
          VALUES (${first}${folder}, ${runId}, ${host}, ${dir}, ${begunAtMs}) ON CONFLICT DO NOTHING`,
      )
    },
    async sealEvidence(folder, {sha256, previous, bytes}) {
      await run(
        sql`UPDATE ${evidence} AS r SET sha256 = ${sha256}, previous = ${previous}, bytes = ${bytes},
            sealed_seq = (SELECT coalesce(max(sealed_seq), 0) + 1 FROM ${evidence} AS known WHERE ${engine.same('known')})
          WHERE ${mine('r')} AND folder = ${folder} AND sha256 IS NULL
            AND CAST(${previous} AS TEXT) IS NOT DISTINCT FROM (SELECT sha256 FROM ${evidence} AS known
              WHERE ${engine.same('known')} AND sealed_seq IS NOT NULL ORDER BY sealed_seq DESC, id DESC LIMIT 1)`,
      )
      const [row] = await all(
        sql`SELECT sha256 FROM ${evidence} AS r WHERE ${mine('r')} AND folder = ${folder}`,
      )
      return row?.sha256 === sha256
    },
    async recordEvidenceRemoved(folder, atMs) {
      await run(
        sql`UPDATE ${evidence} AS r SET removed_at_ms = ${atMs}
          WHERE ${mine('r')} AND folder = ${folder} AND removed_at_ms IS NULL`,
      )
    },
    listEvidence: async () =>
      (await all(
        sql`SELECT ${part(evidenceColumns)} FROM ${evidence} AS r WHERE ${mine('r')} ORDER BY id`,
      )) as unknown as EvidenceRow[],
  }
}
