import {part} from './sql.ts'

/** Conditions in SQL, of a row `r` of resends or of creates. */
interface Conditions {
  readonly resend: string
  readonly create: string
}

/** No later resend of the same event took its place; one that was refused takes nothing back. */
export const isLatest = `NOT EXISTS (SELECT 1 FROM hisab.resends AS later
  WHERE later.account_id = r.account_id AND later.order_id = r.order_id AND later.event = r.event
    AND later.id > r.id AND later.state NOT IN ('refused', 'not_sent'))`

/** Nobody knows the outcome yet: what is in doubt, and what is on its way. */
export const isOpen: Conditions = {
  resend: `r.state IN ('intent', 'unknown') AND ${isLatest}`,
  create: `(r.state IN ('intent', 'unknown') OR r.state = 'accepted' AND r.confirmation = 'contradicted')`,
}

/** Its claim has no answer yet, and its sender is at work since before the claim. */
export const isOnItsWay: Conditions = {
  resend: `(r.state = 'intent' AND EXISTS (SELECT 1 FROM hisab.lease AS l WHERE l.account_id = r.account_id
    AND l.expires_at > clock_timestamp() AND r.intent_at_ms >= floor(extract(epoch FROM l.taken_at) * 1000)))`,
  create: `(r.state IN ('intent', 'unknown')
    AND coalesce(r.sending_until_ms, 0) > extract(epoch FROM clock_timestamp()) * 1000)`,
}

export const isInDoubt = {
  resend: part(`${isOpen.resend} AND NOT ${isOnItsWay.resend}`),
  create: part(`${isOpen.create} AND NOT ${isOnItsWay.create}`),
}
