import {connect, createServer, type Socket} from 'node:net'

/** Stands between hisab and PostgreSQL, and does what a network does wrong. */
export async function openProxy(port: number) {
  /** Asked of each message to the server: whether its answer is lost, with the connection. */
  let isCutAfter: (sent: Buffer) => boolean = () => false
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    let isCutting = false
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (sent) => {
      isCutting ||= isCutAfter(sent)
      upstream.write(sent)
    })
    upstream.on('data', (answer) => {
      if (isCutting) client.destroy()
      else client.write(answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    /** The answers to the next so many COMMITs are lost: they arrive, and nobody hears of it. */
    loseCommits(times: number) {
      let left = times
      isCutAfter = (sent) => sent.includes('COMMIT\0') && left-- > 0
    },
    close() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
