// npm installs the Node this project is built with. Where its install script was blocked, npm falls back
// to the machine's own Node without a word; this is the word.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `hisab is built and tested on Node 24, and this is Node ${process.versions.node}.\n` +
      'Run `npm ci` again and let it run the install script of the package `node` (package.json, allowScripts),\n' +
      'or put Node 24 on the PATH.',
  )
  process.exit(1)
}
