import {post} from '../../acceptance/listener.ts'
import type {Machine} from '../../acceptance/machine.ts'
import type {Outcome, Running, RunOptions} from '../../acceptance/own-home.ts'
import {type Scenario, startScenario} from '../../acceptance/scenario.ts'
import {signed} from '../../sandbox/acting-merchant.ts'
import {differences} from '../differences.ts'
import {Gate} from '../gate.ts'
import {type Left, lookAtLeft} from '../left.ts'
import {Merchant} from '../merchant.ts'
import type {Moment} from '../points.ts'
import {
  type HeldCall,
  type Judgement,
  type KillScenario,
  type MadeCall,
  type Scene,
  scenario,
} from '../scene.ts'

/** `webhooks listen` while the service sends, killed, started again, and everything sent once more. */
export const listenScenarios: readonly KillScenario[] = [
  scenario('listen', () => beginListening(false)),
  scenario('listen and hand on', () => beginListening(true)),
]

interface Webhook {
  readonly orderNo: string
  readonly amount: string
  readonly isForged?: true
}

const amount = '500.00'
const oneByOne: readonly Webhook[] = [
  ...['D-1', 'D-2', 'D-3', 'D-2', 'D-6'].map((orderNo) => ({orderNo, amount})),
  {orderNo: 'D-3', amount: '900.00'},
  {orderNo: 'D-4', amount, isForged: true},
  {orderNo: 'D-6', amount},
]
const atOnce: readonly Webhook[] = ['D-7', 'D-8', 'D-9', 'D-10'].map((orderNo) => ({orderNo, amount}))

interface WholeListening {
  readonly status: number | null
  readonly events: readonly string[]
  readonly answers: Readonly<Record<string, number | null>>
}

async function beginListening(handsOn: boolean): Promise<ListenScene> {
  const gate = new Gate()
  const merchant = handsOn ? new Merchant(gate) : null
  const flags = merchant ? ['--forward-to', await merchant.open()] : []
  return new ListenScene(await startScenario(), gate, merchant, flags)
}

class ListenScene implements Scene<WholeListening> {
  readonly machine: Machine
  readonly #scenario: Scenario
  readonly #gate: Gate
  readonly #merchant: Merchant | null
  readonly #command: readonly string[]
  /** The last answer to each webhook; null where none came. */
  #answers: Record<string, number | null> = {}
  #sending: Promise<void> = Promise.resolve()
  /** How often the merchant had got each webhook that was answered 200, at each kill. */
  readonly #gotAtKills: Readonly<Record<string, number>>[] = []

  constructor(setting: Scenario, gate: Gate, merchant: Merchant | null, flags: readonly string[]) {
    this.machine = setting.machine
    this.#scenario = setting
    this.#gate = gate
    this.#merchant = merchant
    this.#command = ['webhooks', 'listen', '--port', '0', '--json', ...flags]
  }

  start(options: RunOptions): Running {
    const running = this.machine.start(this.#command, options)
    this.#answers = {}
    this.#sending = this.#send(running)
    return running
  }

  goOn(_left: Left, options: RunOptions): Running {
    return this.start(options)
  }

  callsMade(): MadeCall[] {
    return this.#gate.made
  }

  holdCall(call: string, nth: number, moment: Moment): HeldCall {
    return this.#gate.hold(call, nth, moment)
  }

  async readWhole({status}: Outcome): Promise<WholeListening> {
    await this.#sending
    const {events} = await lookAtLeft(this.machine.dir)
    return {status, events: events.map((event) => JSON.stringify(event)).sort(), answers: this.#answers}
  }

  async lookAfterKill(left: Left): Promise<string[]> {
    await this.#sending
    this.#gate.beginAnew()
    const taken = Object.keys(this.#answers).filter((webhook) => this.#answers[webhook] === 200)
    this.#gotAtKills.push(this.#timesGot(taken))
    const stored = left.events.map(({orderNo, content}) => idOf({orderNo, amount: amountIn(content)}))
    const unstored = taken.filter((webhook) => !stored.includes(webhook))
    return unstored.map((webhook) => `${webhook} was answered 200 and is not stored`)
  }

  async judge(whole: WholeListening, outcome: Outcome): Promise<Judgement> {
    const again = await this.readWhole(outcome)
    return {
      doubts: 0,
      problems: [
        ...differences('what was stored and answered', whole, again),
        ...this.#gotAtKills.flatMap((got) =>
          differences(
            'how often the merchant got what was answered 200',
            got,
            this.#timesGot(Object.keys(got)),
          ),
        ),
        ...this.#whyNotGot(),
      ],
    }
  }

  /** As a service that sends what was not taken, and again what was. */
  async #send(running: Running): Promise<void> {
    // Killed before it listens, it ends without saying so.
    const said = await running.says('Ctrl-C ends it.').catch(() => '')
    const url = /^Listening at (http:\S+)$/m.exec(said)?.[1]
    if (url === undefined) return
    for (const [index, webhook] of oneByOne.entries()) await this.#post(url, webhook, index + 1)
    await Promise.all(atOnce.map((webhook, index) => this.#post(url, webhook, oneByOne.length + index + 1)))
    await running.end('SIGINT')
  }

  async #post(url: string, webhook: Webhook, nth: number): Promise<void> {
    const status = await post(url, this.#bodyOf(webhook))
    this.#answers[idOf(webhook)] = status
    if (status !== null) await this.#gate.at('webhook', nth)('after answering')
  }

  #bodyOf({orderNo, amount, isForged}: Webhook): string {
    const {merchant} = this.#scenario.service
    const account = {merchantId: merchant.id, apiSecret: merchant.apiSecret, apiKey: merchant.apiKey}
    const fields = {event: 'order.completed', orderNo, platformOrderNo: `PF-${orderNo}`, status: 'completed'}
    return JSON.stringify({...signed({...fields, amount}, account), ...(isForged && {amount: '1.00'})})
  }

  #timesGot(webhooks: readonly string[]): Record<string, number> {
    const numbers = webhooks.map((webhook) => webhook.split(' ')[0] ?? '')
    return Object.fromEntries(numbers.map((number) => [number, this.#merchant?.timesGot(number) ?? 0]))
  }

  #whyNotGot(): string[] {
    const genuine = [...oneByOne, ...atOnce].filter(({isForged}) => !isForged)
    const missing = genuine.filter(({orderNo}) => this.#merchant?.timesGot(orderNo) === 0)
    return missing.map(({orderNo}) => `the merchant was never told of ${orderNo}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#merchant?.[Symbol.asyncDispose]()
    await this.#scenario[Symbol.asyncDispose]()
  }
}

function idOf({orderNo, amount}: Webhook): string {
  return `${orderNo} ${amount}`
}

function amountIn(content: string): string {
  return (JSON.parse(content) as {amount: string}).amount
}
