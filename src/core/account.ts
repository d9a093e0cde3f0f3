import {isUuid} from './order.ts'

/**
 * Whose books these are: one merchant in one environment of the service. Journal, lock, ceiling and memory belong to
 * it, whichever profile or variables led there.
 */
export interface Account {
  readonly merchantId: string
  /** `live`, `sandbox`, or a name from the profile. */
  readonly environment: string
}

/** One text for one account: hexadecimal digits of a UUID are the same in either case. */
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
