import {createServer} from 'node:https'
import type {AddressInfo} from 'node:net'

import {onTestFinished, vi} from 'vitest'

import {tempDir} from '../temp-dir.ts'
import {makeCertificates} from './certificates.ts'

/** A server whose certificate nobody should accept, in an environment that says to accept any. */
export async function selfSignedServer() {
  const {identities} = makeCertificates(tempDir())
  let requests = 0
  const server = createServer({...identities['self-signed']}, (_request, response) => {
    requests += 1
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  onTestFinished(() => {
    vi.unstubAllEnvs()
    server.close()
  })
  const {port} = server.address() as AddressInfo
  return {url: `https://127.0.0.1:${port}/`, requests: () => requests}
}
