#!/usr/bin/env node
// No static import and no new syntax up here: this file must parse on the old Node it refuses.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(`hisab needs Node 24 or newer, and this is Node ${process.versions.node}.\n`)
  process.exitCode = 2
} else {
  void import('../dist/cli/start.js').then(
    (cli) => cli.start(import.meta.url),
    (error) => {
      const isUnbuilt = error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes('dist/cli/start.js')
      process.stderr.write(isUnbuilt ? 'hisab is not built yet: run `npm run build`.\n' : `${error.stack}\n`)
      process.exitCode = isUnbuilt ? 2 : 1
    },
  )
}
