import {createServer} from 'node:https'
import type {AddressInfo} from 'node:net'

import {expect, it, onTestFinished, vi} from 'vitest'

import {openSender} from '../../src/sandbox/delivery-sender.ts'
import {hasOpenssl, makeCertificates} from '../hostile/certificates.ts'
import {tempDir} from '../temp-dir.ts'

it.runIf(hasOpenssl)('checks certificates under NODE_TLS_REJECT_UNAUTHORIZED=0 as well (P21)', async () => {
  const {identities} = makeCertificates(tempDir())
  let requests = 0
  const server = createServer({...identities['self-signed']}, (_request, response) => {
    requests += 1
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const sender = openSender({timeoutMs: () => 5_000, deliverTo: []})
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await sender.close()
    server.close()
  })
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const result = await sender.send(url, {}, '{}', new AbortController().signal)
  expect([requests, result.responseCode, result.reason]).toEqual([0, null, 'tls_failed'])
})
