import {readFile} from 'node:fs/promises'

const isOclif = /@oclif\/core\/lib\/.*\.js$/

/** Work oclif does at each start for cases hisab does not have: what is replaced, and by what. */
const replacements = {
  // The first comparison by locale of a process loads the rules of all languages; ids of commands are ASCII.
  'config/plugin.js': ['a.id.localeCompare(b.id)', '(a.id < b.id ? -1 : 1)'],
  // Only a kernel of Microsoft's can be that of WSL.
  'util/os.js': [
    'async function getPlatform() {',
    'async function getPlatform() { if (!/microsoft/i.test((0, node_os_1.release)())) return (0, node_os_1.platform)();',
  ],
}

/**
 * An esbuild plugin: libraries and built-in modules that oclif names at the top of its files are loaded when they are
 * first used. Help and errors are those of the oclif that npm installed: test/acceptance/same-oclif.test.ts.
 */
export function loadOclifLazily({onLoad}) {
  onLoad({filter: isOclif}, async ({path}) => {
    let source = await readFile(path, 'utf8')
    const [, name] = path.split('@oclif/core/lib/')
    if (name in replacements) {
      const [from, to] = replacements[name]
      if (!source.includes(from))
        throw new Error(`${path} has changed: "${from}" is not in it. See build/lazy-oclif.mjs.`)
      source = source.replace(from, to)
    }
    return {
      contents: `${lazy}\n${source.replace(libraryOfFile, (_, name, load) => `const ${name} = __lazy(() => ${load});`)}`,
    }
  })
}

const libraryOfFile = /^const (\w+) = ((?:__importDefault\()?require\("[^."][^"]*"\)\)?);$/gm
const lazy =
  'const __lazy = (load) => { let module; return new Proxy({}, {get: (_, name) => (module ??= load())[name]}) };'
