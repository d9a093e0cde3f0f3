import {CLIError} from '@oclif/core/errors'
import {expect, test} from 'vitest'

import {namingFlags, toFailure} from '../../src/cli/failures.ts'

test.each([
  [
    'The following errors occurred:\n  Missing required flag player-phone\n  Missing required flag player-ref\nSee more help with --help',
    'Missing required flag --player-phone, --player-ref',
  ],
  [
    'Nonexistent flags: --token=typed, --api-key=typed too\nSee more help with --help',
    'Nonexistent flags: --token',
  ],
  ['--dry-run=true cannot also be provided when using --yes', 'Give --dry-run or --yes, not both.'],
  ['Parsing --limit \n\tExpected an integer but received: x', '--limit: Expected an integer but received: x'],
])('%j becomes one sentence', (said, message) => {
  expect(toFailure(new CLIError(said), 'deposit create')).toMatchObject({code: 'usage', message})
})

test.each([
  [
    'The field playerPhone is not a mobile number',
    ['--player-phone', '123'],
    '--player-phone (playerPhone) is not a mobile number',
  ],
  ['The field outOrderNo is empty', ['--order-no='], '--order-no (outOrderNo) is empty'],
  [
    'The field playerPhone is not a mobile number',
    ['--from', 'x.csv'],
    'The field playerPhone is not a mobile number',
  ],
])('%j, given as %j, names the flag', (message, argv, named) => {
  expect(namingFlags(message, argv)).toBe(named)
})

test('an object nobody foresaw is a defect of ours, told without what it carries', () => {
  const error = Object.assign(new TypeError('x is not a function\u001b[2J'), {options: {headers: 'canary'}})
  const failure = toFailure(error, 'payout create')
  expect(failure).toMatchObject({code: 'bug', exitStatus: 1})
  expect(JSON.stringify({...failure, message: failure.message})).not.toMatch(/canary|\u001b/)
})
