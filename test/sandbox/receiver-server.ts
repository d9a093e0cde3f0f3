import {createServer, type IncomingHttpHeaders, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'

interface ReceivedWebhook {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly raw: string
  readonly body: Record<string, string>
}

export interface TestReceiver {
  readonly url: string
  readonly received: ReceivedWebhook[]
  /** How the next webhooks are answered; 200 at first. */
  answer: (response: ServerResponse) => void
  close(): Promise<void>
}

/** A merchant's webhook address on a real port. */
export async function openReceiver(port = 0): Promise<TestReceiver> {
  const received: ReceivedWebhook[] = []
  const server = createServer(async (request, response) => {
    let raw = ''
    for await (const chunk of request.setEncoding('utf8')) raw += chunk
    received.push({path: request.url ?? '', headers: request.headers, raw, body: JSON.parse(raw)})
    receiver.answer(response)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const receiver: TestReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: status(200),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

export const status =
  (code: number, text = '') =>
  (response: ServerResponse): void =>
    void response.writeHead(code).end(text)
