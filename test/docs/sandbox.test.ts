import {expect, onTestFinished, test} from 'vitest'

import {sandboxPort} from '../../src/core/profile.ts'
import {attemptReasons} from '../../src/sandbox/attempt-reasons.ts'
import {faultKinds, faultNames, faultOperations} from '../../src/sandbox/faults/kinds.ts'
import {readRule, readScript} from '../../src/sandbox/faults/rule.ts'
import {demonstrationMerchant, ordinaryMerchant} from '../../src/sandbox/merchants.ts'
import {startSandbox} from '../../src/sandbox/start.ts'
import {askAt, depositFields, payoutFields, post, signed} from '../sandbox/acting-merchant.ts'
import {openReceiver} from '../sandbox/receiver-server.ts'
import {readFences, readPage, readSection} from './pages.ts'

const page = 'docs/sandbox.md'

/** The page's curl lines are run by transcripts.test.ts; the bodies a merchant's server gets are held here. */
test('the webhook bodies are those that are sent: the same names in the same order, the same words', async () => {
  const receiver = await openReceiver()
  onTestFinished(() => receiver.close())
  const {baseUrl, applyUrl, control, close} = await startSandbox({port: 0, dataDir: null})
  onTestFinished(close)
  const ask = askAt(baseUrl)
  const returnUrl = receiver.url
  for (const orderNo of ['T-1', 'T-2']) {
    await post(ask, '/pay/order/create', signed(depositFields({orderNo, returnUrl})))
  }
  await post(askAt(applyUrl), '/apply/create', signed(payoutFields({outOrderNo: 'P-1', returnUrl})))
  await control.payDeposit('T-1', 500_00n)
  await control.expireDeposit('T-2')
  await control.rejectPayout('P-1')

  const varying = {platformOrderNo: '…', signature: '…'}
  const sent = receiver.received.map(({body}) => JSON.stringify({...body, ...varying}))
  const shown = readFences(page)
    .filter(({language}) => language === 'json')
    .map(({lines}) => JSON.stringify(JSON.parse(lines.join('\n'))))
  expect(shown).toEqual(sent)
})

test('the merchants, their credentials and the port are those of the code', () => {
  const text = readPage(page)
  for (const {merchantId, credentials} of [demonstrationMerchant, ordinaryMerchant]) {
    expect(text).toContain(`| \`${merchantId}\` | \`${credentials.apiSecret}\`, \`${credentials.apiKey}\` |`)
  }
  expect(text).toContain(`http://127.0.0.1:${sandboxPort}`)
})

test('the reasons of an attempt are those of the code, in its words', () => {
  const rows = [...readPage(page).matchAll(/^\| (.*) \| (.*) \| `([a-z_]+)` \|$/gm)].map(
    ([, ...cells]) => cells,
  )
  expect(rows).toEqual(Object.entries(attemptReasons).map(([name, {text, next}]) => [text, next, name]))
})

test('the faults are those of the code, in its words, and the script can be read', () => {
  const section = readSection(page, '## Faults').join('\n')
  const rows = [...section.matchAll(/^\| `([a-z-]+)` \| (.*) \| (.*) \|$/gm)].map(([, ...cells]) => cells)
  expect(rows).toEqual(faultNames.map((name) => [name, faultKinds[name].plays, faultKinds[name].rehearses]))
  for (const operation of faultOperations) expect(readPage(page)).toContain(`\`${operation}\``)
  const script = readFences(page).find(({info}) => info.endsWith('.chaos'))
  const rules = readScript(script?.lines.join('\n') ?? '')
  expect(rules.map((rule) => readRule(rule, 0).fault)).toHaveLength(4)
})
