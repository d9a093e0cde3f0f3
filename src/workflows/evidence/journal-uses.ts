import type {Journal} from '../../journal/interface.ts'

type Use =
  /** Its answer decides or is reported: it is recorded, and a replay gives it again. */
  | 'read'
  /** It changes the journal; a replay leaves it out. */
  | 'write'
  /** A run does not use it, or only behind what is recorded as a whole. A replay that meets it fails. */
  | 'none'

/** Every method of the journal: what a replay would answer wrongly does not compile, or fails. */
export const journalUses = {
  findFinalOrders: 'read',
  findFinalOrdersOf: 'read',
  findingsOf: 'read',
  openFindings: 'read',
  findTotals: 'read',
  lastTotals: 'read',
  windowsSeen: 'read',
  lastColumns: 'read',
  listMark: 'read',
  listIgnores: 'read',
  findRun: 'read',
  resendsOfRun: 'read',
  requestsInDoubt: 'read',
  replacedPayouts: 'read',
  payoutsBesideFailed: 'read',
  resendsInDoubt: 'read',
  rowsSeen: 'read',
  itemEvents: 'read',
  personsTexts: 'read',
  resendHistory: 'read',
  balancesOfRuns: 'read',
  lastSkew: 'read',
  fingerprint: 'read',
  listRuns: 'read',
  listItems: 'read',
  startRun: 'write',
  resumeRun: 'write',
  finishRun: 'write',
  recordRun: 'write',
  recordFinalOrders: 'write',
  sortFinalOrders: 'write',
  recordRowsSeen: 'write',
  recordSkew: 'write',
  recordItemEvents: 'write',
  claimResend: 'none',
  recordResendOutcome: 'none',
  resendsWithoutEnd: 'none',
  endResend: 'none',
  claimNumber: 'none',
  checkNumber: 'none',
  payoutsTo: 'none',
  recordRefused: 'none',
  refusedPayouts: 'none',
  sumPayouts: 'none',
  stateCeiling: 'none',
  recordRequestOutcome: 'none',
  recordLook: 'none',
  numberWithPlatformOrder: 'none',
  listRequests: 'none',
  payeesOfLast: 'none',
  payoutsOfName: 'none',
  recordSeenFailed: 'none',
  recordSeenCompleted: 'none',
  payoutsOfPayee: 'none',
  payoutsAllowedBeside: 'none',
  requestNumbers: 'none',
  resolveRequest: 'none',
  knewAnOrder: 'none',
  recordKnewAnOrder: 'none',
  findRequest: 'none',
  trace: 'none',
  linkAddresses: 'none',
  addNote: 'none',
  addIgnore: 'none',
  removeIgnore: 'none',
  closeItems: 'none',
  signOff: 'none',
  signOffsOf: 'none',
  beginEvidence: 'none',
  sealEvidence: 'none',
  recordEvidenceRemoved: 'none',
  listEvidence: 'none',
  merged: 'none',
  dropped: 'none',
  close: 'none',
} as const satisfies Record<keyof Journal, Use>

type Read = {
  [Name in keyof typeof journalUses]: (typeof journalUses)[Name] extends 'read' ? Name : never
}[keyof typeof journalUses]

export const journalReads = Object.entries(journalUses).flatMap(([name, use]) =>
  use === 'read' ? (name as Read) : [],
)
