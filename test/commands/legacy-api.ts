import {type Answering, json, record, serve} from '../api/fixture.ts'
import {shellAt} from './run-command.ts'

export const id = (n: number) => `aaaaaaaa-bbbb-4ccc-8ddd-${String(n).padStart(12, '0')}`
export const orderId = (n: number) => `cccccccc-bbbb-4ccc-8ddd-${String(n).padStart(12, '0')}`
type Row = Omit<typeof record, 'response_code' | 'next_retry_at'> & {
  response_code: number | null
  next_retry_at: string | null
  payload?: unknown
}

/** The n-th record: failed for good, of an order of its own. */
export const row = (n: number, fields: Partial<Row> = {}): Row => ({
  ...record,
  id: id(n),
  order_id: orderId(n),
  merchant_order_id: `D-${n}`,
  ...fields,
})

/** A legacy API over these rows; `resend` answers the resends, `query` the questions for orders, `list` instead of its list. */
export async function legacyApi(
  rows: readonly Row[],
  resend: Answering = json({success: true}),
  env: Record<string, string> = {},
  query: Answering = json({message: 'no Route matched'}, 404),
  list: () => Answering | null = () => null,
) {
  const {origin, seen} = await serve((response, call, nth) => {
    const [path = '', filter] = call.path.split('?')
    if (/\/(?:query|apply\/create)$/.test(path)) return query(response, call, nth)
    const [, named, isResend] = /webhooks\/([^/]+)(\/resend)?$/.exec(path) ?? []
    if (isResend) return resend(response, call, nth)
    if (named) {
      const row = rows.find((candidate) => candidate.id === named)
      const answer = row ? json({success: true, data: row}) : json({success: false, message: 'none'}, 404)
      return answer(response, call, nth)
    }
    const otherwise = list()
    if (otherwise) return otherwise(response, call, nth)
    const asked = new URLSearchParams(filter)
    const data = rows.filter(
      (row) =>
        row.status === (asked.get('status') ?? row.status) &&
        row.order_id === (asked.get('order_id') ?? row.order_id),
    )
    const pagination = {page: 1, limit: 100, total: data.length, total_pages: 1}
    json({success: true, data: {data, pagination}})(response, call, nth)
  })
  return {
    shell: shellAt(origin, env),
    resent: () => seen.flatMap(({path}) => (path.endsWith('/resend') ? [path.split('/').at(-2) ?? ''] : [])),
  }
}
