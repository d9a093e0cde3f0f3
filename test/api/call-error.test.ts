import {expect, test} from 'vitest'
import {failureOf} from '../../src/api/call-error.ts'
import type {CallError} from '../../src/api/classify-response.ts'
import type {OperationName} from '../../src/api/operations.ts'

const doubt: CallError = {kind: 'unclear', code: 'service_busy', what: 'no answer in time', isTransient: true}

test.each<[operation: OperationName, effect: 'create' | 'resend', command: string]>([
  ['deposit create', 'create', 'hisab deposit query'],
  ['payout create', 'create', 'hisab payout query'],
  ['webhooks resend', 'resend', 'hisab webhooks get'],
])(
  'the command a doubtful %s is looked up with may be pasted into a shell (P24)',
  (operation, effect, command) => {
    const hintFor = (subject: string) =>
      failureOf({operation, effect, subject, attempts: 1, clockSkewMs: null, doubt}, doubt).hint
    expect(hintFor('P-1')).toContain(`${command} P-1.`)
    expect(hintFor("P-1; $(touch x) 'y'")).toContain(`${command} 'P-1; $(touch x) '\\''y'\\'''.`)
  },
)
