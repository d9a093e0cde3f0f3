import {requestReader} from './doubts.ts'
import {evidenceChain} from './evidence.ts'
import {findingsAndTotals} from './findings.ts'
import {itemRegister} from './items.ts'
import type {Fingerprint} from './payee-key.ts'
import {requestLooks} from './requests.ts'
import {resendDoubts} from './resend-doubts.ts'
import {runsAndNotes} from './runs.ts'
import {signOffs} from './sign-offs.ts'
import type {Store} from './store.ts'
import {traceNumber} from './trace.ts'

/** The parts of a journal that are written once for both engines. `own`: the runs of this process. */
export function commonParts(store: Store, own: ReadonlySet<string>, fingerprint: Fingerprint) {
  return {
    ...requestReader(store),
    ...requestLooks(store),
    ...resendDoubts(store, own),
    ...findingsAndTotals(store),
    ...itemRegister(store),
    ...runsAndNotes(store),
    ...signOffs(store),
    ...evidenceChain(store),
    fingerprint,
    trace: (number: string) => traceNumber(store, number, fingerprint),
  }
}
