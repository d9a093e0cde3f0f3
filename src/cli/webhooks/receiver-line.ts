import {escapeInvisible} from '../../core/text.ts'
import {formatInstant} from '../../core/time.ts'
import type {Notice} from '../../receiver/notice.ts'
import type {Style} from '../../report/table.ts'

export function receiverLine(
  notice: Exclude<Notice, {readonly type: 'received'}>,
  timeZone: string,
  style: Style,
): string {
  const at = style('dim', formatInstant(notice.atMs, timeZone).slice(11, 19))
  switch (notice.type) {
    case 'refused': {
      const from = notice.from === null ? '' : ` from ${escapeInvisible(notice.from, 60)}`
      const why = notice.why === null ? '' : `\n          ${escapeInvisible(notice.why, 1_000)}`
      return `${at}  ${style('yellow', String(notice.httpStatus))}  refused${from}: ${escapeInvisible(notice.message, 300)}${why}`
    }
    case 'unstored': {
      const {failure, webhook} = notice
      const what = `NOT STORED: ${webhook.event} of ${webhook.orderNo ?? webhook.orderId}`
      return `${at}  ${style('red', '503')}  ${style('red', escapeInvisible(what, 200))}: ${failure.message} ${failure.hint} The answer asked the service to send it again.`
    }
    case 'unrecorded':
      return `${at}  ${style('red', 'warning')}  your server took ${escapeInvisible(notice.webhook.orderNo ?? notice.webhook.orderId, 100)}, and that could not be written down: ${notice.failure.message} It gets the event again if the service sends it again.`
    case 'defect':
      return `${at}  ${style('red', '500')}  a defect in hisab: ${escapeInvisible(notice.message, 300)}`
    case 'dropped':
      return `${at}  ${style('yellow', 'refused')}  a connection beyond the limit of those open at once`
  }
}
