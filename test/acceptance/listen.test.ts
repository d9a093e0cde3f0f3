import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {text} from 'node:stream/consumers'
import {describe, expect, it, type TestContext} from 'vitest'

import {
  apiSecret,
  type Listener,
  paidBody,
  post,
  sandboxHome,
  startListener,
  storedEvents,
} from './listener.ts'

/** A merchant's server that answers with these statuses, one after the other, and then with the last. */
async function openMerchant(
  {onTestFinished}: Pick<TestContext, 'onTestFinished'>,
  ...statuses: number[]
): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    const [status = 200] = statuses
    if (statuses.length > 1) statuses.shift()
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

async function warnsAndStops({says, stop}: Listener): Promise<void> {
  await says('other machines can reach it')
  await stop('SIGINT')
}

describe.concurrent('what is shown, and where', () => {
  it('a line an event on stdout, everything else on stderr, no phone and no signature in either', async ({
    onTestFinished,
  }) => {
    const home = sandboxHome({onTestFinished})
    const listener = await startListener(home)
    expect(await post(listener.url, paidBody('D-1'))).toBe(200)
    expect(await post(listener.url, paidBody('D-1'))).toBe(200)
    expect(await post(listener.url, paidBody('D-2').replace('500', '900'))).toBe(401)
    await listener.says('none_found')
    const {status, stdout, stderr} = await listener.stop('SIGINT')
    expect(stdout.replaceAll(/\d\d:\d\d:\d\d/g, 'TIME')).toBe(
      'TIME  200  order.completed  D-1  BDT 500.00  completed\n' +
        'TIME  200  order.completed  D-1  BDT 500.00  completed  duplicate\n',
    )
    expect(stderr).toContain('Received: 1 new, 1 duplicate, 1 refused.')
    expect(status).toBe(0)
    for (const text of [apiSecret, '01712345678', /[0-9a-f]{32}/]) expect(stdout + stderr).not.toMatch(text)
  })

  it('ndjson: a document a line', async ({onTestFinished}) => {
    const home = sandboxHome({onTestFinished})
    const listener = await startListener(home, ['--format', 'ndjson', '--count', '2'])
    for (const orderNo of ['D-1', 'D-2']) await post(listener.url, paidBody(orderNo))
    const {status, stdout} = await listener.ended
    expect(status).toBe(0)
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toMatchObject([
      {
        outcome: 'new',
        httpStatus: 200,
        orderNo: 'D-1',
        amount: '500.00',
        playerRef: '017****5678',
        forward: null,
      },
      {orderNo: 'D-2', platformOrderNo: 'PF-D-2'},
    ])
  })

  it('--json: one document, at the end', async ({onTestFinished}) => {
    const home = sandboxHome({onTestFinished})
    const listener = await startListener(home, ['--json', '--until-order', 'D-2'])
    for (const orderNo of ['D-1', 'D-2']) await post(listener.url, paidBody(orderNo))
    const {status, stdout} = await listener.ended
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      url: listener.url,
      endedBy: 'order',
      counts: {new: 2, duplicate: 0, conflict: 0, refused: 0, unstored: 0},
      forwarded: null,
      events: [{orderNo: 'D-1'}, {orderNo: 'D-2'}],
      eventsOmitted: 0,
    })
  })

  it('text from outside cannot drive the terminal', async ({onTestFinished}) => {
    const home = sandboxHome({onTestFinished})
    const listener = await startListener(home, ['--count', '1'])
    await post(listener.url, paidBody('D-\u001b[2J\u202e', {status: 'a\nb'}))
    const {stdout} = await listener.ended
    expect(stdout).toContain('D-\\u{1b}[2J\\u{202e}')
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  })
})

describe.concurrent('what was received, afterwards', () => {
  it('`events show` has the content, personal data masked, contradictions side by side; no such order is 7', async ({
    onTestFinished,
  }) => {
    const home = sandboxHome({onTestFinished})
    const listener = await startListener(home, ['--count', '1'])
    await post(
      listener.url,
      paidBody('P-1', {userName: 'Rahim Uddin', playerRef: undefined, account: '01812345678'}),
    )
    await listener.ended
    const shown = await home.runHere(['events', 'show', 'P-1', '--json'])
    expect(shown.status).toBe(0)
    expect(JSON.parse(shown.stdout)).toMatchObject({
      events: [{orderNo: 'P-1', conflict: false, content: {userName: 'R****', account: '018****5678'}}],
    })
    expect(shown.stdout).not.toContain('signature')
    expect((await home.runHere(['events', 'show', 'P-1'])).stdout).toContain('  "account": "018****5678"')
    expect((await home.runHere(['events', 'show', 'P-2'])).status).toBe(7)
  })

  it('nothing received is an empty list', async ({onTestFinished}) => {
    const home = sandboxHome({onTestFinished})
    expect(await home.runHere(['events', 'list'])).toMatchObject({status: 0, stdout: 'none\n'})
    expect(await home.runHere(['events', 'list', '--format', 'ndjson'])).toMatchObject({
      status: 0,
      stdout: '',
    })
  })
})

describe.concurrent('how it ends', () => {
  const ends: readonly (readonly [
    what: string,
    args: readonly string[],
    play: (listener: Listener) => Promise<unknown>,
    status: number,
  ])[] = [
    ['Ctrl-C is its end: 0', [], ({stop}) => stop('SIGINT'), 0],
    ['reachable by others, it says so', ['--host', '0.0.0.0'], warnsAndStops, 0],
    ['SIGTERM, too', [], ({stop}) => stop('SIGTERM'), 0],
    ['Ctrl-C before what was waited for: 130', ['--count', '1'], ({stop}) => stop('SIGINT'), 130],
    ['SIGTERM before it: 143', ['--until-order', 'D-1'], ({stop}) => stop('SIGTERM'), 143],
    ['the time is over, nothing was waited for: 0', ['--timeout', '0s'], async () => undefined, 0],
    [
      'the time is over before what was waited for: 8',
      ['--count', '1', '--timeout', '0s'],
      async () => undefined,
      8,
    ],
    [
      'the order waited for has failed: 7',
      ['--until-order', 'D-1'],
      ({url}) => post(url, paidBody('D-1', {status: 'failed'})),
      7,
    ],
    [
      'two contents of one event: 7',
      ['--until-order', 'D-2'],
      async ({url}) => {
        await post(url, paidBody('D-1'))
        expect(await post(url, paidBody('D-1', {amount: '900.00'}))).toBe(409)
        await post(url, paidBody('D-2'))
      },
      7,
    ],
  ]

  it.for(ends)('%s', async ([_what, args, play, status], {onTestFinished}) => {
    const listener = await startListener(sandboxHome({onTestFinished}), args)
    await play(listener)
    expect((await listener.ended).status).toBe(status)
  })

  it('your server did not take it: 8, and `events list --pending` names it; once it does: 0', async ({
    onTestFinished,
  }) => {
    const home = sandboxHome({onTestFinished})
    const forward = ['--forward-to', await openMerchant({onTestFinished}, 503, 200)]
    const failing = await startListener(home, [...forward, '--format', 'ndjson'])
    expect(await post(failing.url, paidBody('D-1'))).toBe(503)
    const ended = await failing.stop('SIGINT')
    expect(ended.status).toBe(8)
    expect(ended.stderr).toContain('1 NOT acknowledged')
    expect(JSON.parse(ended.stdout)).toMatchObject({forward: {httpStatus: 503, acknowledged: false}})
    const pending = await home.runHere(['events', 'list', '--pending', '--format', 'csv'])
    expect(pending.stdout).toMatch(
      /order\.completed,completed,500\.00,,pending,1,503,,PF-D-1,017\*\*\*\*5678,D-1/,
    )

    const delivered = await startListener(home, [...forward, '--count', '1'])
    expect(await delivered.says('pending')).toContain('1 stored earlier and never acknowledged')
    expect(await post(delivered.url, paidBody('D-1'))).toBe(200)
    expect((await delivered.ended).status).toBe(0)
    expect((await home.runHere(['events', 'list', '--pending', '--format', 'ndjson'])).stdout).toBe('')
  })
})

describe.concurrent('a kill while an event is handed on', () => {
  it('`events list --pending` names it, and `events forward` hands it on, signed as the service signs', async ({
    onTestFinished,
  }) => {
    const home = sandboxHome({onTestFinished})
    const bodies: string[] = []
    const asked = Promise.withResolvers<void>()
    const server = createServer(async (request, response) => {
      bodies.push(await text(request))
      // The first time it has the event and never answers.
      if (bodies.length === 1) asked.resolve()
      else response.writeHead(bodies.length === 2 ? 503 : 200).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
    const listener = await startListener(home, ['--forward-to', hook])
    const answer = post(listener.url, paidBody('D-1'))
    await asked.promise
    await listener.stop('SIGKILL')
    expect(await answer).toBe(null)

    const pending = await home.runHere(['events', 'list', '--pending', '--json'])
    expect(JSON.parse(pending.stdout)).toMatchObject({events: [{orderNo: 'D-1', forward: 'unknown'}]})
    const forward = ['events', 'forward', '--to', hook, '--json', '--include-delivered']
    // No service answers here, and its records may say that the server has the event.
    expect((await home.runHere(['events', 'forward', '--to', hook])).status).toBe(7)
    const refused = await home.runHere(forward)
    expect(refused.status).toBe(8)
    expect(JSON.parse(refused.stdout)).toMatchObject({handedOn: 1, acknowledged: 0, pending: 1})
    const taken = await home.runHere(forward)
    expect(taken.status).toBe(0)
    expect(JSON.parse(taken.stdout)).toMatchObject({acknowledged: 1, pending: 0, events: [{httpStatus: 200}]})
    expect(await home.runHere(['events', 'forward', '--to', hook])).toMatchObject({status: 0, stdout: ''})
    expect(bodies.map((body) => JSON.parse(body))).toEqual([1, 2, 3].map(() => JSON.parse(paidBody('D-1'))))
  })
})

describe.concurrent('refused before it listens: 2', () => {
  const refused: readonly [what: string, args: readonly string[]][] = [
    ['an address that is not this machine, without TLS', ['--forward-to', 'http://merchant.example/hook']],
    ['the listener itself', ['--port', '4555', '--forward-to', 'http://127.0.0.1:4555/webhook']],
    ['a path that is none', ['--path', 'webhook']],
    ['a host that is not this machine’s', ['--host', '192.0.2.1']],
  ]
  it.for(refused)('%s', async ([, args], {onTestFinished}) => {
    const {status, stdout, stderr} = await sandboxHome({onTestFinished}).run(['webhooks', 'listen', ...args])
    expect({status, stdout}).toEqual({status: 2, stdout: ''})
    expect(stderr).toMatch(/^error: /m)
  })
})

describe.concurrent('a disk with no room left (P16)', () => {
  it('503 and a loud line, never 200; what was answered 200 is there', async ({onTestFinished}) => {
    const home = sandboxHome({onTestFinished})
    const listener = await startListener(home, [], {fileKibMax: 150})
    const promised: string[] = []
    let status: number | null = 200
    for (let n = 0; status === 200 && n < 500; n += 1) {
      status = await post(listener.url, paidBody(`D-${n}`))
      if (status === 200) promised.push(`D-${n}`)
    }
    expect(status).toBe(503)
    expect(promised.length).toBeGreaterThan(0)
    await listener.says('NOT STORED')
    expect((await listener.stop('SIGINT')).status).toBe(8)
    const stored = await storedEvents(home)
    expect(stored.map(({orderNo}) => orderNo).reverse()).toEqual(promised)
  })
})
