import {expect, test} from 'vitest'

import {ServiceClient} from '../../src/api/client.ts'
import {reasonNotSent} from '../../src/api/transport.ts'
import {credentials, deposit, good, json, profileAt, serve} from './fixture.ts'

test('a client that is closed lets its connections go', async () => {
  const {origin, open} = await serve(json(good.depositCreate))
  const client = new ServiceClient({profile: profileAt(origin), credentials})
  await client.createDeposit(client.prepareDeposit(deposit))
  expect(open()).toBe(1)
  await client.close()
  await expect.poll(open).toBe(0)
})

test.each([
  ['ECONNREFUSED', 'the connection was refused'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no connection in time'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the TLS handshake failed (ERR_SSL_WRONG_VERSION_NUMBER)'],
  ['NO_CERT_THERE', 'no connection came up (NO_CERT_THERE)'],
  ['_lower_CASE', 'no connection came up'],
  ['CASE_lower', 'no connection came up'],
  ['CERT_HAS_EXPIRED', 'the TLS handshake failed (CERT_HAS_EXPIRED)'],
  ['EWHATEVER', 'no connection came up (EWHATEVER)'],
  ['not a code; $(id)', 'no connection came up'],
  [undefined, 'no connection came up'],
])('of an error %s of the library its code alone is told, never its message (P20)', (code, reason) => {
  const error = Object.assign(new Error('{"signature":"0b5e55ed"} could not be written'), {code})
  expect(reasonNotSent(error)).toBe(reason)
})
