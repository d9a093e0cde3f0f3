import {CLIError} from '@oclif/core/errors'
import {expect, test} from 'vitest'

import {toFailure} from '../../src/cli/failures.ts'

test.each([
  [
    'The following errors occurred:\n  Missing required flag player-phone\n  Missing required flag player-ref\nSee more help with --help',
    'Missing required flag --player-phone, --player-ref',
  ],
  [
    'Nonexistent flags: --token=typed, --api-key=typed too\nSee more help with --help',
    'Nonexistent flags: --token',
  ],
  ['Parsing --limit \n\tExpected an integer but received: x', '--limit: Expected an integer but received: x'],
])('%j becomes one sentence', (said, message) => {
  expect(toFailure(new CLIError(said), 'deposit create')).toMatchObject({code: 'usage', message})
})

test('an object nobody foresaw is a defect of ours, told without what it carries', () => {
  const error = Object.assign(new TypeError('x is not a function\u001b[2J'), {options: {headers: 'canary'}})
  const failure = toFailure(error, 'payout create')
  expect(failure).toMatchObject({code: 'bug', exitStatus: 1})
  expect(JSON.stringify({...failure, message: failure.message})).not.toMatch(/canary|\u001b/)
})
