import type {Mutant} from '../mutant.ts'

const text = 'src/core/text.ts'

/** What is shown, printed and written down. */
export const textMutants: readonly Mutant[] = [
  {
    name: 'bidi-let-through',
    breaks: 'P24',
    thought: 'Control characters are what drives a terminal.',
    file: text,
    find: '/[\\p{Cc}\\p{Cf}\\p{Cs}',
    put: '/[\\p{Cc}\\p{Cs}',
    caughtBy: ['test/core/text.test.ts'],
  },
  {
    name: 'most-of-a-phone-shown',
    breaks: 'P20',
    thought: 'Half of a number is masked.',
    file: text,
    find: '`${phone.slice(0, 3)}****${phone.slice(-4)}`',
    put: '`${phone.slice(0, 7)}****`',
    caughtBy: ['test/core/text.test.ts'],
  },
  {
    name: 'formula-after-a-blank',
    breaks: 'P24',
    thought: 'A formula begins with its sign.',
    file: 'src/report/escape-formula.ts',
    find: '/^[\\s\\u200b\\ufeff]*[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20]|^[\\t\\r\\n]/',
    put: '/^[=+\\-@]/',
    caughtBy: ['test/report/texts.test.ts'],
  },
  {
    name: 'cells-of-a-list-not-defused',
    breaks: 'P24',
    thought: 'Records come from the service, not from a stranger.',
    file: 'src/report/list-text.ts',
    find: "return kind === 'number' ? cell : escapeFormula(escapeInvisible(String(cell)))",
    put: "return kind === 'number' ? cell : escapeInvisible(String(cell))",
    caughtBy: ['test/report/list-text.test.ts', 'test/commands/query.test.ts'],
  },
  {
    name: 'explanation-raw-in-html',
    breaks: 'P24',
    thought: 'Our own sentences need no escaping.',
    file: 'src/report/report-html.ts',
    find: '<td>${escapeInvisible(finding.explanation)} ',
    put: '<td>${raw(finding.explanation)} ',
    caughtBy: ['test/report/texts.test.ts'],
  },
  {
    name: 'double-quotes-for-the-shell',
    breaks: 'P24',
    thought: 'Quotes are quotes.',
    file: 'src/core/shell.ts',
    find: "`'${text.replaceAll(\"'\", `'\\\\''`)}'`",
    put: '`"${text.replaceAll(\'"\', \'\\\\"\')}"`',
    caughtBy: ['test/core/signing/curl.test.ts'],
  },
  {
    name: 'secret-after-an-unknown-flag-shown',
    breaks: 'P20',
    thought: 'A usage error should repeat what was typed.',
    file: 'src/cli/failures.ts',
    find: "    .replace(/Nonexistent flags?:[\\s\\S]*/, (flags) => flags.replace(/(--?[^\\s=]+)=.*/g, '$1'))\n",
    put: '',
    caughtBy: ['test/cli/failures.test.ts', 'test/commands/flags.test.ts'],
  },
  {
    name: 'bytes-leave-unscrubbed',
    breaks: 'P20',
    thought: 'Only text can hold a secret.',
    file: 'src/cli/streams.ts',
    find: 'chunk instanceof Uint8Array ? scrubBytes(chunk) : scrub(String(chunk))',
    put: 'chunk instanceof Uint8Array ? chunk : scrub(String(chunk))',
    caughtBy: ['test/cli/streams.test.ts'],
  },
]
