import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'

import {describe, expect, onTestFinished, test} from 'vitest'

import type {Account} from '../../src/core/account.ts'
import {addressesOf, sandboxMerchantId} from '../../src/core/profile.ts'
import {ownedFileName} from '../../src/files/owned-database.ts'
import {type Journal, type JournalOptions, openJournal} from '../../src/journal/journal.ts'
import type {NumberClaim} from '../../src/journal/rows.ts'
import {tempDir} from '../temp-dir.ts'
import {claimed, exhaustedDelivery, live, nightlyRun, payout} from './sample.ts'

const payHost = 'https://pay.example'
const sandbox = {...live, environment: 'sandbox'}

function open(dir: string, account: Account = live, options: JournalOptions = {}): Journal {
  const journal = openJournal(dir, account, options)
  onTestFinished(() => journal.close())
  return journal
}

test('a journal whose entry in accounts/ cannot be written claims nothing, and is no copy once it can', async () => {
  const dir = tempDir()
  const accounts = join(dir, 'accounts')
  symlinkSync('/proc/nothing', accounts)
  const journal = open(dir)
  await expect(journal.claimNumber(payout)).rejects.toThrow(expect.objectContaining({code: 'storage_failed'}))
  await journal.close()
  rmSync(accounts)
  expect(await open(dir).claimNumber(payout)).toMatchObject({fresh: true})
})

test('a merchant is one in either spelling of its id', async () => {
  const dir = tempDir()
  await open(dir).claimNumber(payout)
  const shouted = open(dir, {...live, merchantId: live.merchantId.toUpperCase()})
  expect(await shouted.findRequest('payout', payout.orderNo)).toMatchObject({state: 'intent'})
})

describe('addresses of a merchant', () => {
  const moved = 'https://moved.example'
  const refused = (text: RegExp, hint = 'hisab journal link') =>
    expect.objectContaining({
      code: 'config_invalid',
      message: expect.stringMatching(text),
      hint: expect.stringContaining(hint),
    })
  const at = (dir: string, address: string, environment = 'live', merchantId = live.merchantId) =>
    open(dir, {merchantId, environment}, {addresses: [address], profileName: 'live'})
  const link = async (dir: string, address: string, environment = 'live') => {
    await open(dir, {...live, environment}, {addresses: [address], isLinking: true}).linkAddresses()
  }

  test('a journal that remembers nothing takes any; one that sent takes its own, and what was linked', async () => {
    const dir = tempDir()
    at(dir, 'https://typo.example')
    await at(dir, payHost).claimNumber(payout)
    expect(await at(dir, payHost).findRequest('payout', payout.orderNo)).toMatchObject({state: 'intent'})
    for (const other of [moved, 'https://typo.example']) {
      for (const _ of 'twice')
        expect(() => at(dir, other)).toThrow(refused(/does not have the address https:/))
    }
    await link(dir, moved)
    expect(await at(dir, moved).requestsInDoubt()).toHaveLength(1)
    expect(await at(dir, payHost).requestsInDoubt()).toHaveLength(1)
  })

  test('an address of another environment is refused, until it is linked here', async () => {
    const dir = tempDir()
    await at(dir, payHost, 'live').claimNumber(payout)
    for (const word of ['production', 'sandbox']) {
      expect(() => at(dir, payHost, word)).toThrow(
        refused(new RegExp(`"live".*"${word}"`), 'HISAB_ENVIRONMENT=live'),
      )
      expect(existsSync(join(dir, 'journal', ownedFileName({...live, environment: word})))).toBe(false)
    }
    await at(dir, moved, 'production').claimNumber(payout)
    expect(() => at(dir, payHost, 'production')).toThrow(refused(/"live".*"production"/))
    await link(dir, payHost, 'production')
    expect(await at(dir, payHost, 'production').requestsInDoubt()).toHaveLength(1)
    expect(() => at(dir, moved, 'live')).toThrow(refused(/"production".*"live"/))
  })

  test('a link names the other environments that know the address, and those beside which a memory begins', async () => {
    const dir = tempDir()
    await at(dir, payHost, 'live').claimNumber(payout)
    const linked = async (address: string) =>
      await open(
        dir,
        {...live, environment: 'staging'},
        {addresses: [address], isLinking: true},
      ).linkAddresses()
    expect(await linked('https://staging.example')).toEqual([{environment: 'live', isShared: false}])
    await at(dir, 'https://staging.example', 'staging').claimNumber(payout)
    expect(await linked('https://other.example')).toEqual([])
    expect(await linked(payHost)).toEqual([{environment: 'live', isShared: true}])
  })

  test('of two environments that begin at one address at once, the second to send does not', async () => {
    const dir = tempDir()
    const [one, other] = [at(dir, payHost, 'live'), at(dir, payHost, 'sandbox')]
    await one.claimNumber(payout)
    await expect(other.claimNumber(payout)).rejects.toThrow(refused(/"live".*"sandbox"/))
    expect(await other.requestsInDoubt()).toEqual([])
    await one.claimNumber({...payout, orderNo: 'P-2'})
  })

  test('what was not sent keeps nobody out', async () => {
    const dir = tempDir()
    const one = at(dir, payHost, 'live')
    const guard = {
      dailyCeiling: 1n,
      dayStartMs: 0,
      duplicatesSinceMs: 0,
      duplicatesAllowed: new Set<string>(),
    }
    await expect(one.claimNumber(payout, guard)).rejects.toThrow(
      expect.objectContaining({code: 'payout_over_limit'}),
    )
    await at(dir, payHost, 'production').claimNumber(payout)
    await expect(one.claimNumber(payout)).rejects.toThrow(refused(/"production".*"live"/))
  })

  test.each([
    ['removed', removed],
    ['emptied', emptied],
  ] as const)('the address of a journal that was %s is still its own', async (_how, lose) => {
    const dir = tempDir()
    await at(dir, payHost, 'live').claimNumber(payout)
    lose(pathIn(dir))
    expect(() => at(dir, payHost, 'production')).toThrow(refused(/"live".*"production"/))
    await at(dir, moved, 'production').claimNumber(payout)
  })

  test('names of this machine are one address', () => {
    const own = (url: string) => addressesOf({baseUrl: `${url}/v1`, applyUrl: '', legacyUrl: url})
    expect(own('http://localhost:4010')).toEqual(own('http://127.0.0.1:4010'))
    expect(own('http://[::1]:4010')).toEqual(own('http://localhost:4010'))
    expect(own('https://pay.example.')).toEqual(own('https://PAY.example:443'))
    expect(own('https://pay.example')).not.toEqual(own('http://pay.example'))
  })

  test('the sandbox’s own merchant follows the sandbox, but not away from a doubt', async () => {
    const dir = tempDir()
    const play = (port: number) => at(dir, `http://127.0.0.1:${port}`, 'sandbox', sandboxMerchantId)
    const recordOutcome = async (journal: Journal) =>
      await journal.recordRequestOutcome((await journal.requestsInDoubt())[0]?.id ?? 0, 'accepted', {
        outcomeAtMs: 2,
      })
    const first = play(1)
    await first.claimNumber(payout)
    expect(() => play(2)).toThrow(refused(/does not have the address/))
    await recordOutcome(first)
    await play(2).claimNumber({...payout, orderNo: 'P-2'})
    expect(() => play(1)).toThrow(refused(/does not have the address/))
    await recordOutcome(play(2))
    play(1)
    // A merchant of its own may be behind a tunnel.
    const own = tempDir()
    await at(own, 'http://127.0.0.1:1', 'sandbox').claimNumber(payout)
    expect(() => at(own, 'http://127.0.0.1:2', 'sandbox')).toThrow(refused(/does not have the address/))
  })

  test('those of a run that sent nothing are known', async () => {
    const dir = tempDir()
    const journal = at(dir, payHost)
    await journal.startRun({...nightlyRun, options: JSON.stringify({service: [`${payHost}/v1`]})})
    await journal.finishRun(nightlyRun.id, {status: 'finished', finishedAtMs: 2, exitStatus: 7})
    expect(() => at(dir, moved)).toThrow(refused(/does not have the address/))
    at(dir, payHost)
    expect(() => at(dir, payHost, 'staging')).toThrow(refused(/"live".*"staging"/))
  })

  describe('an environment that is but the default of its address', () => {
    const byDefault = (
      dir: string,
      address: string,
      environment: string,
      {
        merchantId = live.merchantId,
        ...more
      }: {merchantId?: string; isLinking?: boolean; isLossAccepted?: boolean} = {},
    ) => {
      const options = {addresses: [address], profileName: 'live', isEnvironmentNamed: false, ...more}
      return open(dir, {merchantId, environment}, options)
    }
    const tunnel = 'http://127.0.0.1:8443'

    test('is no second memory of a merchant that is known here, until it is named', async () => {
      const dir = tempDir()
      await byDefault(dir, tunnel, 'sandbox').claimNumber(payout)
      for (const word of [{}, {}, {isLinking: true}, {isLinking: true, isLossAccepted: true}, {}]) {
        expect(() => byDefault(dir, payHost, 'live', word)).toThrow(
          refused(
            /known here as environment "sandbox" at http:\/\/127.0.0.1:8443/,
            'HISAB_ENVIRONMENT=sandbox',
          ),
        )
      }
      expect(await byDefault(dir, tunnel, 'sandbox').requestsInDoubt()).toHaveLength(1)
      await link(dir, payHost)
      expect(() => byDefault(dir, payHost, 'live')).toThrow(refused(/known here as environment "sandbox"/))
      await at(dir, payHost, 'live').claimNumber(payout)
      byDefault(dir, payHost, 'live')
      await at(dir, 'https://staging.example', 'staging').claimNumber(payout)
      // What a word let in stays.
      byDefault(dir, 'https://staging.example', 'staging')
    })

    test('is none where the link came before the other one sent', async () => {
      const dir = tempDir()
      await byDefault(dir, tunnel, 'sandbox', {isLinking: true}).linkAddresses()
      const linked = byDefault(dir, tunnel, 'sandbox')
      await byDefault(dir, payHost, 'live').claimNumber(payout)
      for (const sender of [async () => linked, async () => byDefault(dir, tunnel, 'sandbox')])
        await expect(sender().then((one) => one.claimNumber(payout))).rejects.toThrow(
          refused(/known here as environment "live"/),
        )
    })

    test.each([
      ['removed', removed],
      ['emptied', emptied],
    ] as const)('is none beside a journal that was %s', async (_how, lose) => {
      const dir = tempDir()
      await byDefault(dir, tunnel, 'sandbox').claimNumber(payout)
      lose(join(dir, 'journal', ownedFileName(sandbox)))
      expect(() => byDefault(dir, payHost, 'live')).toThrow(refused(/environment "sandbox"/))
    })

    test('is asked nothing of where another one that never sent is gone', async () => {
      const dir = tempDir()
      await byDefault(dir, tunnel, 'sandbox').close()
      removed(join(dir, 'journal', ownedFileName(sandbox)))
      await byDefault(dir, payHost, 'live').claimNumber(payout)
    })

    test('is asked nothing of where the others remember nothing, nor of the demonstration merchant', async () => {
      const dir = tempDir()
      byDefault(dir, tunnel, 'sandbox')
      await byDefault(dir, payHost, 'live').claimNumber(payout)
      const demo = tempDir()
      await at(demo, payHost, 'live', sandboxMerchantId).claimNumber(payout)
      await byDefault(demo, tunnel, 'sandbox', {merchantId: sandboxMerchantId}).claimNumber(payout)
    })
  })
})

describe('a journal that forgot', () => {
  const lost = expect.objectContaining({
    code: 'file_unreadable',
    hint: expect.stringContaining('hisab journal link --start-over'),
  })

  const losses: [what: string, lose: (path: string) => void][] = [
    ['was removed', removed],
    ['was emptied', emptied],
    ['was removed with its folder', (path) => rmSync(join(path, '..'), {recursive: true})],
  ]
  test.each(losses)('one that %s is missed, and begins again at a person’s word', async (_what, lose) => {
    const dir = tempDir()
    await sendOne(dir)
    lose(pathIn(dir))
    for (const _ of 'twice') expect(() => openJournal(dir, live)).toThrow(lost)
    expect(await open(dir, live, {isLossAccepted: true}).findRequest('payout', payout.orderNo)).toBeNull()
    expect(await open(dir).findRequest('payout', payout.orderNo)).toBeNull()
  })

  describe('an older copy that takes its place is missed', () => {
    const other: NumberClaim = {...payout, orderNo: 'P-2'}
    const end = async (journal: Journal, state: 'refused' | 'unknown') =>
      await journal.recordRequestOutcome((await journal.findRequest('payout', 'P-2'))?.id ?? 0, state, {
        outcomeAtMs: 2,
      })
    const cases: [what: string, before: (one: Journal) => unknown, after: (one: Journal) => unknown][] = [
      ['of fewer sends', () => undefined, (one) => one.claimNumber(other)],
      [
        'of as many numbers, one of which was refused and sent again since',
        async (one) => {
          await one.claimNumber(other)
          await end(one, 'refused')
        },
        async (one) => {
          await one.claimNumber(other)
          await end(one, 'unknown')
        },
      ],
      [
        'of as many numbers, one of which was said to be not paid and sent again since',
        async (one) => {
          await one.claimNumber(other)
          await end(one, 'unknown')
          const doubt = (await one.requestsInDoubt()).find(({orderNo}) => orderNo === 'P-2')
          if (doubt) await one.resolveRequest(doubt, {happened: false, by: 'a', reason: 'b', atMs: 3})
        },
        (one) => one.claimNumber(other),
      ],
      ['from before a ceiling was stated', () => undefined, (one) => one.stateCeiling(100_000n, 2)],
      ['of fewer resends', (one) => one.startRun(nightlyRun), (one) => claimed(one, exhaustedDelivery)],
      [
        'of a resend that never left, and was sent since',
        async (one) => {
          await one.startRun(nightlyRun)
          await one.recordResendOutcome(await claimed(one, exhaustedDelivery), 'not_sent', {})
        },
        (one) => claimed(one, exhaustedDelivery),
      ],
    ]
    for (const end of ['closed', 'killed'] as const) {
      test.each(cases)(`${end}: %s`, async (_what, before, after) => {
        const dir = tempDir()
        await sendOne(dir)
        const first = openJournal(dir, live)
        await before(first)
        await first.close()
        const copy = join(dir, 'copy.db')
        copyFileSync(pathIn(dir), copy)
        const journal = open(dir)
        await after(journal)
        if (end === 'closed') await journal.close()
        removed(pathIn(dir))
        copyFileSync(copy, pathIn(dir))
        expect(() => openJournal(dir, live)).toThrow(lost)
      })
    }

    test('killed, and what SQLite had not taken in is lost', async () => {
      const dir = tempDir()
      await sendOne(dir)
      await open(dir).claimNumber(other)
      const after = tempDir()
      cpSync(dir, after, {recursive: true})
      removed(pathIn(after), '-wal', '-shm')
      expect(() => openJournal(after, live)).toThrow(lost)
    })
  })

  test('one that went on elsewhere from the same copy is missed, though it knows as many or more', async () => {
    for (const more of [1, 2]) {
      const [here, there] = [tempDir(), tempDir()]
      await sendOne(here)
      cpSync(here, there, {recursive: true})
      const send = async (dir: string, orderNo: string) => {
        const journal = openJournal(dir, live)
        await journal.claimNumber({...payout, orderNo})
        await journal.close()
      }
      await send(here, 'P-2')
      for (let n = 0; n < more; n += 1) await send(there, `Q-${n}`)
      removed(pathIn(here))
      copyFileSync(pathIn(there), pathIn(here))
      expect(() => openJournal(here, live)).toThrow(lost)
    }
  })

  test('the earlier one is missed where it turns up after a new beginning', async () => {
    const dir = tempDir()
    await sendOne(dir)
    const [copy, original] = [join(dir, 'copy.db'), join(dir, 'original.db')]
    copyFileSync(pathIn(dir), copy)
    const journal = openJournal(dir, live)
    await journal.claimNumber({...payout, orderNo: 'P-2'})
    await journal.close()
    copyFileSync(pathIn(dir), original)
    copyFileSync(copy, pathIn(dir))
    const again = openJournal(dir, live, {isLossAccepted: true})
    await again.claimNumber({...payout, orderNo: 'P-3'})
    await again.close()
    copyFileSync(original, pathIn(dir))
    expect(() => openJournal(dir, live)).toThrow(lost)
  })

  test('one whose process was killed before it could send what it had claimed is whole', async () => {
    const dir = tempDir()
    await sendOne(dir)
    const before = join(dir, 'accounts-before')
    cpSync(join(dir, 'accounts'), before, {recursive: true})
    const journal = openJournal(dir, live)
    await journal.claimNumber({...payout, orderNo: 'P-2'})
    await journal.close()
    cpSync(before, join(dir, 'accounts'), {recursive: true})
    expect(await open(dir).requestsInDoubt()).toHaveLength(2)
  })

  test('where accounts/ cannot be written nothing is promised, and nothing that was not sent is in doubt', async () => {
    const dir = tempDir()
    const journal = open(dir)
    await journal.startRun(nightlyRun)
    await journal.claimNumber(payout)
    rmSync(join(dir, 'accounts'), {recursive: true})
    writeFileSync(join(dir, 'accounts'), '')
    const storageFailed = expect.objectContaining({code: 'storage_failed'})
    await expect(journal.claimNumber({...payout, orderNo: 'P-2'})).rejects.toThrow(storageFailed)
    await expect(claimed(journal, exhaustedDelivery)).rejects.toThrow(storageFailed)
    expect(await journal.requestsInDoubt()).toMatchObject([{orderNo: payout.orderNo}])
    expect(await journal.resendsInDoubt()).toEqual([])
  })

  test('one that is removed while a killed process never closed it is missed', async () => {
    const dir = tempDir()
    const journal = open(dir)
    await journal.startRun(nightlyRun)
    await claimed(journal, exhaustedDelivery)
    removed(pathIn(dir))
    expect(() => openJournal(dir, live)).toThrow(lost)
  })

  describe('a copy that is put back without what says how much it knew', () => {
    const restored = async () => {
      const dir = tempDir()
      const one = openJournal(dir, live)
      await one.claimNumber(payout)
      await one.close()
      const other = tempDir()
      mkdirSync(join(other, 'journal'))
      return {pathThere: pathIn(other), other, put: () => copyFileSync(pathIn(dir), pathIn(other))}
    }
    const alone = expect.objectContaining({
      message: expect.stringContaining('like a restored copy'),
      hint: expect.stringContaining('hisab journal link --start-over'),
    })

    test('on an empty disk', async () => {
      const {other, put} = await restored()
      put()
      for (const _ of 'twice') expect(() => openJournal(other, live)).toThrow(alone)
      const journal = open(other, live, {isLossAccepted: true})
      expect(await journal.findRequest('payout', payout.orderNo)).toMatchObject({state: 'intent'})
      await journal.close()
      open(other)
    })

    test('where hisab was at work before it was put back, and had sent nothing', async () => {
      const {other, put, pathThere} = await restored()
      await openJournal(other, live).close()
      removed(pathThere)
      put()
      expect(() => openJournal(other, live)).toThrow(alone)
    })
  })

  test('one that sent nothing may go', async () => {
    const dir = tempDir()
    await openJournal(dir, live).close()
    removed(pathIn(dir))
    open(dir)
    expect(existsSync(pathIn(dir))).toBe(true)
  })
})

function pathIn(dir: string): string {
  return join(dir, 'journal', ownedFileName(live))
}

function removed(path: string, ...ends: readonly string[]): void {
  for (const end of ends.length > 0 ? ends : ['', '-wal', '-shm']) rmSync(`${path}${end}`, {force: true})
}

function emptied(path: string): void {
  removed(path, '-wal', '-shm')
  truncateSync(path)
}

async function sendOne(dir: string): Promise<void> {
  const journal = openJournal(dir, live)
  await journal.claimNumber(payout)
  await journal.close()
}
