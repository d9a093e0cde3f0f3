import type {PreparedRequest} from '../../api/client.ts'
import type {OrderKind} from '../../core/order.ts'
import type {Journal} from '../../journal/journal.ts'
import type {NumberClaim} from '../../journal/rows.ts'

/**
 * Prepares a create with the bytes of its first send (P1): a changed return address is no other request, and what may
 * have arrived is repeated unchanged. After a refusal the present address is used. Throws `number_reused`.
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

/** The keys by which the journal finds a create. */
export function numberOf({
  kind,
  orderNo,
  fieldsSha256: bodyDigest,
  intentSha256: intentDigest,
  returnUrl,
}: PreparedRequest): Pick<NumberClaim, 'kind' | 'orderNo' | 'bodyDigest' | 'intentDigest' | 'returnUrl'> {
  return {kind, orderNo, bodyDigest, intentDigest, returnUrl}
}
