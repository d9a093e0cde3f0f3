import {visible} from '../../core/text.ts'
import {formatInstant} from '../../core/time.ts'
import type {Notice} from '../../receiver/notice.ts'
import type {Paint} from '../../report/table.ts'

/** One line of what was not received, for stderr. */
export function receiverLine(
  notice: Exclude<Notice, {readonly type: 'received'}>,
  timeZone: string,
  paint: Paint,
): string {
  const at = paint('dim', formatInstant(notice.atMs, timeZone).slice(11, 19))
  switch (notice.type) {
    case 'refused': {
      const from = notice.from === null ? '' : ` from ${visible(notice.from, 60)}`
      const why = notice.why === null ? '' : `\n          ${visible(notice.why, 1_000)}`
      return `${at}  ${paint('yellow', String(notice.httpStatus))}  refused${from}: ${visible(notice.message, 300)}${why}`
    }
    case 'unstored': {
      const {failure, webhook} = notice
      const what = `NOT STORED: ${webhook.event} of ${webhook.orderNo ?? webhook.orderId}`
      return `${at}  ${paint('red', '503')}  ${paint('red', visible(what, 200))}: ${failure.message} ${failure.hint} The service was told to send it again.`
    }
    case 'unrecorded':
      return `${at}  ${paint('red', 'warning')}  your server took ${visible(notice.webhook.orderNo ?? notice.webhook.orderId, 100)}, and that could not be written down: ${notice.failure.message} It gets the event again if the service sends it again.`
    case 'defect':
      return `${at}  ${paint('red', '500')}  a defect in hisab: ${visible(notice.message, 300)}`
    case 'dropped':
      return `${at}  ${paint('yellow', 'refused')}  a connection beyond the limit of those open at once`
  }
}
