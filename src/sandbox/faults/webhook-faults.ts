import {notSent, type Sender, type SendResult} from '../delivery-sender.ts'
import {forgeWebhook} from '../webhook.ts'
import type {FaultService} from './fault-service.ts'

/** Plays faults on attempts: forged first, then the outage, then doubled. */
export function withWebhookFaults(sender: Sender, faults: FaultService): Sender {
  return {
    async send(url, headers, body, cancelled) {
      if (!faults.isActive()) return await sender.send(url, headers, body, cancelled)
      const {orderNo = ''} = JSON.parse(body) as {orderNo?: string}
      const drawn = new Set(faults.ofAttempt(orderNo).map(({fault}) => fault))
      if (drawn.has('receiver-outage')) {
        return {...notSent(body, 'receiver_outage'), responseCode: 503, responseBody: ''}
      }
      const besides: SendResult['besides'][number][] = []
      if (drawn.has('webhook-forged')) {
        const forged = await sender.send(url, headers, forgeWebhook(body), cancelled)
        faults.forgeryAnswered(orderNo, forged.responseCode)
        besides.push({...forged, role: 'forged'})
      }
      const result = await sender.send(url, headers, body, cancelled)
      if (drawn.has('webhook-doubled')) {
        besides.push({...(await sender.send(url, headers, body, cancelled)), role: 'doubled'})
      }
      return {...result, besides}
    },
    close: () => sender.close(),
  }
}
