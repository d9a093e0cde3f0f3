import {expect, it, onTestFinished} from 'vitest'

import {openSender} from '../../src/sandbox/delivery-sender.ts'
import {hasOpenssl} from '../hostile/certificates.ts'
import {selfSignedServer} from '../hostile/self-signed.ts'

it.runIf(hasOpenssl)('checks certificates under NODE_TLS_REJECT_UNAUTHORIZED=0 as well (P21)', async () => {
  const {url, requests} = await selfSignedServer()
  const sender = openSender({timeoutMs: () => 5_000, deliverTo: []})
  onTestFinished(() => sender.close())
  const result = await sender.send(url, {}, '{}', new AbortController().signal)
  expect([requests(), result.responseCode, result.reason]).toEqual([0, null, 'tls_failed'])
})
