import {expect, test} from 'vitest'

import {asFailure, Failure, unlessStopped} from '../../src/core/failure.ts'

const failure = (code: 'service_busy' | 'interrupted' | 'terminated') => new Failure(code, 'What.', 'Next.')

test.each<[what: string, thrown: unknown, isFailure: boolean, goesOn: boolean]>([
  ['a failure', failure('service_busy'), true, true],
  ['a run that a person stopped', failure('interrupted'), true, false],
  ['a run that the system stopped', failure('terminated'), true, false],
  ['a defect', new TypeError('What.'), false, false],
  ['what is no error at all', 'What.', false, false],
])('%s is a failure: %s, and what was being done goes on: %s', (_what, thrown, isFailure, goesOn) => {
  for (const [read, isGiven] of [
    [asFailure, isFailure],
    [unlessStopped, goesOn],
  ] as const) {
    const given = () => {
      try {
        return {given: read(thrown)}
      } catch (error) {
        return {error}
      }
    }
    expect(given()).toEqual(isGiven ? {given: thrown} : {error: thrown})
  }
})
