import {CLIError} from '@oclif/core/errors'
import * as Flags from '@oclif/core/flags'

import type {Paisa} from '../../core/money.ts'
import {readPayoutAmount} from '../../core/payout-amount.ts'

/** BDT above zero, as digits with at most two decimals (service §2.2); the value is paisa. */
export const amountFlag = Flags.custom<Paisa>({
  helpValue: 'BDT',
  parse: async (text) => {
    const amount = readPayoutAmount(text)
    if (amount.ok) return amount.paisa
    throw new CLIError(amount.reason)
  },
})
