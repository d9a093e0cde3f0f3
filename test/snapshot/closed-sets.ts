import {checkNames, checkStatuses} from '../../src/core/doctor/check.ts'
import {exitStatusOf} from '../../src/core/failure.ts'
import {
  deliveryStatuses,
  orderKinds,
  orderStates,
  payoutChannels,
  payoutLineStates,
  requestStates,
} from '../../src/core/order.ts'
import {resendStates} from '../../src/core/reconcile/finding.ts'
import {historyStates} from '../../src/core/reconcile/history.ts'
import {recordWays} from '../../src/core/reconcile/records-read.ts'
import {actions, causes, severities, verdicts} from '../../src/core/reconcile/verdict.ts'
import {signingCauses as mistakes} from '../../src/core/signing/diagnose/cause.ts'
import {signingSchemes} from '../../src/core/signing/signed-request.ts'
import {resendRowStates as storedResendStates} from '../../src/journal/rows.ts'
import {faultKinds} from '../../src/sandbox/faults/kinds.ts'

/** Each exit status with the failure codes that end with it; 0 and 7 are results as well. */
export function describeExits(): Record<string, readonly string[]> {
  const exits: Record<string, string[]> = {0: [], 7: []}
  for (const [code, status] of Object.entries(exitStatusOf)) {
    exits[status] ??= []
    exits[status].push(code)
  }
  return exits
}

/** The words of `--json`, CSV and the journal that a program compares with. */
export function describeSets(): Record<string, readonly string[]> {
  return {
    verdicts,
    causes,
    actions,
    severities,
    historyStates,
    resendStates,
    storedResendStates,
    requestStates,
    payoutLineStates,
    orderKinds,
    orderStates,
    payoutChannels,
    deliveryStatuses,
    recordWays,
    checkNames,
    checkStatuses,
    signingSchemes,
    signingMistakes: mistakes,
    sandboxFaults: Object.keys(faultKinds),
  }
}
