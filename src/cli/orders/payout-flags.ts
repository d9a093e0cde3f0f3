import * as Flags from '@oclif/core/flags'

import type {PayoutRequest} from '../../api/client.ts'
import {Failure} from '../../core/failure.ts'
import {payoutChannels} from '../../core/order.ts'
import type {Profile} from '../../core/profile.ts'
import type {FlagsOf} from '../flags.ts'
import {amountFlag} from './amount-flag.ts'
import {requireReturnUrl} from './create.ts'

export const onePayoutFlags = {
  'order-no': Flags.string({
    aliases: ['out-order-no'],
    summary: 'Your payout number, at most 32 characters.',
    helpValue: 'NO',
    exclusive: ['from'],
  }),
  amount: amountFlag({summary: 'Amount in BDT, at most two decimals.', exclusive: ['from']}),
  'bank-type': Flags.option({options: payoutChannels})({
    summary: 'Wallet of the recipient.',
    exclusive: ['from'],
  }),
  'user-name': Flags.string({summary: 'Name of the recipient.', helpValue: 'NAME', exclusive: ['from']}),
  account: Flags.string({
    summary: 'Wallet number of the recipient: 01, a digit from 3 to 9, eight more digits.',
    helpValue: 'PHONE',
    exclusive: ['from'],
  }),
}

export const payoutsFromFlag = Flags.string({
  summary:
    'A CSV file of payouts with the columns out_order_no (or order_no), amount, bank_type, user_name, account.',
  helpValue: 'FILE',
})

export const ignoreColumnFlag = Flags.string({
  summary:
    'Column of the file that does not say which rows are to be paid. May be repeated; for good: payouts.ignored_columns.',
  multiple: true,
  helpValue: 'NAME',
  dependsOn: ['from'],
})

export const ignoreMarkFlag = Flags.string({
  summary:
    'Text in numbers or names of the file that does not strike their row out. May be repeated; for good: payouts.ignored_marks.',
  multiple: true,
  helpValue: 'TEXT',
  dependsOn: ['from'],
})

export const maxAmountFlag = amountFlag({
  summary: 'Refuse a payout above this amount. payouts.max_amount of the profile also applies.',
})

export const allowRepeatFlag = Flags.boolean({
  default: false,
  summary:
    'With --yes: also pay an account that got the same amount in the last 24 hours, or under a number that a spreadsheet may have changed. Of a file that allows all its rows; better is --intended.',
})

export const intendedFlag = Flags.string({
  summary: 'With --yes: a payout of the file that is intended though it repeats another. May be repeated.',
  multiple: true,
  helpValue: 'NO',
  dependsOn: ['from'],
})

type OnePayoutFlags = FlagsOf<typeof onePayoutFlags> & {readonly 'return-url'?: string | undefined}

/** Throws `usage` naming every missing flag. */
export function payoutFrom(flags: OnePayoutFlags, profile: Profile): PayoutRequest {
  const {'order-no': outOrderNo, amount, 'bank-type': bankType, 'user-name': userName, account} = flags
  if (
    outOrderNo === undefined ||
    amount === undefined ||
    bankType === undefined ||
    userName === undefined ||
    account === undefined
  ) {
    const missing = Object.keys(onePayoutFlags).filter(
      (name) => flags[name as keyof OnePayoutFlags] === undefined,
    )
    throw new Failure(
      'usage',
      `A payout also needs ${missing.map((name) => `--${name}`).join(', ')}.`,
      'Add what is missing. For many payouts give a file: --from payouts.csv.',
    )
  }
  const returnUrl = requireReturnUrl(flags['return-url'], profile)
  return {outOrderNo, amount, bankType, userName, account, returnUrl}
}
