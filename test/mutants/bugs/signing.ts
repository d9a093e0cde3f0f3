import type {Mutant} from '../mutant.ts'

const request = 'src/core/signing/request.ts'

export const signingMutants: readonly Mutant[] = [
  {
    name: 'fields-sorted-by-locale',
    breaks: 'signature',
    thought: 'localeCompare sorts names as people do.',
    file: request,
    find: "included.sort(rule.sort === 'code_unit' ? undefined : ignoringCase)",
    put: "included.sort(rule.sort === 'code_unit' ? (a, b) => a.localeCompare(b) : ignoringCase)",
    caughtBy: ['test/core/signing/request.test.ts'],
  },
  {
    name: 'numbers-rewritten-when-signed',
    breaks: 'signature',
    thought: 'A number is a number: 10.00 is 10.',
    file: request,
    find: 'if (value instanceof JsonNumber) return value.source',
    put: 'if (value instanceof JsonNumber) return String(Number(value.source))',
    caughtBy: ['test/core/signing/request.test.ts'],
  },
  {
    name: 'query-signed-with-the-path',
    breaks: 'signature',
    thought: 'The path is what stands in the request line.',
    file: 'src/api/request.ts',
    find: "const [path = ''] = pathWithQuery.split('?', 1)",
    put: 'const path = pathWithQuery',
    caughtBy: ['test/api/client.test.ts'],
  },
  {
    name: 'signature-compared-ignoring-case',
    breaks: 'P22',
    thought: 'Hexadecimal is the same in capitals.',
    file: 'src/core/signing/compare.ts',
    find: 'const a = Buffer.from(given)',
    put: 'const a = Buffer.from(given.toLowerCase())',
    caughtBy: ['test/core/signing/input.test.ts'],
  },
  {
    name: 'canonical-shows-the-secret',
    breaks: 'P20',
    thought: 'Whoever signs has the secret anyway, and sees at once what was hashed.',
    file: 'src/core/signing/signed-request.ts',
    find: 'canonical: maskSecret(showCanonical(text), secret),',
    put: 'canonical: `${text}&key=${secret}`,',
    caughtBy: ['test/commands/sign.test.ts'],
  },
]
