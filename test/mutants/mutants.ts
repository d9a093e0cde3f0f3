import {answerMutants} from './bugs/answers.ts'
import {callMutants} from './bugs/calls.ts'
import {createMutants} from './bugs/creates.ts'
import {learningMutants} from './bugs/learning.ts'
import {ledgerMutants} from './bugs/ledger.ts'
import {listingMutants} from './bugs/listing.ts'
import {receivingMutants} from './bugs/receiving.ts'
import {resendMutants} from './bugs/resends.ts'
import {sharedMutants} from './bugs/shared.ts'
import {signingMutants} from './bugs/signing.ts'
import {stagingMutants} from './bugs/staging.ts'
import {storageMutants} from './bugs/storage.ts'
import {textMutants} from './bugs/text.ts'
import {verdictMutants} from './bugs/verdicts.ts'
import type {Mutant} from './mutant.ts'

/**
 * The kept list. A new promise, or a bug that slipped through once, gets an entry in the file of its room: one, and one
 * that no operator of `npm run mutation` makes by itself.
 */
export const mutants: readonly Mutant[] = [
  ...signingMutants,
  ...answerMutants,
  ...callMutants,
  ...createMutants,
  ...resendMutants,
  ...listingMutants,
  ...verdictMutants,
  ...ledgerMutants,
  ...storageMutants,
  ...textMutants,
  ...receivingMutants,
  ...learningMutants,
  ...stagingMutants,
  ...sharedMutants,
]
