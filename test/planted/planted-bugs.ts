import {answerBugs} from './bugs/answers.ts'
import {callBugs} from './bugs/calls.ts'
import {createBugs} from './bugs/creates.ts'
import {learningBugs} from './bugs/learning.ts'
import {ledgerBugs} from './bugs/ledger.ts'
import {listingBugs} from './bugs/listing.ts'
import {receivingBugs} from './bugs/receiving.ts'
import {resendBugs} from './bugs/resends.ts'
import {signingBugs} from './bugs/signing.ts'
import {stagingBugs} from './bugs/staging.ts'
import {storageBugs} from './bugs/storage.ts'
import {textBugs} from './bugs/text.ts'
import {verdictBugs} from './bugs/verdicts.ts'
import type {PlantedBug} from './planted-bug.ts'

/** The kept list. A new promise, or a bug that slipped through once, gets an entry in the file of its room. */
export const plantedBugs: readonly PlantedBug[] = [
  ...signingBugs,
  ...answerBugs,
  ...callBugs,
  ...createBugs,
  ...resendBugs,
  ...listingBugs,
  ...verdictBugs,
  ...ledgerBugs,
  ...storageBugs,
  ...textBugs,
  ...receivingBugs,
  ...learningBugs,
  ...stagingBugs,
]
