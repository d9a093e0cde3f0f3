import {chmodSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, onTestFinished, test} from 'vitest'
import type {RequestState} from '../../src/core/order.ts'
import {ownedFileName} from '../../src/files/owned-database.ts'
import {type Journal, openJournal} from '../../src/journal/journal.ts'
import {payeeKeyId} from '../../src/journal/payee-key.ts'
import type {NumberClaim, StoredConfirmation} from '../../src/journal/rows.ts'
import {modeOf, tempDir} from '../temp-dir.ts'
import {duplicatesIn, earlierJournal, live, payout} from './sample.ts'

const account = '01712345678'
const hourMs = 3_600_000
const at = payout.intentAtMs

function open(dataDir = tempDir()): Journal {
  const journal = openJournal(dataDir, live)
  onTestFinished(() => journal.close())
  return journal
}

/** A payout to `account`, as this journal recognises it. */
function claimOf(journal: Journal, orderNo: string, changes: Partial<NumberClaim> = {}): NumberClaim {
  const claim = {...payout, orderNo, bodyDigest: orderNo.padEnd(64, '0'), ...changes}
  return {...claim, payeeFingerprint: journal.fingerprint(account, claim.amount ?? 0n)}
}

async function pay(journal: Journal, claim: NumberClaim, state: RequestState = 'accepted'): Promise<void> {
  const claimed = await journal.claimNumber(claim)
  const id = claimed.fresh ? claimed.id : claimed.row.id
  if (state !== 'intent') await journal.recordRequestOutcome(id, state, {outcomeAtMs: claim.intentAtMs})
}

test('what the service has from elsewhere is never an intent, which the next command would send', async () => {
  const journal = open()
  const madeElsewhere = {platformOrderNo: 'PLAT-1', why: 'the service had it before'}
  await journal.claimNumber(claimOf(journal, 'P-1', {madeElsewhere}))
  expect(await journal.checkNumber(claimOf(journal, 'P-1'))).toMatchObject({
    ...{state: 'accepted', platformOrderNo: 'PLAT-1', confirmation: 'contradicted'},
  })
  expect(await duplicatesOf(journal, claimOf(journal, 'P-2'))).toEqual(['P-1 accepted'])
})

const duplicatesOf = async (journal: Journal, claim: NumberClaim, sinceMs = at - 24 * hourMs) =>
  (await duplicatesIn(journal, claim, sinceMs)).map(({orderNo, state}) => `${orderNo} ${state}`)

describe('the same account and amount under another number', () => {
  test('is found while it may have been paid, and no account can be read from the journal', async () => {
    const dir = tempDir()
    const journal = open(dir)
    await pay(journal, claimOf(journal, 'P-accepted'))
    await pay(journal, claimOf(journal, 'P-intent'), 'intent')
    await pay(journal, claimOf(journal, 'P-unknown'), 'unknown')
    await pay(journal, claimOf(journal, 'P-refused'), 'refused')
    await pay(journal, claimOf(journal, 'P-other-amount', {amount: 1n}))
    expect(await duplicatesOf(journal, claimOf(journal, 'P-new'))).toEqual([
      'P-intent intent',
      'P-unknown unknown',
      'P-accepted accepted',
    ])
    await journal.close()
    const bytes = readFileSync(join(dir, 'journal', ownedFileName(live)), 'latin1')
    expect(bytes).toContain('017****5678')
    expect(bytes).not.toContain(account)
  })

  test('is never one of a request that names no payee, as a deposit', async () => {
    const journal = open()
    await pay(journal, claimOf(journal, 'P-1'))
    expect(await duplicatesOf(journal, {...claimOf(journal, 'P-2'), payeeFingerprint: null})).toEqual([])
  })

  test('is not a payout of the number itself, nor one longer ago', async () => {
    const journal = open()
    await pay(journal, claimOf(journal, 'P-1'))
    expect(await duplicatesOf(journal, claimOf(journal, 'P-1'))).toEqual([])
    expect(await duplicatesOf(journal, claimOf(journal, 'P-2'), at + 1)).toEqual([])
  })

  test('is found at any age where the number may be the same one, damaged, and may have been paid', async () => {
    const journal = open()
    await pay(journal, claimOf(journal, '0001001'))
    await pay(journal, claimOf(journal, '0001002'), 'intent')
    await pay(journal, claimOf(journal, '0001003'), 'refused')
    const lateDuplicatesOf = (orderNo: string) =>
      duplicatesOf(journal, claimOf(journal, orderNo), at + 400 * 24 * hourMs)
    expect(await Promise.all(['1001', '1002', '1003', '1004'].map(lateDuplicatesOf))).toEqual([
      ['0001002 intent', '0001001 accepted'],
      ['0001002 intent'],
      ['0001002 intent'],
      ['0001002 intent'],
    ])
  })

  test.each([
    ['3-11', '3-Nov', true],
    ['2026-11', 'Nov-26', true],
    ['+1001', '1001', true],
    ['12.10', '12.1', true],
    ['A-1', 'B-1', false],
    ['2026-11-01-001', '2026-11-01-002', false],
  ])('%s, re-saved as %s and paid a year later, is found: %s', async (paid, resaved, isFound) => {
    const journal = open()
    await pay(journal, claimOf(journal, paid))
    const late = await duplicatesOf(journal, claimOf(journal, resaved), at + 365 * 24 * hourMs)
    expect(late).toEqual(isFound ? [`${paid} accepted`] : [])
  })

  test('is found at any age where nobody knows what became of it', async () => {
    const journal = open()
    for (const state of ['accepted', 'refused', 'unknown', 'intent'] as const) {
      await pay(journal, claimOf(journal, `P-${state}`), state)
    }
    const look = async (orderNo: string, confirmation: StoredConfirmation) => {
      await pay(journal, claimOf(journal, orderNo))
      const {id} = (await journal.findRequest('payout', orderNo)) ?? {id: 0}
      await journal.recordLook(id, {confirmation, why: 'as a query showed', isFound: true})
    }
    await look('P-older-perhaps', 'contradicted')
    await look('P-unlooked', 'unanswered')
    await look('P-shown', 'not_shown')
    await look('P-confirmed', 'unanswered')
    await look('P-confirmed', 'confirmed')
    const yearLater = at + 365 * 24 * hourMs
    expect(await duplicatesOf(journal, claimOf(journal, 'Q-1'), yearLater)).toEqual([
      'P-unknown unknown',
      'P-intent intent',
      'P-older-perhaps accepted',
      'P-unlooked accepted',
    ])
    // 5,000.00 each.
    expect(await journal.sumPayouts(yearLater)).toBe(1_500_000n)
    expect(await journal.sumPayouts(at)).toBe(3_500_000n)
    expect((await journal.requestsInDoubt()).map(({orderNo}) => orderNo)).toEqual([
      'P-unknown',
      'P-intent',
      'P-older-perhaps',
    ])
  })

  test('a person’s word ends a doubt, once, and is kept', async () => {
    const journal = open()
    const ids: number[] = []
    for (const orderNo of ['P-1', 'P-2']) {
      await pay(journal, claimOf(journal, orderNo), 'unknown')
      ids.push((await journal.findRequest('payout', orderNo))?.id ?? 0)
    }
    const word = {by: 'rahim', reason: 'the desk says so', atMs: at}
    for (const [index, id] of ids.entries())
      await journal.resolveRequest({id, kind: 'payout'}, {...word, happened: index === 0})
    expect(await duplicatesOf(journal, claimOf(journal, 'Q-1'))).toEqual(['P-1 accepted'])
    expect(await journal.sumPayouts(at)).toBe(500_000n)
    expect(await journal.requestsInDoubt()).toEqual([])
    await expect(
      journal.resolveRequest({id: ids[0] ?? 0, kind: 'payout'}, {...word, happened: true}),
    ).rejects.toThrow(expect.objectContaining({code: 'usage'}))
  })

  test('is not an account that merely looks alike when it is masked', async () => {
    const journal = open()
    await pay(journal, {
      ...claimOf(journal, 'P-1'),
      payeeFingerprint: journal.fingerprint('01799995678', payout.amount ?? 0n),
    })
    expect(await duplicatesOf(journal, claimOf(journal, 'P-2'))).toEqual([])
  })

  test.each(['an older hisab wrote it', 'the key was lost'])(
    'is told by the masked account where %s',
    async (what) => {
      const dir = tempDir()
      const before = open(dir)
      const earlier = claimOf(before, 'P-1')
      await pay(before, what === 'the key was lost' ? earlier : {...earlier, payeeFingerprint: null})
      await before.close()
      rmSync(join(dir, 'payee.key'))
      const after = open(dir)
      expect(await duplicatesOf(after, claimOf(after, 'P-2'))).toEqual(['P-1 accepted'])
    },
  )

  test('the key is made once, 0600, and another environment of the data directory uses it, too', () => {
    const dir = tempDir()
    const one = open(dir)
    expect(payeeKeyId(dir)).toBeNull()
    const other = openJournal(dir, {...live, environment: 'staging'})
    onTestFinished(() => other.close())
    expect(one.fingerprint(account, 1n)).toBe(other.fingerprint(account, 1n))
    expect(modeOf(join(dir, 'payee.key'))).toBe('600')
    expect(payeeKeyId(dir)).toBe(one.fingerprint(account, 1n).split('.')[0])
    expect(open(tempDir()).fingerprint(account, 1n)).not.toBe(one.fingerprint(account, 1n))
    // As a backup may put it back.
    chmodSync(join(dir, 'payee.key'), 0o644)
    // The draft of a process that is gone is the key as well.
    const draft = '.hisab-2147483646-0123456789abcdef.tmp'
    writeFileSync(join(dir, draft), 'the key')
    expect(open(dir).fingerprint(account, 1n)).toBe(one.fingerprint(account, 1n))
    expect(modeOf(join(dir, 'payee.key'))).toBe('600')
    expect(readdirSync(dir)).not.toContain(draft)
  })

  test('a key that is damaged stops the payout', () => {
    const dir = tempDir()
    writeFileSync(join(dir, 'payee.key'), 'half a ke')
    expect(() => open(dir).fingerprint(account, 1n)).toThrow(
      expect.objectContaining({code: 'storage_failed'}),
    )
  })
})

describe('what may have gone out today', () => {
  test('counts what is in doubt and leaves out what was refused', async () => {
    const journal = open()
    await pay(journal, claimOf(journal, 'P-1', {amount: 100n}))
    await pay(journal, claimOf(journal, 'P-2', {amount: 10n}), 'unknown')
    await pay(journal, claimOf(journal, 'P-3', {amount: 1n}), 'intent')
    await pay(journal, claimOf(journal, 'P-4', {amount: 1_000n}), 'refused')
    await pay(journal, claimOf(journal, 'P-5', {amount: 10_000n, intentAtMs: at - hourMs}))
    expect(await journal.sumPayouts(at)).toBe(111n)
  })

  test('a refused or doubtful payout that is sent again counts for the day it is sent again', async () => {
    const journal = open()
    await pay(journal, claimOf(journal, 'P-1', {amount: 100n}), 'refused')
    await pay(journal, claimOf(journal, 'P-2', {amount: 10n}), 'unknown')
    const tomorrow = at + 24 * hourMs
    expect(await journal.sumPayouts(tomorrow)).toBe(10n)
    await journal.claimNumber(claimOf(journal, 'P-1', {amount: 100n, intentAtMs: tomorrow}))
    await journal.claimNumber(claimOf(journal, 'P-2', {amount: 10n, intentAtMs: tomorrow}))
    expect(await journal.sumPayouts(tomorrow)).toBe(110n)
  })
})

describe('the guard, in the transaction of the claim', () => {
  const guard = {
    dailyCeiling: null,
    dayStartMs: at,
    duplicatesSinceMs: at,
    duplicatesAllowed: new Set<string>(),
  }

  test('a repetition nobody has seen is refused, and its number stays free', async () => {
    const journal = open()
    await pay(journal, claimOf(journal, 'P-1'))
    const repeated = claimOf(journal, 'P-2')
    await expect(journal.claimNumber(repeated, guard)).rejects.toThrow(
      expect.objectContaining({
        code: 'payout_repeated',
        message: expect.stringContaining('already sent as P-1 at'),
      }),
    )
    expect(await journal.findRequest('payout', 'P-2')).toBeNull()
    const seen = {...guard, duplicatesAllowed: new Set(['P-1'])}
    expect(await journal.claimNumber(repeated, seen)).toMatchObject({fresh: true})
    expect(
      (await journal.findRequest('payout', 'P-2'))?.repeatsAllowed,
      'what the word was given for',
    ).toEqual(['P-1'])
  })

  test('settings that state no ceiling are held to the last one stated', async () => {
    const journal = open()
    await journal.claimNumber(claimOf(journal, 'P-1', {amount: 300_000n}), {...guard, dailyCeiling: 500_000n})
    const duplicatesAllowed = new Set(['P-1', 'P-2', 'P-3'])
    const unstated = {...guard, dailyCeiling: null, duplicatesAllowed}
    await expect(journal.claimNumber(claimOf(journal, 'P-2', {amount: 200_001n}), unstated)).rejects.toThrow(
      expect.objectContaining({code: 'payout_over_limit'}),
    )
    expect(await journal.claimNumber(claimOf(journal, 'P-2', {amount: 200_000n}), unstated)).toMatchObject({
      fresh: true,
    })
    // A person states a higher one: it counts from then on.
    await journal.claimNumber(claimOf(journal, 'P-3', {amount: 100_000n}), {
      ...unstated,
      dailyCeiling: 700_000n,
    })
    expect(await journal.claimNumber(claimOf(journal, 'P-4', {amount: 99_000n}), unstated)).toMatchObject({
      fresh: true,
    })
  })

  test('what would go over the ceiling is refused; what was accepted before is no new money', async () => {
    const journal = open()
    const ceiling = {...guard, dailyCeiling: 500_000n}
    const first = claimOf(journal, 'P-1')
    await pay(journal, first)
    await expect(journal.claimNumber(claimOf(journal, 'P-2', {amount: 1n}), ceiling)).rejects.toThrow(
      expect.objectContaining({code: 'payout_over_limit', exitStatus: 2}),
    )
    expect(await journal.claimNumber(first, ceiling)).toMatchObject({fresh: false})
  })

  test('a doubtful payout does not stand in its own way', async () => {
    const journal = open()
    const doubtful = claimOf(journal, 'P-1')
    await pay(journal, doubtful, 'unknown')
    const again = await journal.claimNumber(doubtful, {...guard, dailyCeiling: 500_000n})
    expect(again).toMatchObject({fresh: false, row: {state: 'unknown'}})
  })
})

test('a person’s word on a doubt waits for every create that is on its way, whoever sends it (P6)', async () => {
  const dir = tempDir()
  const [mine, theirs] = [open(dir), open(dir)]
  await pay(mine, claimOf(mine, 'P-1'), 'unknown')
  const resolve = async () => {
    const doubt = (await mine.requestsInDoubt()).find(({orderNo}) => orderNo === 'P-1')
    if (doubt)
      await mine.resolveRequest(doubt, {happened: false, by: 'me', reason: 'it is not there', atMs: at})
  }
  const locked = expect.objectContaining({
    code: 'locked',
    exitStatus: 9,
    hint: expect.stringMatching(/^Wait/),
  })
  for (const journal of [theirs, mine]) {
    await pay(journal, claimOf(journal, 'P-1'), 'intent')
    await expect(resolve()).rejects.toThrow(locked)
    await pay(journal, claimOf(journal, 'P-1'), 'unknown')
  }
  await theirs.claimNumber(claimOf(theirs, 'P-2'))
  await theirs.claimNumber(claimOf(theirs, 'P-3'))
  await theirs.recordRequestOutcome((await theirs.findRequest('payout', 'P-3'))?.id ?? 0, 'accepted', {
    outcomeAtMs: at,
  })
  await expect(resolve()).rejects.toThrow(locked)
  await theirs.close()
  await resolve()
  expect(await mine.findRequest('payout', 'P-1')).toMatchObject({state: 'refused'})
})

test('a journal of the schema before keeps its payouts, each counted where it was', async () => {
  const dir = tempDir()
  const sql = earlierJournal(dir, 'live', 2)
  sql.exec(`INSERT INTO requests
    (kind, order_no, body_digest, amount_paisa, channel, masked_account, state, intent_at_ms)
    VALUES ('payout', 'P-1', 'digest', 500000, 'BKASH', '${payout.maskedAccount}', 'accepted', ${at})`)
  sql.close()
  const upgraded = openJournal(dir, live, {isLossAccepted: true})
  onTestFinished(() => upgraded.close())
  expect(await upgraded.sumPayouts(at)).toBe(500_000n)
  expect(await duplicatesOf(upgraded, claimOf(upgraded, 'P-2'))).toEqual(['P-1 accepted'])
})

test('a key that is a link to nowhere, as to a volume that is not mounted, is said and not made for ever', () => {
  const dir = tempDir()
  symlinkSync('/nowhere/payee.key', join(dir, 'payee.key'))
  const journal = open(dir)
  expect(() => journal.fingerprint(account, 1n)).toThrow(expect.objectContaining({code: 'storage_failed'}))
  expect(readdirSync(dir).filter((name) => name.endsWith('.tmp'))).toEqual([])
})
