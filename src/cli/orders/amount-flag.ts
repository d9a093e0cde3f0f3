import {CLIError} from '@oclif/core/errors'
import * as Flags from '@oclif/core/flags'

import type {Paisa} from '../../core/money.ts'
import {readPayoutAmount} from '../../core/payout-amount.ts'

/** BDT as digits with at most two decimals (document §2.2), more than zero; the value is paisa. */
export const amountFlag = Flags.custom<Paisa>({
  helpValue: 'BDT',
  parse: async (text) => {
    const amount = readPayoutAmount(text)
    if (amount.ok) return amount.paisa
    throw new CLIError(amount.reason)
  },
})
