import type {Mutant} from '../mutant.ts'

const learnTest = 'test/commands/doctor-learn.test.ts'
const proof = 'src/workflows/doctor/learn.ts'

/** What `hisab doctor` learns of a service. */
export const learningMutants: readonly Mutant[] = [
  {
    name: 'payouts-read-by-words-of-deposits',
    breaks: 'P7',
    thought: 'Words without a kind are of both.',
    file: 'src/config/dialect-settings.ts',
    find: "kind === 'deposit' || documentedWords[state].includes(word)",
    put: "kind === 'deposit' || word !== ''",
    caughtBy: ['test/config/config-file.test.ts'],
  },
  {
    name: 'learned-from-one-example',
    breaks: 'P7',
    thought: 'Somebody said that the order is completed.',
    file: proof,
    find: '    ...unproven.map(needsCounterExample),\n',
    put: '',
    caughtBy: [learnTest],
  },
  {
    name: 'the-better-name-is-the-amount',
    breaks: 'P7',
    thought: 'What is called the amount of the order is it.',
    file: 'src/core/doctor/learn-fields.ts',
    find: 'if (second !== undefined) {',
    put: 'if (second !== undefined && !orderAmountName.test(only)) {',
    caughtBy: [learnTest],
  },
  {
    name: 'amount-learned-by-its-name',
    breaks: 'P12',
    thought: 'A field that is called an amount is one.',
    file: 'src/core/doctor/learn-fields.ts',
    find: "    if (holders.includes(current) || likely.length === 0) return kept('amount', current)\n",
    put: "    if (holders.includes(current) || likely.length === 0) return kept('amount', current)\n    if (likely.length === 1)\n      return {field: 'amount', state: 'found', names: likely, candidates: likely, note: null}\n",
    caughtBy: [learnTest],
  },
  {
    name: 'words-of-deposits-read-for-payouts',
    breaks: 'P7',
    thought: 'A service has one word for one thing.',
    file: 'src/cli/doctor/learn.ts',
    find: "'status', kind, state]",
    put: "'status', state]",
    caughtBy: [learnTest],
  },
  {
    name: 'scheme-believed-after-one-acceptance',
    breaks: 'P18',
    thought: 'It was accepted, and a wrong one was not.',
    file: 'src/workflows/doctor/find-legacy-scheme.ts',
    find: '[tryAgain, tryWrong, tryWrong, tryAgain]',
    put: '[tryWrong, tryWrong]',
    caughtBy: ['test/commands/doctor-scheme.test.ts'],
  },
]
