/**
 * Whether the host of a parsed address is this machine, by its spelling alone. Names below `localhost` are not: the
 * resolver decides where they lead. The URL parser has already turned 127.1 and 0x7f000001 into four numbers.
 */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/** The host of a `Host` header; empty if it is more than a host and a port. */
export function hostnameOfHeader(host: string): string {
  return /[/?#@\\]/.test(host) ? '' : (URL.parse(`http://${host}`)?.hostname ?? '')
}

/** Whether an address stays on this machine: http is then allowed, and no proxy is used. */
export function isLoopback(url: string): boolean {
  return isLoopbackHost(URL.parse(url)?.hostname ?? '')
}

/**
 * A service's scheme, host and port, as the journal stores it. All names of this machine are one address, and a final
 * full stop is dropped.
 */
export function hostAddressOf(url: string): string {
  const at = new URL(url)
  const host = at.hostname.replace(/\.$/, '')
  at.hostname = host === 'localhost' || host === '[::1]' ? '127.0.0.1' : host
  return at.origin
}
