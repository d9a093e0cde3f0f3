#!/usr/bin/env node
// No static import and no new syntax up here: this file must parse on the old Node it refuses.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(`hisab needs Node 24 or newer, and this is Node ${process.versions.node}.\n`)
  process.exitCode = 2
} else {
  void import('../dist/cli/start.js').then((cli) => {
    cli.start(import.meta.url)
  })
}
