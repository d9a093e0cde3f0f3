// Loaded by Node before hisab: the process stops, as one that is not scheduled, when its second send is made and no byte of it left.
const diagnostics = require('node:diagnostics_channel')

let sends = 0
diagnostics.subscribe('undici:request:create', ({request}) => {
  if (request.method !== 'POST' || !/\/(?:resend|create)$/.test(request.path)) return
  sends += 1
  if (sends !== 2) return
  require('node:fs').writeSync(2, 'stopped before the send\n')
  process.kill(process.pid, 'SIGSTOP')
})
