import type {PreparedRequest} from '../../api/client.ts'
import type {OrderKind} from '../../core/order.ts'
import type {Journal} from '../../journal/journal.ts'
import type {NumberClaim} from '../../journal/rows.ts'

/**
 * A create in the bytes of its first send (P1): a return address that has changed since is no other request, and what
 * may have arrived is repeated as it was. What was refused goes to the address of now. Throws `number_reused`.
 */
export async function prepareAsFirstSent<
  Kind extends OrderKind,
  Request extends {readonly returnUrl: string},
>(
  request: Request,
  prepare: (request: Request) => PreparedRequest<Kind>,
  journal: Pick<Journal, 'checkNumber'>,
): Promise<PreparedRequest<Kind>> {
  const prepared = prepare(request)
  const earlier = await journal.checkNumber(numberOf(prepared))
  if (earlier === null || earlier.state === 'refused' || earlier.returnUrl === null) return prepared
  return earlier.returnUrl === request.returnUrl
    ? prepared
    : prepare({...request, returnUrl: earlier.returnUrl})
}

/** What the journal knows a create by. */
export function numberOf({
  kind,
  orderNo,
  fieldsSha256: bodyDigest,
  intentSha256: intentDigest,
  returnUrl,
}: PreparedRequest): Pick<NumberClaim, 'kind' | 'orderNo' | 'bodyDigest' | 'intentDigest' | 'returnUrl'> {
  return {kind, orderNo, bodyDigest, intentDigest, returnUrl}
}
