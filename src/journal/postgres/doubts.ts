/** Conditions in SQL, of a row `r` of resends or of creates. */
interface Conditions {
  readonly resend: string
  readonly create: string
}

/** Its claim has no answer yet, and its sender is at work since before the claim. */
export const isOnItsWay: Conditions = {
  resend: `(r.state = 'intent' AND EXISTS (SELECT 1 FROM hisab.lease AS l WHERE l.account_id = r.account_id
    AND l.expires_at > clock_timestamp() AND r.intent_at_ms >= floor(extract(epoch FROM l.taken_at) * 1000)))`,
  create: `(r.state IN ('intent', 'unknown')
    AND coalesce(r.sending_until_ms, 0) > extract(epoch FROM clock_timestamp()) * 1000)`,
}
