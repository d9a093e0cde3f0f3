import {expect, test} from 'vitest'

import {isOfEnvironment} from '../../src/journal/memories.ts'
import {tempDir} from '../temp-dir.ts'
import {earlierJournal, live} from './sample.ts'

const pay = 'https://pay.example'
const staging = 'https://staging.example'
const local = 'http://127.0.0.1:4010'

test.each<
  [profile: string, runsAt: readonly string[], environment: string, at: readonly string[], isIts: boolean]
>([
  // Without any run it is the environment's that comes first, but for the profile of the sandbox.
  ['shop', [], 'live', [pay], true],
  ['shop', [], 'staging', [pay], true],
  ['shop', [], 'sandbox', [local], true],
  ['sandbox', [], 'sandbox', [local], true],
  ['sandbox', [], 'live', [pay], false],
  // What ran on this machine alone is the sandbox's, and whose address it is.
  ['shop', [local], 'sandbox', [], true],
  ['shop', [local], 'live', [pay], false],
  ['shop', [local], 'live', [local], true],
  // What ran elsewhere is the live one's, or another's with that address; never the sandbox's.
  ['shop', [pay], 'live', [], true],
  ['sandbox', [pay], 'live', [], true],
  ['shop', [pay], 'staging', [staging], false],
  ['shop', [pay, staging], 'staging', [staging], true],
  ['shop', [pay], 'sandbox', [pay], false],
  ['shop', [pay, local], 'sandbox', [local], false],
])(
  'a journal of the profile %s that ran at %j is of %s at %j: %s',
  (profile, runsAt, environment, at, isIts) => {
    const sql = earlierJournal(tempDir(), profile)
    for (const [n, service] of runsAt.entries())
      sql
        .prepare(`INSERT INTO runs (id, command, merchant_id, started_at_ms, status, options, exit_status)
        VALUES (?, 'reconcile', ?, 1, 'finished', ?, 0)`)
        .run(`run-${n}`, live.merchantId, JSON.stringify({service: [service]}))
    expect(isOfEnvironment(sql, profile, environment, at)).toBe(isIts)
    sql.close()
  },
)
