import {defaultLimits} from '../../api/limits.ts'
import {ServiceProbe} from '../../api/probe.ts'
import type {Check} from '../../core/doctor/check.ts'
import type {Profile} from '../../core/profile.ts'
import {ordersCheck} from './orders.ts'
import {type Address, reachAll} from './reach.ts'
import {webhooksCheck} from './webhooks.ts'

/** Short, because a person waits. */
const limits = {...defaultLimits, headersTimeoutMs: 5_000, totalTimeoutMs: 8_000}

interface AnswerPorts {
  readonly now: () => number
  readonly madeUpNo: string
}

export async function checkAddress(name: Address, profile: Profile, {now}: AnswerPorts): Promise<Check[]> {
  const {checks} = await reachAll(profile, limits, now)
  return checks.filter((check) => check.name === name)
}

/** Whether the service accepts signatures with this secret and, if a key is given, whether its webhook log does. */
export async function checkSecrets(
  profile: Profile,
  {apiSecret, apiKey}: {readonly apiSecret: string; readonly apiKey: string | null},
  {now, madeUpNo}: AnswerPorts,
): Promise<Check[]> {
  const probe = new ServiceProbe(profile, {apiSecret, apiKey: apiKey ?? ''}, now, limits)
  try {
    if (apiKey !== null) return [(await webhooksCheck(probe)).check]
    return await Promise.all(
      (['deposit', 'payout'] as const).map((kind) => ordersCheck(kind, probe, profile, madeUpNo)),
    )
  } finally {
    await probe.close()
  }
}
