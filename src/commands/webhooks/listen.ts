import {BaseCommand} from '../../cli/base-command.ts'
import {statusIfStopped} from '../../cli/interrupt.ts'
import {styleFor} from '../../cli/style.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {listenFlags, readForwardUrl, rulesOf, untilOver} from '../../cli/webhooks/listen-flags.ts'
import {type ListenResult, ListenSession} from '../../cli/webhooks/listen-session.ts'
import {listenEnd, listenStart} from '../../report/received-text.ts'

export default class WebhooksListen extends BaseCommand {
  static override summary = 'Receive webhooks on this machine: verify, store, show, and hand on.'

  static override description = unwrap(`
    Each webhook is verified by the profile's scheme, stored and synced, and only then answered with 200. One that
    came before is answered with 200 and changes nothing. With --forward-to your server gets the event and its
    answer is the answer. Until your server has acknowledged the event with a 2xx, it gets each content of it that the
    service sends; after that it gets the event no more. What contradicts an acknowledged event in amount or state is
    kept and answered with 409. \`events list\` shows what was stored.

    It listens on this machine alone and without TLS: for a service elsewhere, put a proxy with TLS before it. Ends
    with Ctrl-C, or with --count, --until-order or --timeout. Status 7 where two contents contradict each other or
    the order of --until-order is not completed, 8
    where something was not stored, not acknowledged, or did not come.
  `)

  static override examples = [
    {
      description: 'Beside `hisab sandbox start`, whose webhooks come here by default:',
      command: '<%= config.bin %> <%= command.id %> --profile sandbox',
    },
    {
      description: 'Let your own server answer:',
      command:
        '<%= config.bin %> <%= command.id %> --profile sandbox --forward-to http://127.0.0.1:3000/webhook',
    },
    {
      description: 'In a script: wait for one order, a minute at most:',
      command:
        '<%= config.bin %> <%= command.id %> --profile sandbox --until-order D-1001 --timeout 60s --format ndjson',
    },
  ]

  static override flags = listenFlags

  async run(): Promise<ListenResult> {
    const {flags} = await this.parse(WebhooksListen)
    const {host, port, path, count, format, timeout, 'until-order': orderNo} = flags
    const forwardTo =
      flags['forward-to'] === undefined ? null : readForwardUrl(flags['forward-to'], '--forward-to', port)
    // From here on Ctrl-C is heard: it may come the moment the address is shown.
    const {signal} = this.context
    const loaded = await this.context.loadProfile(flags.profile)
    const rules = await rulesOf(loaded, (note) => this.tell(note))
    const inbox = await this.context.inbox(loaded)
    const {startReceiver} = await import('../../receiver/receiver.ts')
    const forwarder = forwardTo === null ? null : await this.context.forwarder(forwardTo)
    const session = new ListenSession({
      goal: {count, orderNo},
      dialect: loaded.profile.dialect,
      format,
      timeZone: loaded.profile.ledger.timeZone,
      isForwarding: forwarder !== null,
      style: {stdout: styleFor(process.stdout), stderr: styleFor(process.stderr)},
      show: (text) => this.show(text),
      tell: (text) => this.tell(text),
    })

    const onNotice = session.take.bind(session)
    const receiver = await startReceiver({host, port, path, rules, inbox, forwarder, now: Date.now, onNotice})
    const {name, merchantId} = loaded.profile
    this.tell(
      listenStart({
        url: receiver.url,
        name,
        merchantId,
        forwardTo,
        pending: inbox.countPending(),
        storedIn: inbox.path,
      }),
    )
    const endedBy = await untilOver(session, timeout, signal)
    const finishing = await receiver.drain()
    await session.flush()

    const result = session.result(receiver.url, endedBy, finishing)
    this.tell(listenEnd(result))
    this.endWith(session.statusOf(endedBy, statusIfStopped(signal)))
    return result
  }
}
