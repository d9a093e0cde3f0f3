import {chmodSync, existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {json} from '../fake-service/replies.ts'
import {type FakeService, startFakeService} from '../fake-service/service.ts'
import {homeAt} from './home-at.ts'
import {interruptWhile} from './interrupt-while.ts'
import {expectStatus, readDocument} from './outcome.ts'
import type {OwnHome} from './own-home.ts'
import {startScenario} from './scenario.ts'
import {hasTerminal, openTerminal} from './terminal.ts'

const create = [
  'deposit',
  'create',
  '--order-no',
  'D-1',
  '--player-phone',
  '01711112222',
  '--player-ref',
  'u-7',
]
const isOpened = (home: OwnHome) => existsSync(join(home.workDir, 'opened'))

/** A home whose `xdg-open` writes down what it was given instead of showing it. */
function homeWithBrowser(service: FakeService): OwnHome {
  const home = homeAt(service)
  const opener = home.write(
    'bin/xdg-open',
    '#!/bin/sh\nprintf "%s\\n" "$#" "$@" > opened.new && mv opened.new opened\n',
  )
  chmodSync(opener, 0o755)
  home.env.PATH = `${join(home.workDir, 'bin')}:${home.env.PATH}`
  return home
}

describe.skipIf(!hasTerminal || process.platform !== 'linux')('in a terminal of Linux', () => {
  it('--open starts the browser with the address as its one argument, and --qr draws it', async () => {
    await using service = await startFakeService()
    service.on('deposit.create', (act) => {
      const reply = act()
      if (reply.sends !== 'answer') return reply
      const {data} = JSON.parse(reply.text)
      return json({code: 0, data: {...data, payUrl: 'https://pay.example/p?a=1&b=$(touch%20x);c'}})
    })
    const home = homeWithBrowser(service)
    const screen = openTerminal(home, [...create, '--open', '--qr'])
    expect(await screen.ended).toBe(0)
    await expect.poll(() => isOpened(home)).toBe(true)
    expect(readFileSync(join(home.workDir, 'opened'), 'utf8')).toBe(
      '1\nhttps://pay.example/p?a=1&b=$(touch%20x);c\n',
    )
    expect(screen.text).toMatch(/█▀▀|▄▄▄▄▄/)
    home.remove()
  })

  it('an address that would hide its host is not opened', async () => {
    await using service = await startFakeService()
    service.on('deposit.create', (act) => {
      const reply = act()
      if (reply.sends !== 'answer') return reply
      const {data} = JSON.parse(reply.text)
      return json({code: 0, data: {...data, payUrl: 'https://pay.example@evil.example/p'}})
    })
    const home = homeWithBrowser(service)
    const screen = openTerminal(home, [...create, '--open'])
    expect(await screen.ended).toBe(0)
    expect(screen.text).toContain('Not opened: it carries a user name')
    expect(isOpened(home)).toBe(false)
    home.remove()
  })
})

describe.concurrent('without a terminal', () => {
  it('--open only says where the page is, and --json stays one document with --qr', async () => {
    await using scenario = await startScenario()
    const outcome = await scenario.machine.run([...create, '--open', '--qr', '--json'])
    expectStatus(outcome, 0)
    expect(readDocument(outcome)).toMatchObject({orderNo: 'D-1', confirmed: true})
    expect(outcome.stderr).toMatch(/Not opened: there is no terminal.*https:\/\/pay\.example\/session/)
    expect(outcome.stderr).toContain('▄▄▄▄▄')
  })

  it.each([
    ['completed', 0],
    ['failed', 7],
    ['processing', 8],
    ['PAID', 8],
  ])('--wait ends with the status of the deposit: %s is %i', async (word, status) => {
    await using scenario = await startScenario()
    const held = scenario.service.calls.hold((call) => call.name === 'deposit.query')
    const running = scenario.machine.start([...create, '--wait-for', '3s', '--json'])
    await held.seen
    held.letGo()
    scenario.service.on('deposit.query', (act) => {
      // One query is before the create; the one right after it shows a new order; the player acts after that.
      const isFirst = scenario.service.calls.count('deposit.query') <= 2
      const order = scenario.service.book.findOrder('deposit', 'D-1')
      if (!isFirst && order) order.status = word
      return act()
    })
    const outcome = await running.ended
    expectStatus(outcome, status)
    expect(readDocument(outcome)).toMatchObject({confirmed: true, order: {orderNo: 'D-1', rawStatus: word}})
  })

  it('Ctrl-C while it waits is 130, with the deposit as it was seen', async () => {
    await using scenario = await startScenario()
    const second = scenario.service.calls.hold(
      (call) => call.name === 'deposit.query' && scenario.service.calls.count('deposit.query') === 3,
    )
    const outcome = await interruptWhile(second, scenario.machine, [...create, '--wait', '--json'])
    expectStatus(outcome, 130)
    expect(readDocument(outcome)).toMatchObject({orderNo: 'D-1', order: {rawStatus: 'pending'}})
  })
})
