/** The address for one signal of the healthchecks.io convention; the query stays. */
export function heartbeatUrl(url: string, word: '' | 'start' | 'fail'): string {
  const address = new URL(url)
  if (word !== '') address.pathname = `${address.pathname.replace(/\/$/, '')}/${word}`
  return address.href
}

type Variables = Readonly<Record<string, string | undefined>>

export interface OtlpTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly resource: Readonly<Record<string, string>>
}

/** Where the standard variables send metrics; null: nowhere. A sentence: hisab cannot do what they ask. */
export function otlpTarget(env: Variables): OtlpTarget | string | null {
  const of = (name: string) =>
    env[`OTEL_EXPORTER_OTLP_METRICS_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`] || ''
  const endpoint = of('ENDPOINT')
  if (endpoint === '' || /^true$/i.test(env.OTEL_SDK_DISABLED ?? '')) return null
  if (env.OTEL_METRICS_EXPORTER && !/\botlp\b/.test(env.OTEL_METRICS_EXPORTER)) return null
  if (of('PROTOCOL') === 'grpc') return 'OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and hisab speaks http/json'
  if (!URL.canParse(endpoint)) return 'OTEL_EXPORTER_OTLP_ENDPOINT is not a URL'
  const own = env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT
  return {
    url: own ? own : `${endpoint.replace(/\/$/, '')}/v1/metrics`,
    headers: readPairs(of('HEADERS')),
    resource: {
      'service.name': 'hisab',
      ...readPairs(env.OTEL_RESOURCE_ATTRIBUTES ?? ''),
      ...(env.OTEL_SERVICE_NAME ? {'service.name': env.OTEL_SERVICE_NAME} : {}),
    },
  }
}

/** `a=1,b=2`, percent-encoded (W3C Baggage). */
function readPairs(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const [name = '', ...value] = pair.split('=')
    return name.trim() === '' || value.length === 0 ? [] : [[name.trim(), decode(value.join('=').trim())]]
  })
  return Object.fromEntries(pairs)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
