// npm installs the Node this project is built with, as packages of build/node. Where there is none for the machine, or
// optional packages were left out, npm falls back to the machine's own Node without a word; this is the word.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `hisab is built and tested on Node 24, and this is Node ${process.versions.node}.\n` +
      'Run `npm ci` again with optional packages, or put Node 24 on the PATH.',
  )
  process.exit(1)
}
