import {expect, test} from 'vitest'
import {receiverPath, receiverPort} from '../../src/core/profile.ts'
import {forwardTimeoutMs} from '../../src/receiver/forwarder.ts'
import {defaultReceiverLimits} from '../../src/receiver/receiver.ts'
import {type RefusalReason, refuse} from '../../src/receiver/verify-webhook.ts'
import {readPage, readSection} from './pages.ts'

const page = 'docs/receiving.md'

test('the limits are those of the code', () => {
  const rows = readSection(page, '## Limits').flatMap((line) => /^\| .* \| (\d.*) \|$/.exec(line)?.[1] ?? [])
  const {bodyBytesMax, headerBytesMax, headersTimeoutMs, requestTimeoutMs, drainTimeoutMs} =
    defaultReceiverLimits
  const {connectionsMax, connectionsPerAddressMax, requestsPerConnectionMax} = defaultReceiverLimits
  expect(rows).toEqual([
    `${bodyBytesMax / 1024} KiB`,
    `${headerBytesMax / 1024} KiB`,
    `${headersTimeoutMs / 1000} s`,
    `${requestTimeoutMs / 1000} s`,
    `${connectionsMax}, ${connectionsPerAddressMax} of them from one address`,
    String(requestsPerConnectionMax),
    `${drainTimeoutMs / 1000} s`,
  ])
  expect(readPage(page)).toContain(`has not finished after ${forwardTimeoutMs / 1000} s`)
  expect(readPage(page)).toContain(`http://127.0.0.1:${receiverPort}${receiverPath}`)
})

test('every status a refusal has is in the table of answers', () => {
  const reasons: Readonly<Record<RefusalReason, true>> = {
    malformed: true,
    unsigned: true,
    mismatch: true,
    stale: true,
    ambiguous: true,
    other_merchant: true,
    no_order: true,
    wrong_address: true,
    wrong_method: true,
    wrong_host: true,
    web_page: true,
    too_large: true,
  }
  const listed = readSection(page, '## Answers to the service').flatMap(
    (line) => /^\| ([\d, ]+) \|/.exec(line)?.[1]?.split(', ').map(Number) ?? [],
  )
  const given = (Object.keys(reasons) as RefusalReason[]).map((reason) => refuse(reason, '').httpStatus)
  expect(listed).toEqual(expect.arrayContaining(given))
})
