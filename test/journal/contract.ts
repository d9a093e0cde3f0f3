import {describe, expect, test} from 'vitest'

import {orderKey} from '../../src/core/reconcile/orders.ts'
import type {Journal} from '../../src/journal/journal.ts'
import {
  type NewResend,
  type PayoutGuard,
  type ResendRowState,
  resendMoves,
  resendRowStates,
} from '../../src/journal/rows.ts'
import {claimed, exhaustedDelivery, nightlyRun, orderId, payout} from './sample.ts'

const bug = expect.objectContaining({code: 'bug'})

/** What holds of a journal whatever keeps it. `open` gives a new account's, twice: as two processes have it. */
export function contractOf(
  engine: string,
  openBoth: () => Promise<readonly [Journal, Journal]>,
  isOwn: readonly string[] = [],
): void {
  const [known, called] = [new Set<string>(isOwn), new Set<string>(['close', ...isOwn])]
  const open = async () => {
    const both = await openBoth()
    for (const name of Object.keys(both[0]))
      if (typeof both[0][name as keyof Journal] === 'function') known.add(name)
    const watched = (journal: Journal): Journal =>
      new Proxy(journal, {
        get: (of, name) => {
          called.add(String(name))
          return Reflect.get(of, name)
        },
      })
    return [watched(both[0]), watched(both[1])] as const
  }
  const nowMs = Date.now()
  const resend: NewResend = {...exhaustedDelivery, intentAtMs: nowMs}
  const time = {nowMs, skewMs: 0}
  const pay = {...payout, intentAtMs: nowMs}
  const started = async () => {
    const both = await open()
    await both[0].startRun(nightlyRun)
    await both[1].startRun({...nightlyRun, id: 'run-2'})
    return both
  }
  const guard = (dailyCeiling: bigint | null): PayoutGuard => ({
    ...{dailyCeiling, dayStartMs: nowMs - 3_600_000, duplicatesSinceMs: nowMs - 3_600_000},
    duplicatesAllowed: new Set(),
  })

  describe(`the journal's contract: ${engine}`, () => {
    test('a run is begun, found, resumed and ended, with what it recorded', async () => {
      const [mine, theirs] = await started()
      expect(await theirs.findRun('run-1')).toMatchObject({status: 'running', exitStatus: null})
      await mine.recordRun({
        ...{runId: 'run-1', nowMs: 5, closed: [], balances: [], listMark: null},
        totals:
          '{"ledger":{"deposit":{"fromMs":1,"toMs":4,"ledgerFromMs":1,"doubtedFromMs":4,"columns":{"amount":"Amt"}}}}',
        seen: [
          {
            ...{kind: 'deposit', orderNo: 'D-1', verdict: 'missing_completion', cause: 'delivery_exhausted'},
            ...{severity: 'act', atRisk: 3n, orderedAtMs: null, snapshot: 's'},
          },
        ] as never,
      })
      await mine.finishRun('run-1', {status: 'finished', finishedAtMs: 9, exitStatus: 7})
      await expect(
        mine.finishRun('run-1', {status: 'finished', finishedAtMs: 9, exitStatus: 7}),
      ).rejects.toThrow(expect.objectContaining({code: 'bug'}))
      expect(await theirs.findRun('run-1')).toMatchObject({status: 'finished', exitStatus: 7})
      expect(await theirs.windowsSeen('deposit', 'later')).toEqual([
        {runId: 'run-1', fromMs: 1, toMs: 4, ledgerFromMs: 1, doubtedFromMs: 4},
      ])
      expect(await theirs.lastColumns('deposit')).toEqual({runId: 'run-1', columns: {amount: 'Amt'}})
      const [finding, ...more] = await theirs.openFindings()
      expect([finding?.orderNo, finding?.atRisk, more]).toEqual(['D-1', 3n, []])
      expect(await theirs.findingsOf([{kind: 'deposit', orderNo: 'D-1'}])).toEqual([finding])
      const closing = {reason: 'seen in the books', by: 'rahima', atMs: 6}
      expect(await theirs.closeItems(finding ? [finding] : [], closing)).toBe(1)
      expect(await mine.openFindings()).toEqual([])
      expect(await mine.openFindings('run-2', 5)).toMatchObject([
        {orderNo: 'D-1', closedBy: 'person', closedMs: 6},
      ])
      expect(await mine.openFindings('run-2', 6)).toEqual([])
      const [{id: wordsKnown = 0} = {}] = await mine.listIgnores()
      expect(await mine.listIgnores()).toMatchObject([{orderNo: 'D-1', by: 'rahima', snapshot: 's'}])
      const held = {...resend, runId: 'run-2', orderNo: 'D-1'}
      for (const kind of ['deposit', null] as const)
        expect(await theirs.claimResend({...held, kind}, time)).toMatchObject({
          ...{claimed: false, because: 'left_alone', by: 'rahima', reason: 'seen in the books'},
        })
      expect(await theirs.claimResend({...held, wordsKnown}, time)).toMatchObject({claimed: true})
      const toBook = {kind: 'deposit', orderNo: 'D-2', verdict: 'missing_completion', severity: 'act'}
      const snapshot = JSON.stringify([JSON.stringify(['no_delivery_record', 'book run-2'])])
      await mine.recordRun({
        ...{runId: 'run-2', nowMs: 6, closed: [], balances: [], listMark: null, totals: '{}'},
        seen: [{...toBook, cause: 'no_delivery_record', atRisk: 3n, orderedAtMs: null, snapshot}] as never,
      })
      const late = {...resend, runId: 'run-2', orderNo: 'D-2', orderId: 'other'}
      expect(await theirs.claimResend(late, time)).toMatchObject({claimed: false, because: 'to_book'})
      const said = {...late, overrides: ['include-delivered' as const]}
      expect(await theirs.claimResend(said, time)).toMatchObject({claimed: true})
    })

    test('a run is as it was begun, ended, resumed and ended again, and what cannot be is refused', async () => {
      const [mine] = await open()
      await mine.startRun(nightlyRun)
      const run = () => mine.findRun('run-1')
      const {options: _, ...begun} = nightlyRun
      expect(await run()).toMatchObject({...begun, status: 'running', finishedAtMs: null, exitStatus: null})
      await expect(mine.startRun(nightlyRun)).rejects.toThrow(bug)
      const ended = {status: 'interrupted', finishedAtMs: 1, exitStatus: 130, reportDir: '/r'} as const
      await mine.finishRun('run-1', ended)
      expect(await run()).toMatchObject({...begun, ...ended})
      await expect(mine.finishRun('run-1', ended)).rejects.toThrow(bug)
      await mine.resumeRun('run-1')
      expect(await run()).toMatchObject({
        status: 'running',
        finishedAtMs: null,
        exitStatus: null,
        reportDir: '/r',
      })
      await mine.finishRun('run-1', {status: 'finished', finishedAtMs: 2, exitStatus: 0})
      expect(await run()).toMatchObject({status: 'finished', exitStatus: 0, reportDir: '/r'})
      await expect(mine.resumeRun('run-9')).rejects.toThrow(bug)
      expect(await mine.findRun('run-9')).toBeNull()
      // No resend without a run that is at work.
      for (const runId of ['run-1', 'run-9'])
        await expect(claimed(mine, {...resend, runId})).rejects.toThrow(bug)
    })

    test('a resend moves as was agreed, and in no other way', async () => {
      const [mine] = await started()
      const wayTo: Record<ResendRowState, ResendRowState[]> = {
        ...{intent: [], accepted: ['accepted'], unknown: ['unknown'], not_sent: ['not_sent']},
        ...{refused: ['unknown', 'refused'], delivered: ['accepted', 'delivered']},
        still_failing: ['unknown', 'still_failing'],
      }
      const update = {sentAtMs: nowMs, responseCode: 200, detail: 'seen'}
      for (const from of resendRowStates) {
        for (const to of resendRowStates) {
          const id = await claimed(mine, {...resend, orderId: `${from} ${to}`, orderNo: `${from} ${to}`})
          for (const step of wayTo[from]) await mine.recordResendOutcome(id, step, {})
          const move = mine.recordResendOutcome(id, to, update)
          const isLegal = resendMoves[from].includes(to)
          if (isLegal) await move
          else await expect(move, `${from} to ${to}`).rejects.toThrow(bug)
          const row = (await mine.resendsOfRun('run-1')).find((one) => one.id === id)
          expect(row, `${from} to ${to}`).toMatchObject(
            isLegal
              ? {state: to, responseCode: 200, detail: 'seen', sentAtMs: expect.any(Number)}
              : {state: from, responseCode: null, detail: null, sentAtMs: null},
          )
        }
      }
      await expect(mine.recordResendOutcome(999_999, 'accepted', {})).rejects.toThrow(bug)
    })

    test('what was resent cools down by its order, in its run and in others', async () => {
      const [mine, theirs] = await started()
      const table: readonly (readonly [what: string, again: Partial<NewResend>, isClaimed: boolean])[] = [
        ['its order_id in upper case', {orderNo: null}, false],
        ['its number under another order_id', {orderId: 'per-delivery'}, false],
        ['its number, of a kind nobody knows', {orderId: 'per-delivery', kind: null}, false],
        ['its number, of the event in another case', {event: 'Order.Completed'}, false],
        ['its number, of an event that says the same', {event: 'payment.success'}, false],
        ['its number, of the other kind', {orderId: 'other', kind: 'payout'}, true],
        ['its number, of another event', {orderId: 'per-delivery', event: 'order.failed'}, true],
        ['another number', {orderId: 'other', orderNo: 'D-other'}, true],
        ['no number', {orderId: 'other', orderNo: null}, true],
        ['an empty number', {orderId: 'other', orderNo: ''}, true],
      ]
      for (const [n, [what, again, isClaimed]] of table.entries()) {
        const first = {...resend, orderId: `Order-${n}`, orderNo: `D-${n}`}
        await mine.recordResendOutcome(await claimed(mine, first), 'accepted', {})
        for (const runId of ['run-2', 'run-1']) {
          const {orderId = first.orderId.toUpperCase(), orderNo = first.orderNo} = again
          const isNamed = orderId !== first.orderId.toUpperCase()
          const intent = {
            ...{...first, ...again, runId, deliveryId: 'another'},
            orderId: isNamed ? `${orderId}-${n}` : orderId,
            orderNo: orderNo === 'D-other' ? `D-other-${n}` : orderNo,
          }
          const history = await theirs.resendHistory()
          expect(history.earlier(intent.orderId, intent.event, 'run-2', intent) === null, what).toBe(
            isClaimed,
          )
          const claim = await theirs.claimResend(intent, time)
          expect(claim.claimed, `${what}, ${runId}`).toBe(isClaimed)
          if (claim.claimed) await theirs.recordResendOutcome(claim.id, 'not_sent', {})
        }
      }
    })

    test('what a later run saw no more is closed by it, and still open for it', async () => {
      const [mine, theirs] = await started()
      const found = {
        kind: 'deposit',
        verdict: 'missing_completion',
        cause: 'delivery_exhausted',
        severity: 'act',
      }
      const seen = ['D-1', 'D-2'].map((orderNo) => ({
        ...found,
        orderNo,
        atRisk: 3n,
        orderedAtMs: null,
        snapshot: 's',
      }))
      const memory = {closed: [], balances: [], listMark: null, totals: '{}'}
      await mine.recordRun({...memory, runId: 'run-1', nowMs: 5, seen: seen as never})
      const [first, second] = await theirs.openFindings()
      const closed = [{id: first?.id ?? 0, closedBy: 'ledger'} as const]
      await theirs.recordRun({...memory, runId: 'run-2', nowMs: 6, seen: [], closed})
      expect((await mine.openFindings()).map(({id}) => id)).toEqual([second?.id])
      expect(await mine.openFindings('run-2')).toMatchObject([
        {orderNo: 'D-1', closedMs: 6, closedRunId: 'run-2', closedBy: 'ledger'},
        {orderNo: 'D-2', closedMs: null, closedBy: null},
      ])
      // An earlier closing stays, and so does an amount that no column holds.
      await theirs.recordRun({
        ...memory,
        runId: 'run-2',
        nowMs: 7,
        seen: [],
        closed: [{...closed[0], id: first?.id ?? 0, closedBy: 'service'}],
      })
      expect(await mine.findingsOf([{kind: 'deposit', orderNo: 'D-1'}])).toMatchObject([
        {closedMs: 6, closedBy: 'ledger'},
      ])
      const huge = seen.map((one) => ({...one, atRisk: 2n ** 63n}))
      await mine.recordRun({...memory, runId: 'run-1', nowMs: 8, seen: huge as never})
      expect((await mine.openFindings()).map(({atRisk, openedMs}) => [atRisk, openedMs])).toEqual([
        [null, 8],
        [null, 5],
      ])
      expect(await mine.findTotals('run-9')).toBeNull()
      expect(await mine.lastTotals('run-1')).toBeNull()
      expect(await mine.listMark()).toBeNull()
      expect(await mine.lastColumns('payout')).toBeNull()
    })

    test('rows of ledgers are read page by page, each once, in order', async () => {
      const [mine, theirs] = await started()
      for (const count of [499, 500, 1001]) {
        const rows = Array.from({length: count}, (_, n) => ({
          ...{kind: 'deposit', orderNo: `D-${String(n).padStart(5, '0')}`, line: n + 2},
          ...{isBooked: true, isBeginning: false},
        }))
        await mine.recordRowsSeen('run-1', {toMs: 4, isKnown: true}, rows as never)
        const read = await Array.fromAsync(theirs.rowsSeen('run-2'))
        expect(read.map(({orderNo}) => orderNo)).toEqual(rows.map(({orderNo}) => orderNo))
      }
      expect(await Array.fromAsync(theirs.rowsSeen('run-1'))).toEqual([])
    })

    test('rows without a number are told apart by their time', async () => {
      const [mine, theirs] = await started()
      const row = {kind: null, orderNo: '', isBooked: true, isBeginning: false} as const
      const [first, second] = [
        {...row, line: 2, createdMs: 5},
        {...row, line: 3, createdMs: 6},
      ]
      const anyOrder = {amount: '500.00'}
      await mine.recordRowsSeen('run-1', {toMs: 9, isKnown: true}, [
        {...first, anyOrder},
        {...second, anyOrder: {amount: null}},
      ])
      await mine.recordRowsSeen('run-2', {toMs: 4, isKnown: true}, [
        {...second, anyOrder},
        {...first, line: 7, anyOrder},
      ])
      const seen = await Array.fromAsync(theirs.rowsSeen(''))
      expect(seen.map(({line, ledgerToMs, anyOrder: any}) => [line, ledgerToMs, any?.amount])).toEqual([
        [7, 4, '500.00'],
        [3, 4, '500.00'],
        [3, 9, null],
      ])
    })

    test('a row keeps its amount and the digests of its players', async () => {
      const [mine, theirs] = await started()
      const row = {kind: null, orderNo: '', line: 2, isBooked: true, isBeginning: false} as const
      for (const [amount, createdMs, players] of [
        ['500.00', undefined, 'a.1\nb.2'],
        [null, 5, 'a.1'],
      ] as const)
        await mine.recordRowsSeen('run-1', {toMs: 9, isKnown: true}, [
          {...row, anyOrder: {amount}, createdMs, players},
        ])
      const seen = await Array.fromAsync(theirs.rowsSeen(''))
      expect(seen.map(({anyOrder, players}) => [anyOrder, players])).toEqual([
        [{amount: '500.00'}, 'a.1\nb.2'],
        [{amount: null}, 'a.1'],
      ])
    })

    test('evidence is sealed once, behind the one that was sealed last, and its removal is known', async () => {
      const [mine, theirs] = await started()
      const begin = {host: 'here', dir: '/evidence', begunAtMs: 1}
      await mine.beginEvidence({...begin, folder: 'run-1', runId: 'run-1'})
      await theirs.beginEvidence({...begin, folder: 'run-2', runId: 'run-2'})
      expect(await mine.sealEvidence('run-2', {sha256: 'b', previous: 'a', bytes: 2})).toBe(false)
      expect(await mine.sealEvidence('run-1', {sha256: 'a', previous: null, bytes: 1})).toBe(true)
      expect(await theirs.sealEvidence('run-2', {sha256: 'b', previous: null, bytes: 2})).toBe(false)
      expect(await theirs.sealEvidence('run-2', {sha256: 'b', previous: 'a', bytes: 2})).toBe(true)
      await mine.recordEvidenceRemoved('run-1', 9)
      await theirs.recordEvidenceRemoved('run-1', 10)
      expect(await theirs.listEvidence()).toEqual([
        {
          ...{...begin, folder: 'run-1', runId: 'run-1', sealedSeq: 1, sha256: 'a', previous: null, bytes: 1},
          removedAtMs: 9,
        },
        {
          ...{...begin, folder: 'run-2', runId: 'run-2', sealedSeq: 2, sha256: 'b', previous: 'a', bytes: 2},
          removedAtMs: null,
        },
      ])
    })

    test('an event is claimed once, whoever asks, and its doubt stays until an end is read', async () => {
      const [mine, theirs] = await started()
      const again = {...resend, runId: 'run-2'}
      const claims = await Promise.all([mine.claimResend(resend, time), theirs.claimResend(again, time)])
      expect(claims.filter((claim) => claim.claimed)).toHaveLength(1)
      expect(claims.find((claim) => !claim.claimed)).toMatchObject({because: 'resend_in_doubt'})
      const winner = claims[0]?.claimed ? mine : theirs
      const id = claims.flatMap((claim) => (claim.claimed ? claim.id : []))[0] ?? 0
      await winner.recordResendOutcome(id, 'accepted', {sentAtMs: nowMs})
      await winner.recordResendOutcome(id, 'delivered', {responseCode: 200})
      const runId = winner === mine ? 'run-2' : 'run-1'
      expect(await mine.claimResend({...resend, runId}, time)).toMatchObject({because: 'recently_resent'})
      const told: NewResend = {...resend, runId, overrides: ['ignore-cooldown']}
      expect(await theirs.claimResend(told, time)).toMatchObject({claimed: true})
      await expect(theirs.claimResend(told, time)).rejects.toThrow(expect.objectContaining({code: 'bug'}))
      const history = await mine.resendHistory()
      expect(history.earlier(orderId.toUpperCase(), resend.event, null)?.state).toBe('unknown')
    })

    test('what never left is claimed again, as if it had not been', async () => {
      const [mine, theirs] = await started()
      await mine.recordResendOutcome(await claimed(mine, resend), 'not_sent', {detail: 'refused'})
      expect(await theirs.resendsInDoubt()).toEqual([])
      const id = await claimed(theirs, {...resend, runId: 'run-2'})
      expect(await mine.resendsInDoubt()).toMatchObject([{id, runId: 'run-2', state: 'intent'}])
      expect(await mine.endResend(id, 'delivered', 200, false)).toBe(false)
      expect(await mine.endResend(id, 'delivered', 200, true)).toBe(true)
      expect(await mine.endResend(id, 'delivered', 200, true)).toBe(false)
      // A run that is over watches nothing any more, whoever else is at work.
      const later = await claimed(theirs, {...resend, runId: 'run-2', orderId: 'later', orderNo: 'D-later'})
      await theirs.finishRun('run-2', {status: 'interrupted', finishedAtMs: nowMs, exitStatus: 130})
      expect(await mine.endResend(later, 'still_failing', 503, false)).toBe(true)
      // A payout of that number is another order.
      const delivered = (await mine.resendHistory()).delivered()
      expect([...delivered.keys()]).toEqual([orderKey({kind: 'deposit', orderNo: resend.orderNo ?? ''})])
      // Of one number alone.
      const ofOne = await mine.resendHistory('D-later')
      expect(ofOne.of({kind: null, orderNo: 'D-later'}).map(({id}) => id)).toEqual([later])
      expect(ofOne.of({kind: null, orderNo: resend.orderNo})).toEqual([])
    })

    test('a number is one request, and is sent again with the same bytes alone', async () => {
      const [mine, theirs] = await open()
      const first = await mine.claimNumber(pay)
      expect(first.fresh).toBe(true)
      const other = {...pay, bodyDigest: 'e'.repeat(64), intentDigest: 'e'.repeat(64)}
      await expect(theirs.claimNumber(other)).rejects.toThrow(
        expect.objectContaining({code: 'number_reused'}),
      )
      const {sentFields} = pay
      expect(await theirs.claimNumber(pay)).toMatchObject({
        fresh: false,
        row: {state: 'intent', claims: 1, sentFields},
      })
      expect(await mine.findRequest('payout', pay.orderNo)).toMatchObject({state: 'unknown', claims: 2})
      const {id = 0} = (await mine.findRequest('payout', pay.orderNo)) ?? {}
      await mine.recordRequestOutcome(id, 'accepted', {outcomeAtMs: nowMs, platformOrderNo: 'plat-1'})
      await theirs.recordRequestOutcome(id, 'unknown', {outcomeAtMs: nowMs})
      expect(await theirs.requestsInDoubt()).toEqual([])
      expect(await theirs.numberWithPlatformOrder('payout', 'P-2', 'plat-1')).toBe(pay.orderNo)
      await theirs.recordLook(id, {confirmation: 'contradicted', why: 'other amount', isFound: true})
      await theirs.recordLook(id, {confirmation: 'confirmed', why: null, isFound: true})
      expect(await mine.requestsInDoubt()).toMatchObject([{confirmation: 'contradicted', amount: 500_000n}])
      await mine.resolveRequest({id, kind: 'payout'}, {happened: true, by: 'me', reason: 'seen', atMs: nowMs})
      expect(await mine.findRequest('payout', pay.orderNo)).toMatchObject({isDeclaredMade: true})
      const say = (happened: boolean, after: number) =>
        mine.resolveRequest(
          {id, kind: 'payout'},
          {happened, by: 'me', reason: 'a mistake', atMs: nowMs + after},
        )
      await expect(say(true, 1)).rejects.toMatchObject({code: 'usage'})
      await say(false, 2)
      expect(await mine.findRequest('payout', pay.orderNo)).toMatchObject({
        state: 'refused',
        isDeclaredMade: false,
      })
      await say(true, 3)
      expect(await mine.findRequest('payout', pay.orderNo)).toMatchObject({
        state: 'accepted',
        isDeclaredMade: true,
      })
      await mine.recordLook(id, {confirmation: 'confirmed', why: null, isFound: true})
      await expect(say(false, 4)).rejects.toMatchObject({code: 'usage'})
    })

    test('the fields of a number that was refused are those of its next send', async () => {
      const [mine] = await open()
      for (const [nth, digest, name] of [
        [1, 'd', 'one'],
        [2, 'd', 'two'],
        [3, 'e', 'three'],
      ] as const) {
        const [bodyDigest, sentFields] = [digest.repeat(64), {userName: {fingerprint: name}}]
        await mine.claimNumber({...pay, bodyDigest, intentDigest: bodyDigest, sentFields})
        const row = await mine.findRequest('payout', pay.orderNo)
        expect(row).toMatchObject({sentFields, claims: nth})
        await mine.recordRequestOutcome(row?.id ?? 0, 'refused', {outcomeAtMs: nowMs})
      }
    })

    test('a refused number is free, and what was sent is the number’s with its own parameters alone', async () => {
      const [mine, theirs] = await open()
      const claim = await mine.claimNumber(pay)
      const {id = 0} = claim.fresh ? claim : {}
      const reused = expect.objectContaining({code: 'number_reused'})
      const other = {...pay, bodyDigest: 'e'.repeat(64), intentDigest: 'e'.repeat(64)}
      // Claimed since by another process, with another return address.
      await expect(theirs.claimNumber({...pay, bodyDigest: 'e'.repeat(64)})).rejects.toThrow(reused)
      await expect(theirs.checkNumber(other)).rejects.toThrow(reused)
      await mine.recordRequestOutcome(id, 'refused', {outcomeAtMs: nowMs, serviceCode: 'LIMIT'})
      expect(await theirs.findRequest('payout', pay.orderNo)).toMatchObject({
        state: 'refused',
        serviceCode: 'LIMIT',
      })
      expect(await theirs.checkNumber(pay)).toMatchObject({state: 'refused'})
      expect(await theirs.checkNumber(other)).toBeNull()
      expect(await theirs.sumPayouts(0)).toBe(0n)
      expect(await theirs.claimNumber(other)).toEqual({fresh: true, id})
      expect(await mine.findRequest('payout', pay.orderNo)).toMatchObject({
        state: 'intent',
        claims: 2,
        serviceCode: null,
      })
      await expect(mine.recordRequestOutcome(999_999, 'accepted', {outcomeAtMs: nowMs})).rejects.toThrow(bug)
      await mine.recordRequestOutcome(id, 'accepted', {outcomeAtMs: nowMs})
      // Sent again in vain, it is what it was.
      expect(await theirs.claimNumber(other)).toMatchObject({
        fresh: false,
        row: {state: 'accepted', claims: 2},
      })
      expect(await theirs.findRequest('payout', pay.orderNo)).toMatchObject({claims: 3})
    })

    test('the ceiling holds to the paisa, and a repetition is refused until somebody agreed', async () => {
      const [mine, theirs] = await open()
      const one = (n: number) => ({...pay, orderNo: `P-${n}`, payeeFingerprint: `key-id-0.${n}`})
      const made = await Promise.allSettled(
        [1, 2, 3, 4, 5].map((n) => (n % 2 ? mine : theirs).claimNumber(one(n), guard(1_500_000n))),
      )
      expect(made.filter(({status}) => status === 'fulfilled')).toHaveLength(3)
      expect(await mine.sumPayouts(nowMs - 3_600_000)).toBe(1_500_000n)
      // What was stated holds for those who state none.
      await expect(theirs.claimNumber(one(9), guard(null))).rejects.toThrow(
        expect.objectContaining({code: 'payout_over_limit'}),
      )
      await expect(theirs.claimNumber({...one(1), orderNo: 'Q'}, guard(5_000_000n))).rejects.toThrow(
        expect.objectContaining({code: 'payout_repeated'}),
      )
      // While it is in doubt, another amount is no other payment; another account is.
      const corrected = {...one(1), orderNo: 'Q', amount: 490_00n}
      await expect(theirs.claimNumber(corrected, guard(5_000_000n))).rejects.toThrow(
        expect.objectContaining({code: 'payout_repeated'}),
      )
      const elsewhere = {...corrected, fingerprintWith: () => 'key-id-0.of-another-account'}
      // What was refused there holds nobody up here.
      expect(await mine.claimNumber(elsewhere, guard(5_000_000n))).toMatchObject({fresh: true})
      const agreed = {...guard(5_000_000n), duplicatesAllowed: new Set(['P-1', 'Q']), replaces: ['Q']}
      await theirs.claimNumber({...one(1), orderNo: 'R'}, agreed)
      // Sent again, it needs no second consent, and the first is not forgotten.
      await theirs.claimNumber({...one(1), orderNo: 'R'})
      expect(await mine.findRequest('payout', 'R')).toMatchObject({claims: 2, repeatsAllowed: ['P-1', 'Q']})
      expect(await mine.replacedPayouts()).toEqual([{failed: 'Q', anew: 'R'}])
      const beside = async (number: string) =>
        (await theirs.payoutsAllowedBeside(number)).map(({orderNo}) => orderNo)
      expect([await beside('P-1'), await beside('Q')]).toEqual([['R'], []])
      expect(await mine.requestNumbers('payout')).toEqual(expect.arrayContaining(['P-1', 'Q', 'R']))
    })

    test('a payout that was seen failed once stays so, and is found by its account, its name and its number', async () => {
      const [mine, theirs] = await open()
      await mine.claimNumber(pay)
      const sentFields = {nameWords: {fingerprint: 'key-id-0.of-another-name'}}
      const digest = 'e'.repeat(64)
      const another = {...pay, bodyDigest: digest, intentDigest: digest, orderNo: 'O', sentFields}
      await mine.claimNumber({...another, maskedAccount: '019****0000'})
      for (const atMs of [7, 8]) {
        await theirs.recordSeenFailed(pay.orderNo, nowMs + atMs)
        await theirs.recordSeenCompleted(pay.orderNo, nowMs + 10 * atMs)
      }
      await theirs.recordSeenFailed('P-unknown', nowMs)
      expect(await mine.findRequest('payout', pay.orderNo)).toMatchObject({
        seenFailedMs: nowMs + 7,
        seenCompletedMs: nowMs + 70,
      })
      const {maskedAccount} = pay
      const found = async (payee: Parameters<typeof mine.payoutsOfPayee>[0], isSeenFailed = true) =>
        (await mine.payoutsOfPayee(payee, isSeenFailed)).map(({orderNo}) => orderNo)
      expect(await found({maskedAccount, names: []})).toEqual([pay.orderNo])
      expect(await found({maskedAccount: null, names: [], numbers: [pay.orderNo, 'O']})).toEqual([
        pay.orderNo,
      ])
      const ofName = {maskedAccount: null, names: ['key-id-0.of-another-name']}
      expect([await found(ofName), await found(ofName, false)]).toEqual([[], ['O']])
      expect(await mine.payoutsBesideFailed()).toEqual([pay.orderNo])
    })

    test.each(['an answer', 'a person'] as const)(
      'since when a payout counted as not paid, by %s, is kept once it was made after all',
      async (by) => {
        const [mine, theirs] = await open()
        const {id} = (await mine.claimNumber(pay)) as {id: number}
        const refuse = async (atMs: number) => {
          const state = by === 'an answer' ? 'refused' : 'unknown'
          await mine.recordRequestOutcome(id, state, {outcomeAtMs: atMs, serviceCode: 'SOME'})
          const said = {happened: false, by: 'rahima', reason: 'asked', atMs}
          if (by === 'a person') await mine.resolveRequest({id, kind: 'payout'}, said)
        }
        const {maskedAccount, orderNo} = pay
        const look = async () => (await theirs.payoutsOfPayee({maskedAccount, names: []}, true))[0]
        await refuse(nowMs + 5)
        const first = await look()
        expect(first).toMatchObject({state: 'refused', seenFailedMs: first?.outcomeAtMs, wasRefused: true})
        expect(await theirs.payoutsBesideFailed()).toEqual([orderNo])
        expect(await theirs.payoutsOfPayee({maskedAccount, names: []}, false)).toEqual([])
        // Sent again, it is a payout like any other.
        await mine.claimNumber({...pay, intentAtMs: nowMs + 6})
        expect(await look()).toBeUndefined()
        expect(await mine.findRequest('payout', orderNo)).toMatchObject({seenFailedMs: null})
        await refuse(nowMs + 8)
        const refusedAtMs = (await look())?.outcomeAtMs
        await mine.recordRequestOutcome(id, 'accepted', {outcomeAtMs: nowMs + 9})
        expect(await look()).toMatchObject({
          ...{state: 'accepted', seenFailedMs: refusedAtMs, wasRefused: true},
        })
      },
    )

    test('a payout that was refused is kept until it is made, and counts as sent nowhere', async () => {
      const [mine, theirs] = await open()
      await mine.claimNumber(pay)
      const [bodyDigest, refusedAtMs] = ['e'.repeat(64), nowMs + 1]
      const again = {...pay, bodyDigest, intentDigest: bodyDigest}
      for (const atMs of [nowMs, refusedAtMs])
        await mine.recordRefused({...again, intentAtMs: atMs}, pay.orderNo)
      await theirs.recordRefused({...again, orderNo: 'P-2', intentAtMs: nowMs}, pay.orderNo)
      const {orderNo, maskedAccount, payeeFingerprint, sentFields} = pay
      const kept = {orderNo, maskedAccount, payeeFingerprint, sentFields, repeatsAllowed: [pay.orderNo]}
      expect(await theirs.refusedPayouts()).toMatchObject([
        {...kept, claimedAtMs: refusedAtMs},
        {...kept, orderNo: 'P-2', claimedAtMs: nowMs},
      ])
      expect(await mine.sumPayouts(0)).toBe(pay.amount)
      expect((await mine.requestsInDoubt()).map((row) => row.orderNo)).toEqual([pay.orderNo])
      expect(await mine.payoutsTo({...again, orderNo: 'P-3'})).toHaveLength(1)
      expect((await mine.trace(pay.orderNo)).requests).toHaveLength(1)
      expect((await mine.trace('P-2')).requests).toEqual([])
      expect(await mine.findRequest('payout', 'P-2')).toBeNull()
      await theirs.claimNumber({...again, orderNo: 'P-2'})
      expect((await mine.refusedPayouts()).map((row) => row.orderNo)).toEqual([pay.orderNo])
    })

    test('a weaker look changes nothing, and a contradiction stays', async () => {
      const [mine, theirs] = await open()
      const claim = await mine.claimNumber(pay)
      const {id = 0} = claim.fresh ? claim : {}
      await mine.recordRequestOutcome(id, 'accepted', {outcomeAtMs: nowMs})
      for (const [seen, kept] of [
        ['unanswered', 'unanswered'],
        ['not_shown', 'not_shown'],
        ['unanswered', 'unanswered'],
        ['confirmed', 'confirmed'],
        ['not_shown', 'confirmed'],
        ['unanswered', 'confirmed'],
        ['contradicted', 'contradicted'],
        ['confirmed', 'contradicted'],
      ] as const) {
        await mine.recordLook(id, {confirmation: seen, why: null, isFound: null})
        expect(await theirs.findRequest('payout', pay.orderNo)).toMatchObject({confirmation: kept})
      }
      // What is contradicted is no less in doubt where it is not found.
      await mine.recordLook(id, {confirmation: 'unanswered', why: null, isFound: false})
      expect(await theirs.requestsInDoubt()).toMatchObject([
        {state: 'accepted', confirmation: 'contradicted'},
      ])
    })

    test('a payout that was accepted and is not found is in doubt, until a query finds it', async () => {
      const [mine, theirs] = await open()
      const claim = await mine.claimNumber(pay)
      const {id = 0} = claim.fresh ? claim : {}
      await mine.recordRequestOutcome(id, 'accepted', {outcomeAtMs: nowMs})
      await mine.recordLook(id, {confirmation: 'unanswered', why: 'not found', isFound: false})
      expect(await theirs.requestsInDoubt()).toMatchObject([{state: 'unknown', confirmation: 'unanswered'}])
      await theirs.recordLook(id, {confirmation: 'confirmed', why: null, isFound: true})
      expect(await mine.requestsInDoubt()).toEqual([])
      expect(await mine.findRequest('payout', pay.orderNo)).toMatchObject({
        state: 'accepted',
        confirmation: 'confirmed',
      })
    })

    test('a settled order is found again until it is taken back, and rows it explains are not', async () => {
      const [mine, theirs] = await started()
      const order = {kind: 'deposit', orderNo: 'D-9', status: 'completed', rawStatus: 'Paid'} as const
      const row = {kind: 'deposit', orderNo: 'D-9', line: 2, isBooked: true, isBeginning: false} as const
      await mine.recordRowsSeen('run-1', {toMs: 4, isKnown: true}, [row, {...row, orderNo: 'D-3'}])
      await mine.recordFinalOrders(
        'run-1',
        nowMs,
        [{ledgerAmount: 5n, order: {...order, amount: 5n, platformOrderNo: 'plat-9'}}],
        [],
      )
      await mine.sortFinalOrders()
      expect(await theirs.findFinalOrders('deposit', ['D-8', 'D-9'])).toMatchObject([
        {orderNo: 'D-9', ledgerAmount: 5n, isTakenBack: false},
      ])
      expect(await theirs.findFinalOrdersOf(['plat-9'])).toHaveLength(1)
      expect(await theirs.balancesOfRuns()).toMatchObject([
        {
          runId: 'run-1',
          kind: 'deposit',
          verdict: null,
          cause: null,
          orders: 1,
          ledger: 5n,
          service: 5n,
          differing: 0,
        },
      ])
      const rows = await Array.fromAsync(theirs.rowsSeen('run-2'))
      expect(rows.map(({orderNo, kind, isBooked}) => [orderNo, kind, isBooked])).toEqual([
        ['D-3', 'deposit', true],
      ])
      await mine.recordFinalOrders('run-2', nowMs, [], [{kind: 'deposit', orderNo: 'D-9', paid: null}])
      expect(await theirs.findFinalOrders('deposit', ['D-9'])).toMatchObject([{isTakenBack: true}])
    })

    test('what people say of items and runs is kept, and told apart', async () => {
      const [mine, theirs] = await started()
      const event = {what: 'noted', text: 'asked the service', by: 'rahima', atMs: 4} as const
      await mine.recordItemEvents([{kind: 'deposit', orderNo: 'D-1'}], event)
      expect(await theirs.itemEvents('deposit', 'D-1')).toEqual([event])
      await mine.signOff('run-1', {by: 'karim', note: 'checked', isAlone: false, atMs: 5})
      expect(await theirs.signOffsOf('run-1')).toEqual([
        {by: 'karim', note: 'checked', isAlone: false, atMs: 5},
      ])
      expect(await theirs.personsTexts()).toEqual([
        {orderNo: 'D-1', text: 'asked the service', by: 'rahima', atMs: 4},
        {orderNo: null, text: 'checked', by: 'karim', atMs: 5},
      ])
      await mine.recordKnewAnOrder('https://pay.example', 1)
      expect(await theirs.knewAnOrder('https://pay.example')).toBe(true)
      expect(await theirs.knewAnOrder('https://other.example')).toBe(false)
      const minuteMs = 60_000
      for (const [measured, kept] of [
        [10, null],
        [10 * minuteMs, 10 * minuteMs],
        // What differs by less than a second was measured the same.
        [10 * minuteMs + 999, 10 * minuteMs],
        [10 * minuteMs + 1_000.4, 10 * minuteMs + 1_000],
        [-10 * minuteMs, -10 * minuteMs],
        [10, null],
      ] as const) {
        await mine.recordSkew(measured)
        expect(await theirs.lastSkew()).toBe(kept)
      }
    })

    test('runs are listed and resumed, and what one run came to is known to the next', async () => {
      const [mine, theirs] = await started()
      const balance = {kind: 'deposit', orderNo: 'D-1', ledger: 0n, service: 5n, difference: -5n} as const
      const listMark = {direction: 'newest_first', records: 3, newestId: 'id-1', runId: 'run-1'} as const
      await mine.recordRun({
        ...{runId: 'run-1', nowMs: 5, closed: [], listMark, totals: '{"a":1}'},
        balances: [{...balance, verdict: null, cause: null, isNotCounted: false}],
        seen: [
          {
            ...{kind: 'deposit', orderNo: 'D-1', verdict: 'missing_completion', cause: 'delivery_exhausted'},
            ...{severity: 'act', atRisk: 5n, orderedAtMs: null, snapshot: 's'},
          },
        ] as never,
      })
      // A resumed run counts its orders anew: what it does not count again is void.
      await mine.recordRun({
        ...{runId: 'run-2', nowMs: 5, closed: [], listMark: 'unchanged', totals: '{}', seen: []},
        balances: [{...balance, orderNo: 'D-2', verdict: null, cause: null, isNotCounted: false}],
      })
      expect(await theirs.balancesOfRuns()).toMatchObject([
        {runId: 'run-1', differing: 1, plus: 5n, minus: 0n},
        {runId: 'run-2', orders: 1, service: 5n},
      ])
      // What comes to nothing is kept where it is not counted, or was counted before.
      const nothing = {...balance, ledger: 0n, service: 0n, difference: 0n, verdict: null, cause: null}
      await mine.recordRun({
        ...{runId: 'run-2', nowMs: 5, closed: [], listMark: 'unchanged', totals: '{}', seen: []},
        balances: ['D-1', 'D-3', 'D-4'].map((orderNo) => ({
          ...nothing,
          orderNo,
          isNotCounted: orderNo === 'D-4',
        })),
      })
      expect(await theirs.balancesOfRuns()).toMatchObject([
        {runId: 'run-2', orders: 2, service: 0n, differing: 0},
      ])
      await mine.recordRun({
        ...{runId: 'run-2', nowMs: 6, closed: [], listMark: 'unchanged', totals: '{}', seen: []},
        balances: [],
      })
      await mine.finishRun('run-1', {status: 'finished', finishedAtMs: 9, exitStatus: 7})
      expect((await theirs.listRuns(5)).map(({id, status}) => [id, status])).toEqual([
        ['run-2', 'running'],
        ['run-1', 'finished'],
      ])
      expect(await theirs.findTotals('run-1')).toMatch(/^\{"a": ?1\}$/)
      expect(await theirs.lastTotals('run-2')).toMatchObject({runId: 'run-1'})
      expect(await theirs.balancesOfRuns()).toMatchObject([
        {runId: 'run-1', kind: 'deposit', orders: 1, ledger: 0n, service: 5n},
      ])
      expect(await theirs.listMark()).toEqual(listMark)
      expect(await theirs.listItems()).toMatchObject([{orderNo: 'D-1', closedMs: null}])
      await theirs.resumeRun('run-1')
      expect(await mine.findRun('run-1')).toMatchObject({status: 'running', exitStatus: null})
      const [finding] = await mine.openFindings()
      const ignore = {findingId: finding?.id ?? 0, atRisk: 5n, reason: 'known', by: 'rahima'}
      const id = await mine.addIgnore({...ignore, atMs: nowMs, expiresAtMs: nowMs + 60_000})
      expect(await theirs.listIgnores()).toMatchObject([{id, by: 'rahima', reason: 'known'}])
      expect(await theirs.removeIgnore(id, 'karim', nowMs)).toBe(true)
      expect(await mine.removeIgnore(id, 'karim', nowMs)).toBe(false)
    })

    test('what was sent of a number, to an account, in a run and in all is found by anybody', async () => {
      const [mine, theirs] = await started()
      const id = await claimed(mine, resend)
      expect(await theirs.resendsOfRun('run-1')).toMatchObject([{id, isOnItsWay: false}])
      expect(await theirs.resendsWithoutEnd()).toMatchObject([{id}])
      expect(await theirs.checkNumber(pay)).toBeNull()
      await mine.claimNumber(pay)
      expect(await theirs.checkNumber(pay)).toMatchObject({orderNo: pay.orderNo})
      const other = {...pay, orderNo: 'P-2'}
      expect(await theirs.payoutsTo(other)).toMatchObject([{orderNo: pay.orderNo}])
      const fee = {...other, amount: 495_000n}
      expect(
        await theirs.payoutsTo({...fee, fingerprintWith: () => pay.payeeFingerprint ?? ''}),
      ).toHaveLength(1)
      expect(await theirs.listRequests('payout', 5)).toMatchObject([{orderNo: pay.orderNo, claims: 1}])
      const names = Object.values(pay.sentFields).map((field) => field.fingerprint)
      expect(await theirs.payoutsOfName(['another', ...names])).toMatchObject([{orderNo: pay.orderNo}])
      expect(await theirs.payoutsOfName(['another'])).toEqual([])
      expect(await theirs.payeesOfLast(9)).toEqual([pay.payeeFingerprint])
      expect(await theirs.trace(pay.orderNo)).toMatchObject({requests: [{orderNo: pay.orderNo}], resends: []})
      expect(await theirs.trace(resend.orderNo ?? '')).toMatchObject({requests: [], resends: [{id}]})
      expect(await theirs.stateCeiling(900n, nowMs)).toBe(900n)
      expect(await mine.stateCeiling(null, nowMs)).toBe(900n)
      const print = mine.fingerprint('01712345678', 5n)
      expect(mine.fingerprint('01712345678', 5n)).toBe(print)
      expect(mine.fingerprint('01712345678', 6n)).not.toBe(print)
      expect(await mine.linkAddresses()).toEqual([])
      await mine.addNote({atMs: nowMs, by: 'karim', what: 'checked', reason: null})
    })

    test('a wallet finds its payouts, and those that may be: rows have it masked', async () => {
      const [mine] = await open()
      const wallet = '01712345678'
      const to = (account: string) => mine.fingerprint(account, payout.amount ?? 0n)
      const payouts: readonly (readonly [orderNo: string, payeeFingerprint: string | null, more?: object])[] =
        [
          ['to-this-wallet', to(wallet)],
          ['to-one-that-looks-alike', to('01799995678')],
          ['with-the-key-of-another-machine', 'otherkey.0123'],
          ['of-an-older-hisab', null],
          ['of-no-known-amount', to('01799995678'), {amount: null}],
          ['to-another-wallet', to('01812345678'), {maskedAccount: '018****5678'}],
          [wallet, to('01799995678')],
        ]
      for (const [n, [orderNo, payeeFingerprint, more]] of payouts.entries())
        await mine.claimNumber({
          ...pay,
          orderNo,
          bodyDigest: `${n}`,
          intentDigest: `${n}`,
          payeeFingerprint,
          ...more,
        })
      const found = async (number: string) => (await mine.trace(number)).requests.map(({orderNo}) => orderNo)
      expect(await found(wallet)).toEqual([
        ...[
          'to-this-wallet',
          'with-the-key-of-another-machine',
          'of-an-older-hisab',
          'of-no-known-amount',
          wallet,
        ],
      ])
      // A longer number that would be masked alike is no wallet.
      expect(await found('017123405678')).toEqual([])
      expect(await found('to-another-wallet')).toEqual(['to-another-wallet'])
    })

    test('a new journal took nothing over, and dropped nothing', async () => {
      const [mine] = await open()
      expect([mine.merged, mine.dropped]).toEqual([[], []])
    })

    test('every method of a journal was asked above', () => {
      expect([...known].filter((name) => !called.has(name))).toEqual([])
    })
  })
}
