import {BaseCommand} from '../../cli/base-command.ts'
import {statusIfStopped} from '../../cli/interrupt.ts'
import {styleFor} from '../../cli/style.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {
  hostnamesOf,
  listenFlags,
  readForwardUrl,
  rulesOf,
  untilOver,
} from '../../cli/webhooks/listen-flags.ts'
import {type ListenResult, ListenSession} from '../../cli/webhooks/listen-session.ts'
import {listenEnd, listenStart} from '../../report/received-text.ts'

export default class WebhooksListen extends BaseCommand {
  static override summary = 'Receive webhooks on this machine: verify, store, show and forward them.'

  static override description = unwrap(`
    hisab verifies each webhook with the profile's scheme and stores it on disk before it answers 200. A repeated
    webhook is answered with 200 and changes nothing. \`events list\` shows what was stored.

    With --forward-to your server gets the event, and the service gets your server's answer. Your server gets every
    version of an event until it acknowledges one with a 2xx. A later version with another amount or state is kept and
    answered with 409.

    The receiver listens on this machine only, without TLS. For a service elsewhere, put a proxy with TLS before it.
    Ctrl-C, --count, --until-order or --timeout ends it. Exit status 7 if two versions of an event contradict each
    other or the order of --until-order is not completed; 8 if an event was not stored, not acknowledged or did not
    arrive.
  `)

  static override examples = [
    {
      description: 'Receive the webhooks of `hisab sandbox start`:',
      command: '<%= config.bin %> <%= command.id %> --profile sandbox',
    },
    {
      description: 'Forward them to your own server:',
      command:
        '<%= config.bin %> <%= command.id %> --profile sandbox --forward-to http://127.0.0.1:3000/webhook',
    },
    {
      description: 'In a script, wait up to a minute for one order:',
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
    // From here on: Ctrl-C may come as soon as the address is shown.
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
      style: {stdout: this.style, stderr: styleFor(process.stderr)},
      show: (text) => this.show(text),
      tell: (text) => this.tell(text),
    })

    const onNotice = session.take.bind(session)
    const hostnames = hostnamesOf(host, loaded.profile)
    const receiver = await startReceiver({
      ...{host, port, path, hostnames, rules, inbox, forwarder, onNotice},
      now: Date.now,
    })
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
