import type {Hook} from '@oclif/core/hooks'

import {Failure} from '../core/failure.ts'
import {nearest} from '../core/nearest.ts'
import {jsonText} from '../core/text.ts'
import {viewFailure} from './failures.ts'
import {writeStdout} from './streams.ts'

/** Suggests a command and never runs it: this tool moves money. */
const hook: Hook.CommandNotFound = async ({config, id, argv}) => {
  const typed = id.replaceAll(':', ' ')
  const known = config.commands
    .filter((command) => !command.hidden)
    .map((command) => command.id.replaceAll(':', ' '))
  const near = nearest(typed, known)
  const failure = new Failure(
    'usage',
    `There is no command \`hisab ${typed}\`.`,
    near ? `Did you mean \`hisab ${near}\`?` : 'Run `hisab --help` for the list.',
  )
  process.exitCode = failure.exitStatus
  if (argv?.includes('--json')) await writeStdout(`${jsonText(viewFailure(failure), 2)}\n`)
  else process.stderr.write(`error: ${failure.message}\n  try: ${failure.hint}\n`)
}

export default hook
