const {existsSync, readFileSync} = require('node:fs')
const {basename, dirname, join, resolve} = require('node:path')
const {Script} = require('node:vm')

const dist = join(__dirname, '../dist')
/** What this very Node made of the program when the build ran it; another Node finds none here. */
const codeDir = join(dist, 'code', `${process.version}-${process.arch}`)
const loaded = new Map()

/**
 * The built program. Node's own compile cache keeps a file as it is before its first function has run, and each start
 * compiles those functions again: so the build keeps them. See docs/decisions/0009-starting.md.
 */
function loadProgram() {
  const program = join(dist, 'hisab.cjs')
  return existsSync(codeDir) ? load(program) : require(program)
}

function load(file) {
  const known = loaded.get(file)
  if (known) return known.module.exports
  const module = {exports: {}}
  const codeFile = codeFileOf(file)
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`,
    {
      filename: file,
      cachedData: existsSync(codeFile) ? readFileSync(codeFile) : undefined,
    },
  )
  loaded.set(file, {module, script})
  const folder = dirname(file)
  const requireHere = (name) => {
    if (!name.startsWith('.') && !name.startsWith(dist)) return require(name)
    return load(resolve(folder, name))
  }
  requireHere.resolve = require.resolve
  script.runInThisContext()(module.exports, requireHere, module, file, folder)
  return module.exports
}

function codeFileOf(file) {
  return join(codeDir, `${basename(file)}.bin`)
}

// All but the first are for the build.
module.exports = {loadProgram, load, loaded, codeDir, codeFileOf}
