import {steppedClock} from '../../../src/sandbox/clock.ts'
import {type Sandbox, type SandboxOptions, startSandbox} from '../../../src/sandbox/start.ts'
import {
  askAt,
  askPayoutsAt,
  depositFields,
  type Fields,
  payoutFields,
  post,
  signed,
} from '../acting-merchant.ts'

/** 20 November 2026, 12:00 in Dhaka. */
export const noon = Date.parse('2026-11-20T06:00:00Z')

/** A sandbox whose clock stands at noon and whose deposits expire after half an hour. */
export async function startAtNoon(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  return await startSandbox({
    port: 0,
    dataDir: null,
    clock: steppedClock(noon),
    depositLifetimeMs: 30 * 60_000,
    ...options,
  })
}

/** Answers the `payUrl` of a new deposit. */
export async function createDeposit({url}: Sandbox, orderNo: string, fields: Fields = {}): Promise<string> {
  const answer = await post(askAt(url), '/v1/pay/order/create', signed(depositFields({orderNo, ...fields})))
  return answer.body.data.payUrl
}

export async function createPayout({url}: Sandbox, outOrderNo: string, fields: Fields = {}): Promise<void> {
  await post(askPayoutsAt(url), '/v1/apply/create', signed(payoutFields({outOrderNo, ...fields})))
}

/** A day at the desks: orders of every state, SMS of every kind, deliveries that went well and that did not. */
export async function playDay(sandbox: Sandbox, returnUrl: string, deadUrl: string): Promise<void> {
  const {control} = sandbox
  const phone = (n: number) => `017123456${String(n).padStart(2, '0')}`
  for (let n = 1; n <= 24; n += 1) {
    const url = n % 9 === 0 ? deadUrl : returnUrl
    await createDeposit(sandbox, `D-${2000 + n}`, {
      playerPhone: phone(n),
      playerRef: `player-${n}`,
      returnUrl: url,
    })
  }
  const amounts = [500_00n, 1_200_00n, 300_50n, 2_000_00n, 750_00n, 10_000_00n]
  const channels = ['BKASH', 'NAGAD', 'ROCKET'] as const
  for (let n = 1; n <= 20; n += 1) {
    const choice = {amount: amounts[n % 6] ?? 1n, channel: channels[n % 3] ?? 'BKASH'}
    control.chooseAmount(`D-${2000 + n}`, choice.amount, choice.channel)
    if (n > 17) continue
    await control.receiveSms({...choice, sender: phone(n)})
    await control.advanceBy(47_000)
  }
  await control.expireDeposit('D-2024')
  await control.receiveSms({channel: 'BKASH', sender: '01911222333', amount: 2_000_00n, trxId: 'DGB2AC4RC2'})
  await control.receiveSms({channel: 'NAGAD', sender: phone(19), amount: 1_000_00n, trxId: '75KOJBDW'})
  await control.receiveSms({
    from: '16216',
    text: 'Tk10,000.00 received from A/C:***620 Fee:Tk0, Your A/C Balance: Tk35,000.00 TxnId:6606781284 Date:20-NOV-26 12:14:43 pm.',
  })
  await control.receiveSms({
    from: '01812000000',
    text: 'You have received Tk 9,000.00 from 01712345620. TrxID 9ZZZZZZZZZ',
  })
  for (let n = 1; n <= 5; n += 1) {
    await createPayout(sandbox, `P-${300 + n}`, {
      amount: `${n * 400}.00`,
      userName: ['Rahim Uddin', 'Karima Begum', 'আব্দুল করিম', 'Shirin Akter', 'Jamal Hossain'][n - 1] ?? '',
      bankType: channels[n % 3],
      returnUrl,
    })
  }
  await control.completePayout('P-301')
}
