import {isUuid} from './order.ts'

/**
 * The owner of journal, lock, ceiling and history: one merchant in one environment, whatever profile or variables
 * name it.
 */
export interface Account {
  readonly merchantId: string
  /** `live`, `sandbox`, or a name from the profile. */
  readonly environment: string
}

/** One text for one account: the case of a UUID's digits does not matter. */
export function accountKey({merchantId, environment}: Account): string {
  return `${isUuid(merchantId) ? merchantId.toLowerCase() : merchantId}@${environment}`
}

export function accountOf(key: string): Account {
  const at = key.lastIndexOf('@')
  return {merchantId: key.slice(0, at), environment: key.slice(at + 1)}
}

export function isSameMerchant(one: string, other: string): boolean {
  return accountKey({merchantId: one, environment: ''}) === accountKey({merchantId: other, environment: ''})
}
