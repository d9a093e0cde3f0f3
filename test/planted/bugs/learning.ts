import type {PlantedBug} from '../planted-bug.ts'

const learnTest = 'test/commands/doctor-learn.test.ts'
const proof = 'src/workflows/doctor/learn.ts'

/** What `hisab doctor` learns of a service. */
export const learningBugs: readonly PlantedBug[] = [
  {
    name: 'learned-from-one-example',
    breaks: 'P7',
    thought: 'Somebody said that the order is completed.',
    file: proof,
    find: '    ...(isAlone ? [needsCounterExample] : []),\n',
    put: '',
    caughtBy: [learnTest],
  },
  {
    name: 'deposits-proven-by-a-payout',
    breaks: 'P7',
    thought: 'One order that is not completed is enough.',
    file: proof,
    find: '  return !isLearned || isApart(ofKind)\n',
    put: '  return !isLearned || isApart(orders)\n',
    caughtBy: [learnTest],
  },
  {
    name: 'documented-word-learned-anew',
    breaks: 'P7',
    thought: 'Who asks knows better than the document.',
    file: 'src/core/learn/words.ts',
    find: "  return told !== null && documented !== 'unknown_status' && documented !== told\n",
    put: "  return told !== null && documented !== 'unknown_status' && documented !== told && word === ''\n",
    caughtBy: [learnTest],
  },
  {
    name: 'learned-from-another-merchants-answer',
    breaks: 'P8',
    thought: 'What would not be believed is shown in the table.',
    file: proof,
    find: '    ...(moved.length === 0 ? misread : []),\n',
    put: '',
    caughtBy: [learnTest],
  },
  {
    name: 'call-status-taken-for-the-order',
    breaks: 'P7',
    thought: 'The field has the name of a status.',
    file: 'src/core/learn/fields.ts',
    find: '      return means === told\n',
    put: '      return means === told || name === current\n',
    caughtBy: [learnTest],
  },
  {
    name: 'amount-learned-by-its-name',
    breaks: 'P12',
    thought: 'A field that is called an amount is one.',
    file: 'src/core/learn/fields.ts',
    find: "  if (told.length === 0) {\n    if (holders.includes(current) || wellNamed.length === 0) return kept('amount', current)\n",
    put: "  if (told.length === 0) {\n    if (holders.includes(current) || wellNamed.length === 0) return kept('amount', current)\n    if (wellNamed.length === 1)\n      return {field: 'amount', state: 'found', names: wellNamed, candidates: wellNamed, note: null}\n",
    caughtBy: [learnTest],
  },
  {
    name: 'scheme-found-without-a-control',
    breaks: 'P18',
    thought: 'It was accepted, so it is right.',
    file: 'src/workflows/doctor/find-legacy-scheme.ts',
    find: "      if (control !== 'refused') return {...nothingFound, tries, ...control}\n",
    put: '',
    caughtBy: ['test/commands/doctor-scheme.test.ts'],
  },
]
