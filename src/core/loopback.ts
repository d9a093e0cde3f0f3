/**
 * Whether the host of a parsed address is this machine, by its spelling alone. Names below `localhost` are not: what
 * they lead to is for the machine's resolver to say. The URL parser has already turned 127.1 and 0x7f000001 into four
 * numbers.
 */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/** The host that a `Host` header names; empty for what is more than a host and a port. */
export function hostnameOfHeader(host: string): string {
  return /[/?#@\\]/.test(host) ? '' : (URL.parse(`http://${host}`)?.hostname ?? '')
}

/** Whether an address stays on this machine: then http will do, and no proxy can reach it. */
export function isLoopback(url: string): boolean {
  return isLoopbackHost(URL.parse(url)?.hostname ?? '')
}

/**
 * Where a service is, as its journal knows it: scheme, host and port. The names of this machine are one address, and so
 * is a host with a full stop at its end.
 */
export function hostAddressOf(url: string): string {
  const at = new URL(url)
  const host = at.hostname.replace(/\.$/, '')
  at.hostname = host === 'localhost' || host === '[::1]' ? '127.0.0.1' : host
  return at.origin
}
