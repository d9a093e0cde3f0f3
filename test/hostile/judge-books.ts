import type {Ended} from '../acceptance/own-home.ts'
import type {Document, Row} from './commands.ts'
import {type Fault, isWrite, provesNothingDone} from './fault.ts'
import type {HostileService} from './hostile-service.ts'

/** The number each create of the matrix is given. */
export const numberOf = {deposit: 'D-1', payout: 'P-1'} as const

/** What a command may say of what it did, by the service's books: whatever it was answered. */
export function judgeByBooks(
  {row, fault}: {readonly row: Row; readonly fault: Fault},
  service: HostileService,
  {status}: Ended,
  document: Document | null,
): string[] {
  switch (row.makes) {
    case 'deposit':
    case 'payout':
      return judgeCreate(row.makes, mayBeDone(row, fault, service), service, status, document)
    case 'a resend':
      return judgeResend(service, status, document)
    case null:
      return []
  }
}

/** Whether it left, and nothing that came back proves that it was not done: no caller can tell by the answers. */
export function mayBeDone({makes, target}: Row, {means}: Fault, service: HostileService): boolean {
  const isProof = target !== null && isWrite(target) && provesNothingDone(means(target))
  const creates = makes === 'deposit' || makes === 'payout' ? service.callsOf(`${makes} create`) : []
  return creates.length > 0 && !isProof
}

function judgeCreate(
  kind: 'deposit' | 'payout',
  isPossible: boolean,
  service: HostileService,
  status: number,
  document: Document | null,
): string[] {
  const isThere = service.books.has(kind, numberOf[kind])
  const wasShown = isShownAfter(service, `${kind} create`, `${kind} query`)
  const problems: string[] = []
  if (isPossible && ![0, 6, 8].includes(status))
    problems.push(`ended with ${status}, and the ${kind} ${isThere ? 'is there' : 'may come to be'}`)
  if (isThere && wasShown && status !== 0)
    problems.push(`ended with ${status}, and a query had shown the ${kind}`)
  if (isThere) return problems
  if (status === 0) problems.push(`ended with 0, and there is no ${kind}`)
  if (document?.confirmed === true || (document?.sums?.accepted.count ?? 0) > 0)
    problems.push(`says there is a ${kind}, and there is none`)
  return problems
}

function judgeResend(service: HostileService, status: number, document: Document | null): string[] {
  const {arrived, taken} = service.books.webhooks
  const said = document?.resends
  const problems = judgeDeliveries(service, status, document)
  if (arrived === 0) return problems
  if (status < 6 && status !== 0) problems.push(`ended with ${status}, and the webhook arrived`)
  if (said && (said.refused ?? 0) + (said.skipped ?? 0) > 0)
    problems.push('says not sent or refused, and the webhook arrived')
  if (taken > 0 && isShownAfter(service, 'resend', 'get') && status !== 0)
    problems.push(`ended with ${status}, and the record had shown that the webhook was taken`)
  return problems
}

/** The same command once more: it may well say that nothing was sent now. */
export function judgeResentAgain(service: HostileService, {status, stdout}: Ended): string[] {
  return judgeDeliveries(service, status, JSON.parse(stdout))
}

function judgeDeliveries({books}: HostileService, status: number, document: Document | null): string[] {
  const {arrived, taken} = books.webhooks
  const problems: string[] = []
  if (arrived > 1) problems.push(`the webhook arrived ${arrived} times`)
  if (status === 0 && taken === 0) problems.push('ended with 0, and the webhook was not taken')
  if ((document?.resends?.delivered ?? 0) > taken)
    problems.push('says delivered, and the webhook was not taken')
  return problems
}

/** Whether a later answer, without a fault, showed its real state. */
function isShownAfter(
  {seen}: HostileService,
  write: 'deposit create' | 'payout create' | 'resend',
  read: 'deposit query' | 'payout query' | 'get',
): boolean {
  const last = seen.findLastIndex(({operation}) => operation === write)
  return last >= 0 && seen.slice(last).some(({operation, isSpoilt}) => operation === read && !isSpoilt)
}
