import {Failure} from '../../core/failure.ts'
import type {Profile} from '../../core/profile.ts'
import type {CurlRequest} from '../../core/signing/curl.ts'
import type {SignableFields} from '../../core/signing/request.ts'

/** The address of a signed body: `--path`, else the operation that has its fields (service §4.1 to §4.4). */
export function requestTarget(
  fields: SignableFields,
  {baseUrl, applyUrl}: Pick<Profile, 'baseUrl' | 'applyUrl'>,
  path: string | undefined,
): Pick<CurlRequest, 'origin' | 'path'> {
  const isPayout = fields.outOrderNo !== undefined
  const origin = isPayout ? addressOr(applyUrl, 'HISAB_APPLY_URL') : addressOr(baseUrl, 'HISAB_BASE_URL')
  if (path !== undefined) return {origin, path}
  if (isPayout) return {origin, path: fields.amount === undefined ? '/apply/query' : '/apply/create'}
  if (fields.orderNo !== undefined) {
    return {origin, path: fields.returnUrl === undefined ? '/pay/order/query' : '/pay/order/create'}
  }
  throw new Failure(
    'usage',
    'These fields are no deposit and no payout, so the address is unknown.',
    'Give --path, for example --path /pay/order/query.',
  )
}

/** An address of the profile, or the variable that would hold it. */
export function addressOr(url: string, variable: string): CurlRequest['origin'] {
  return url === '' ? {variable} : url.replace(/\/+$/, '')
}
