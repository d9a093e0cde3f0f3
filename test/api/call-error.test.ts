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

const rejected: CallError = {
  kind: 'refused',
  code: 'credentials_rejected',
  what: 'HTTP 401',
  isTransient: false,
}

test.each<[operation: OperationName, subject: string, skewMs: number | null, name: string, hint: string]>([
  ['deposit query', 'D-1', null, 'deposit query D-1: ', 'Check merchant_id and api_secret'],
  ['payout query', 'P-1', 600_000, 'payout query P-1: ', 'Check merchant_id and api_secret'],
  ['webhooks list', '', null, 'webhooks list: ', 'Check api_key, api_secret and merchant_id'],
  ['webhooks list', '', 600_000, 'webhooks list: ', 'Set this machine’s clock'],
])(
  'rejected credentials of a %s %s, the clock off by %s: what to check',
  (operation, subject, clockSkewMs, name, hint) => {
    const call = {operation, effect: 'read' as const, subject, attempts: 1, clockSkewMs, doubt: undefined}
    const failure = failureOf(call, rejected)
    expect(failure.message.startsWith(name)).toBe(true)
    expect(failure.hint.startsWith(hint)).toBe(true)
  },
)
