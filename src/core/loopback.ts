/** Whether an address stays on this machine. */
export function isLoopback(url: string): boolean {
  const {hostname} = new URL(url)
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d+){3}$/.test(hostname)
  )
}

/**
 * Where a service is, as its journal knows it: scheme, host and port. The names of this machine are one address, and so
 * is a host with a full stop at its end.
 */
export function hostAddressOf(url: string): string {
  const at = new URL(url)
  const host = at.hostname.replace(/\.$/, '')
  at.hostname = host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' ? '127.0.0.1' : host
  return at.origin
}
