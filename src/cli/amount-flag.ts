import {CLIError} from '@oclif/core/errors'
import * as Flags from '@oclif/core/flags'

import {type Paisa, parsePaisa} from '../core/money.ts'
import {visible} from '../core/text.ts'

/** What is wrong with an amount, the likelier first; nothing is repaired where money is paid out. */
const faults: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/[০-৯]/, 'is written in Bengali digits; write 0 to 9'],
  [/[,'\u00a0\u202f ]/, 'has separators between its digits; leave them out'],
  [/^-/, 'is negative'],
  [/^\+/, 'has a plus sign; leave it out'],
  [/^\d+\.\d{3,}$/, 'has more than two decimals'],
  [/e/i, 'is written with an exponent; write it out'],
  [/^0\d/, 'begins with a zero; leave it out'],
]

/** BDT as digits with at most two decimals (document §2.2), more than zero; the value is paisa. */
export const amountFlag = Flags.custom<Paisa>({
  helpValue: 'BDT',
  parse: async (text) => {
    const paisa = parsePaisa(text)
    if (paisa !== null && paisa > 0n) return paisa
    const fault =
      paisa === 0n
        ? 'is not more than zero'
        : (faults.find(([pattern]) => pattern.test(text))?.[1] ?? 'is not an amount')
    throw new CLIError(`The amount "${visible(text, 40)}" ${fault}. For example 500 or 1250.50.`)
  },
})
