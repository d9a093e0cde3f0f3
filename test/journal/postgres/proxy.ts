import {connect, createServer, type Socket} from 'node:net'

const isCommit = (sent: Buffer) => sent.includes('COMMIT\0')

/** Stands between hisab and PostgreSQL, and does what a network does wrong. */
export async function openProxy(port: number, host = '127.0.0.1') {
  /** Asked of each message to the server: whether its answer is lost, with the connection. */
  let isCutAfter: (sent: Buffer) => boolean = () => false
  let dropped: {readonly text: string; isArmed: boolean} | null = null
  let isSwallowing = false
  let onCut = () => {}
  let delayMs = 0
  let isClosed = false
  let taken = 0
  const open = new Set<Socket>()
  // A black hole answers no farewell either.
  const server = createServer({allowHalfOpen: true}, (client) => {
    taken += 1
    if (isClosed) {
      client.destroy()
      return
    }
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
    client.on('end', () => client.end())
    client.on('data', (sent) => {
      if (dropped && sent.includes(dropped.text)) dropped.isArmed = true
      if (dropped?.isArmed && isCommit(sent)) {
        dropped = null
        client.destroy()
        return
      }
      isCutting ||= isCutAfter(sent)
      delayed = delayMs > 0 && isCommit(sent)
      upstream.write(sent)
    })
    let delayed = false
    upstream.on('data', (answer) => {
      if (isCutting) {
        client.destroy()
        onCut()
      } else if (delayed) setTimeout(() => client.writable && client.write(answer), delayMs)
      else client.write(answer)
    })
    if (isSwallowing) for (const socket of [client, upstream]) socket.pause()
  })
  const swallow = (isOn: boolean) => {
    isSwallowing = isOn
    for (const socket of open) isOn ? socket.pause() : socket.resume()
  }
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    /** Connections that came so far. */
    taken: () => taken,
    /** The answers to the next so many COMMITs are lost: they arrive, and nobody hears of it. */
    loseCommits(times: number, then = () => {}) {
      let left = times
      onCut = then
      isCutAfter = (sent) => isCommit(sent) && left-- > 0
    },
    /** The connection is cut before the COMMIT of the next transaction that has this text arrives. */
    dropCommitOf(text: string) {
      dropped = {text, isArmed: false}
    },
    /** The connection is cut after so many messages to the server, whatever they are. */
    cutAfter(messages: number) {
      let left = messages
      isCutAfter = () => left-- === 0
    },
    /** Every connection is cut, and none is taken, until it is over. */
    cutAll(isOn: boolean) {
      isClosed = isOn
      if (isOn) for (const socket of open) socket.destroy()
    },
    /** A black hole: nothing passes, and no connection ends. What was sent meanwhile arrives when it is over, as TCP has it. */
    swallow,
    /** The answers to COMMITs come so much later. */
    delayCommits(ms: number) {
      delayMs = ms
    },
    /** All is well again. */
    calm() {
      isCutAfter = () => false
      ;[isClosed, delayMs] = [false, 0]
      swallow(false)
    },
    close() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
