import type {Ended, OwnHome} from '../acceptance/own-home.ts'
import {payoutAgain, type Row} from './commands.ts'
import {type Fault, isWrite} from './fault.ts'
import type {HostileService} from './hostile-service.ts'
import {judgeResentAgain, mayBeDone, numberOf} from './judge-books.ts'

/** What a person types next, and what was wrong then. */
export interface Aftermath {
  readonly problems: readonly string[]
  readonly ended: readonly Ended[]
}

/**
 * After a write that met the fault: what is in doubt is in sight, and nothing is done a second time, now that nothing is
 * wrong with the service any more.
 */
export async function playAftermath(
  cell: {readonly row: Row; readonly fault: Fault},
  first: Ended,
  service: HostileService,
  home: OwnHome,
): Promise<Aftermath> {
  const {row, fault} = cell
  if (row.isText || row.target === null || !isWrite(row.target)) return {problems: [], ended: []}
  const wasPossible = mayBeDone(row, fault, service)
  const ended: Ended[] = []
  const problems: string[] = []
  const type = async (args: readonly string[]) => {
    const line = [...args, '--json']
    // Certificates are given to a process when it begins.
    const one = await (fault.door ? home.run(line) : home.runHere(line))
    ended.push(one)
    return one
  }
  if (row.makes === 'a resend') {
    service.mend()
    problems.push(...judgeResentAgain(service, await type(row.args)))
    return {problems: problems.map((problem) => `then the same again: ${problem}`), ended}
  }

  const {makes} = row
  if (makes === null) return {problems, ended}
  const {orders} = JSON.parse((await type(['payout', 'list', '--in-doubt'])).stdout) as {
    orders: readonly {readonly orderNo: string}[]
  }
  const isListed = orders.some(({orderNo}) => orderNo === numberOf[makes])
  if (isListed !== (first.status === 6))
    problems.push(`ended with ${first.status}, and is ${isListed ? '' : 'not '}listed as in doubt`)
  // The address of a door cannot be mended under its name.
  if (fault.door) return {problems, ended}

  service.mend()
  if (makes === 'payout') {
    const before = service.books.payoutsMade
    const {status} = await type(payoutAgain)
    const made = service.books.payoutsMade - before
    if (wasPossible && (made > 0 || status === 0)) problems.push('then it was paid under the next number')
    if (!wasPossible && (made !== 1 || status !== 0))
      problems.push(`then the next number ended with ${status}, and nothing had been paid`)
  }
  const {status} = await type(row.args)
  const made = makes === 'payout' ? service.books.payoutsMade : 1
  if (made > 1) problems.push(`then the same again: ${made} payouts were made`)
  const isThere = service.books.has(makes, numberOf[makes])
  if (status === 0 && !isThere) problems.push(`then the same again ended with 0, and there is no ${makes}`)
  // What a service that did nothing called accepted is asked for, not sent again.
  const isDue = (makes === 'deposit' || wasPossible) && first.status !== 8
  if (isDue && (status !== 0 || !isThere)) problems.push(`then the same again ended with ${status}`)
  return {problems, ended}
}
