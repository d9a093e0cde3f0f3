import {readdirSync, readFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {Ajv, type ValidateFunction} from 'ajv'

const dir = fileURLToPath(new URL('schemas/', import.meta.url))
const known = new Set(readdirSync(dir).map((name) => name.replace(/\.json$/, '')))
const ajv = new Ajv({allErrors: true, strict: false, verbose: true})
const checks = new Map<string, ValidateFunction>()

const errorsShown = 8

/** Commands whose `--json` this process has compared. */
export const checkedCommands = new Set<string>()

/**
 * Whether what a command printed under `--json` is what its schema says, so that a schema which says something else is
 * found by whatever test runs the command. Throws. What is no JSON is left to those tests.
 */
export function checkResult(argv: readonly string[], stdout: string): void {
  const [first = '', second = ''] = argv
  const name = [`${first}-${second}`, first].find((one) => known.has(one))
  if (!argv.includes('--json') || argv.includes('--help') || name === undefined) return
  const document = parsed(stdout)
  if (document === undefined) return
  const isFailure = 'error' in document
  const check = checkOf(isFailure ? 'error' : name)
  if (!isFailure) checkedCommands.add(name.replace('-', ' '))
  if (check(document)) return
  const wrong = check.errors
    ?.slice(0, errorsShown)
    .map(
      ({instancePath, message, params, data}) =>
        `${instancePath || 'the document'} ${message} ${JSON.stringify(params)}: ${JSON.stringify(data)?.slice(0, 200)}`,
    )
  throw new Error(
    `hisab ${argv.join(' ')}\nprints what test/snapshot/schemas/${isFailure ? 'error' : name}.json does not say: npm run snapshot where its type changed, else the type of its run() is wrong.\n${wrong?.join('\n')}`,
  )
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function checkOf(name: string): ValidateFunction {
  const check = checks.get(name) ?? ajv.compile(JSON.parse(readFileSync(`${dir}${name}.json`, 'utf8')))
  checks.set(name, check)
  return check
}

/** The words of a command by the name of its class: `RunsSignOff` is `runs sign-off`. */
export function wordsOf({name}: {readonly name: string}): string[] {
  const [noun = '', ...verb] = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
  return verb.length === 0 ? [noun] : [noun, verb.join('-')]
}
