/** Why an attempt got no whole answer, in the order of how far it came. Each is explained in docs/sandbox.md. */
export const attemptReasons = {
  merchant_gone: {
    text: 'Not sent: this merchant is not set up any more.',
    next: 'Start the sandbox with this merchant, then resend.',
  },
  elsewhere: {
    text: 'Not sent: the sandbox delivers to this machine only.',
    next: 'Use a returnUrl on 127.0.0.1, or allow its host by `deliver_to` of the profile.',
  },
  name_unknown: {
    text: 'The name of the receiver is not known.',
    next: 'Check the host of returnUrl.',
  },
  connection_refused: {
    text: 'The connection was refused: nothing listens at this address.',
    next: 'Start the receiver, or check the host and port of returnUrl.',
  },
  unreachable: {
    text: 'The receiver could not be reached.',
    next: 'Check the network between this machine and returnUrl.',
  },
  tls_failed: {
    text: 'No secure connection was made.',
    next: 'Check the certificate of the receiver, or use http on this machine.',
  },
  connection_reset: {
    text: 'The receiver closed the connection before it answered.',
    next: 'Look for a crash or a limit in the log of the receiver.',
  },
  not_http: {
    text: 'What came back is not HTTP.',
    next: 'Check that returnUrl names the port of a web server.',
  },
  timed_out: {
    text: 'No answer came in time.',
    next: 'Answer first, then work: store the webhook and answer 200.',
  },
  connection_failed: {
    text: 'The connection failed.',
    next: 'Check the host and port of returnUrl.',
  },
  body_broken: {
    text: 'The status came; the answer broke off after it. The status counts.',
    next: 'Let the receiver end its answer.',
  },
  body_slow: {
    text: 'The status came; the rest of the answer did not come in time. The status counts.',
    next: 'Let the receiver end its answer.',
  },
  receiver_outage: {
    text: 'Not sent: the fault receiver-outage answers HTTP 503 for the receiver.',
    next: 'Clear the fault, then resend.',
  },
} as const satisfies Readonly<Record<string, {readonly text: string; readonly next: string}>>

export type AttemptReason = keyof typeof attemptReasons

export function reasonOfError(error: unknown): AttemptReason {
  const code = String((error as {code?: unknown}).code)
  if (code === 'ECONNREFUSED') return 'connection_refused'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name_unknown'
  if (/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(code)) return 'connection_reset'
  if (/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/.test(code))
    return 'unreachable'
  if (/TLS|SSL|CERT|SELF_SIGNED|EPROTO/.test(code)) return 'tls_failed'
  return (error as {name?: unknown}).name === 'HTTPParserError' ? 'not_http' : 'connection_failed'
}
