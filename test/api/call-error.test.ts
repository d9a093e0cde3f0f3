import {expect, test} from 'vitest'
import {failureOf, isUnprovenAbsence} from '../../src/api/call-error.ts'
import type {CallError} from '../../src/api/classify-response.ts'
import type {OperationName} from '../../src/api/operations.ts'
import {balanceCode} from '../../src/core/dialect.ts'
import type {FailureCode} from '../../src/core/failure.ts'

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

test.each<[serviceCode: string | undefined, hint: string]>([
  ['SIGNATURE_INVALID', 'The service does not accept the signature. Check that api_secret'],
  ['INVALID_SIGN', 'The service does not accept the signature.'],
  ['MERCHANT_DESIGNATED', 'Check merchant_id and api_secret'],
  [undefined, 'Check merchant_id and api_secret'],
])('rejected with the code %s: what to check, and what shows it', (serviceCode, hint) => {
  const call = {operation: 'deposit query', effect: 'read', subject: 'D-1', attempts: 1} as const
  const failure = failureOf(
    {...call, clockSkewMs: null, doubt: undefined},
    {...rejected, ...(serviceCode === undefined ? {} : {serviceCode})},
  )
  expect(failure.hint.startsWith(hint)).toBe(true)
  expect(failure.hint).toContain('`hisab config show` shows where')
  expect(failure.serviceCode).toBe(serviceCode)
})

test('nothing listens on this machine: the next step starts the sandbox', () => {
  const call = {operation: 'deposit query', effect: 'read', subject: 'D-1', attempts: 3} as const
  const closed = {
    kind: 'not_sent',
    code: 'service_unreachable',
    isTransient: true,
    isClosedHere: true,
  } as const
  const failure = failureOf(
    {...call, clockSkewMs: null, doubt: undefined},
    {...closed, what: '127.0.0.1:4010: no'},
  )
  expect(failure.hint).toContain('start it: `hisab sandbox start`')
})

const again = 'Wait, then run it again. --rate'
const correct = 'Correct the request'
const top = 'Top up'
test.each<[code: FailureCode, serviceCode: string | undefined, effect: 'read' | 'create', hint: string]>([
  ['service_busy', undefined, 'read', again],
  ['service_busy', undefined, 'create', 'Nothing was sent. Try again later, with the same number.'],
  ['service_refused', balanceCode, 'create', top],
  ['service_refused', balanceCode, 'read', top],
  ['service_refused', 'OTHER', 'create', `Nothing was done. ${correct}`],
  ['service_refused', undefined, 'read', 'Look at what the service says'],
  ['service_unreachable', undefined, 'read', 'Nothing was sent. Check the address'],
  ['legacy_unavailable', undefined, 'read', 'The legacy API is deprecated'],
  ['answer_untrusted', undefined, 'read', 'Nothing was concluded from it.'],
  ['bug', undefined, 'read', 'Run it again with --debug'],
])('%s (%s) of a %s: the next step', (code, serviceCode, effect, hint) => {
  const call = {
    operation: 'payout query',
    effect,
    subject: 'P-1',
    attempts: 2,
    clockSkewMs: 600_000,
    doubt: undefined,
  } as const
  const failure = failureOf(
    call,
    {...rejected, code, what: 'no', ...(serviceCode ? {serviceCode} : {})},
    ' More.',
  )
  expect(failure.message).toBe('payout query P-1: no (2 tries). More.')
  expect([failure.code, failure.serviceCode, isUnprovenAbsence(failure)]).toEqual([code, serviceCode, false])
  expect(failure.hint).toMatch(hint)
})

test.each([
  [1, doubt, 'outcome unknown: no answer in time.'],
  [2, doubt, 'outcome unknown: no answer in time (2 tries).'],
  [2, rejected, 'outcome unknown: no answer in time; a later try: HTTP 401 (2 tries).'],
])('after %i tries a doubt stays one, whatever came later', (attempts, last, words) => {
  const call = {
    operation: 'payout create',
    effect: 'create',
    subject: 'P-1',
    attempts,
    clockSkewMs: null,
    doubt,
  } as const
  expect(failureOf(call, last)).toMatchObject({
    code: 'outcome_unknown',
    message: `payout create P-1: ${words}`,
  })
})

test('that an order is not there, said at an address where none ever was, is no fact (A5)', () => {
  const call = {
    operation: 'payout query',
    effect: 'read',
    subject: 'P-1',
    attempts: 1,
    clockSkewMs: null,
    doubt: undefined,
  } as const
  const failure = failureOf(call, {...rejected, code: 'answer_untrusted', isUnproven: true})
  expect([isUnprovenAbsence(failure), failure.code]).toEqual([true, 'answer_untrusted'])
  expect(failure.hint).toContain('or query an order that exists')
})
