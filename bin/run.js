#!/usr/bin/env node
// No static import and no new syntax up here: this file must parse on the old Node it refuses.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(`hisab needs Node 24 or newer, and this is Node ${process.versions.node}.\n`)
  process.exitCode = 2
} else {
  const {createRequire} = process.getBuiltinModule('node:module')
  const load = createRequire(import.meta.url)
  if (process.argv.length === 3 && process.argv[2] === '--version') {
    // Answered here: the program is half a megabyte to read.
    const text = `hisab/${load('../package.json').version} node-${process.version}\n`
    try {
      process.getBuiltinModule('node:fs').writeSync(1, text)
    } catch (error) {
      load('./load.cjs').loadProgram().tellLostOutput(error)
    }
  } else {
    try {
      const {loadProgram} = load('./load.cjs')
      loadProgram().start(import.meta.url)
    } catch (error) {
      const isUnbuilt = error.code === 'MODULE_NOT_FOUND' && error.message.includes('dist/hisab.cjs')
      process.stderr.write(isUnbuilt ? 'hisab is not built yet: run `npm run build`.\n' : `${error.stack}\n`)
      process.exitCode = isUnbuilt ? 2 : 1
    }
  }
}
