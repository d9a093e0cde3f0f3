// Writes dist/: the program, each command and each library in a file of its own, what Node makes of them, and what
// `import`s of hisab get. Starting is mostly finding, reading and compiling: docs/decisions/0009-starting.md.
import {execFileSync} from 'node:child_process'
import {cpSync, globSync, rmSync, writeFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {basename, relative} from 'node:path'
import {build as esbuild} from 'esbuild'

import {keepCode} from './keep-code.mjs'
import {loadOclifLazily} from './lazy-oclif.mjs'
import {writeThirdParty} from './third-party.mjs'
import {writeTypes} from './types.mjs'

// Our modules that read files beside themselves find them where they would be without a bundle.
const moduleOfAssets = `const moduleOfAssets = {
  get url() { return require('node:url').pathToFileURL(__dirname + '/sandbox/web/assets.js').href },
};`
const cjs = {
  bundle: true,
  external: ['typescript'],
  platform: 'node',
  target: 'node24',
  logLevel: 'warning',
  outdir: 'dist',
  format: 'cjs',
  outExtension: {'.js': '.cjs'},
  define: {'import.meta.url': 'moduleOfAssets.url'},
  banner: {js: moduleOfAssets},
}
// What shops' own programs load.
const entries = ['index', 'sandbox/library']
const seldomUsed = ['tinyglobby', 'minimatch', 'cli-spinners', 'lilconfig', 'wordwrap', 'debug', 'wsl-utils']

rmSync('dist', {recursive: true, force: true})
rmSync('oclif.manifest.json', {force: true})
writeTypes(entries.map((entry) => `dist/${entry}.d.ts`))
writeFileSync('dist/package.json', '{"type": "commonjs"}\n')
// The sandbox's pages load them as they are; a report has them in it.
for (const file of globSync('src/{sandbox,report/html}/assets/*.{js,css}')) {
  cpSync(file, file.replace('src', 'dist'))
}

const commands = [
  ...commandsIn('src/commands'),
  // As commands of our own, oclif need not search for its package at each start.
  ...commandsIn('node_modules/@oclif/plugin-help/lib/commands'),
]
const libraries = new Map()
const metafiles = []
const ours = {
  ...cjs,
  plugins: [
    {name: 'oclif', setup: loadOclifLazily},
    {name: 'libraries', setup: keepLibrariesApart},
  ],
}
const {metafile} = await build({...program([]), write: false})
const shared = Object.keys(metafile.inputs).filter(
  (file) => file !== 'hisab.js' && !file.startsWith('module:'),
)
await build(program(shared))
await build({
  ...ours,
  entryPoints: commands.map(({file, out}) => ({in: file, out})),
  plugins: [{name: 'program', setup: useProgram}, ...ours.plugins],
})
// For shops' own programs.
const library = {...cjs, outExtension: {}}
await build({...library, entryPoints: ['src/index.ts'], target: 'node20', banner: {}})
await build({
  ...library,
  entryPoints: [{in: 'src/sandbox/library.ts', out: 'sandbox/library'}],
  banner: {js: moduleOfAssets.replace('/sandbox/', '/')},
  plugins: [{name: 'libraries', setup: (build) => keepLibrariesApart(build, '..')}],
})
await Promise.all([...libraries].map(([file, library]) => buildLibrary(file, library)))
entries.forEach(alsoAsModule)
writeThirdParty(metafiles)
execFileSync('oclif', ['manifest'], {stdio: ['ignore', 'ignore', 'inherit']})
await import('./man.mjs')
await keepCode()

function commandsIn(folder) {
  return globSync(`${folder}/**/*.{ts,js}`, {exclude: ['**/*.d.ts']})
    .sort()
    .map((file) => {
      const words = file.replace(/(\/index)?\.[tj]s$/, '').slice(folder.length + 1)
      return {file, id: words.replaceAll('/', ':'), out: `hisab-${words.replaceAll('/', '-')}`}
    })
}

/** What bin/run.js and oclif ask for; a command is loaded when it is run, and finds the modules it shares with all here. */
function program(modules) {
  const contents = `
    export {start} from './src/cli/start.ts'
    export {tellLostOutput} from './src/cli/error-handlers.ts'
    export {default as commandNotFound} from './src/cli/command-not-found.ts'
    export {BaseCommand} from './src/cli/base-command.ts'
    export const commands = {${commands.map(({id, out}) => `get '${id}'() { return require('./${out}.cjs').default }`)}}
    export const modules = {${modules.map((file) => `get '${file}'() { return require('./${file}') }`)}}`
  return {
    ...ours,
    stdin: {contents, resolveDir: '.', sourcefile: 'hisab.js'},
    entryNames: 'hisab',
    external: [...ours.external, ...commands.map(({out}) => `./${out}.cjs`)],
  }
}

/** A module of the program is not in the file of a command a second time: each class and each state is there once. */
function useProgram({onResolve, onLoad, resolve}) {
  onResolve({filter: /^[.@]/}, async ({path, pluginData, importer, kind, namespace, resolveDir}) => {
    if (path === './hisab.cjs') return {path, external: true}
    if (pluginData === 'asked') return
    const found = await resolve(path, {importer, kind, namespace, resolveDir, pluginData: 'asked'})
    const file = relative('.', found.path)
    if (shared.includes(file)) return {path: file, namespace: 'program'}
  })
  onLoad({filter: /./, namespace: 'program'}, ({path}) => ({
    contents: `module.exports = require('./hisab.cjs').modules['${path}']`,
  }))
}

/**
 * A library that we import, or that oclif seldom uses, becomes a file of its own, read when it is first used. An ES module,
 * too, becomes a CommonJS one: importing `node:http` from one makes Node load its own undici, and no code of it is kept.
 */
function keepLibrariesApart({onResolve, onLoad}, top = '.') {
  onResolve({filter: /./, namespace: 'module'}, ({path}) => ({path, external: true}))
  // `import()` in code that bin/load.cjs runs is an experiment of Node's, which says so on stderr before a question.
  onLoad({filter: /./, namespace: 'module'}, ({path}) => ({
    contents: `export * from '${path}'; export default require('${path}').default`,
  }))
  onResolve({filter: /^[a-z@]/}, ({path, kind, importer}) => {
    if (kind === 'entry-point' || path.startsWith('node:') || path.startsWith('@oclif/core')) return
    if (importer.includes('node_modules') && !seldomUsed.includes(path)) return
    const file = `libraries/${path.replace('@', '').replaceAll('/', '-')}.cjs`
    libraries.set(file, path)
    const asked = `${top}/${file}`
    return kind === 'dynamic-import' ? {path: asked, namespace: 'module'} : {path: asked, external: true}
  })
}

async function build(options) {
  const result = await esbuild({...options, metafile: true})
  metafiles.push(result.metafile)
  return result
}

/** For `import`: what `require` gets, so that a class is one in both. TypeScript asks for types of each. */
function alsoAsModule(entry) {
  const names = Object.keys(createRequire(import.meta.url)(`../dist/${entry}.js`))
  const from = `from './${basename(entry)}.js'\n`
  writeFileSync(`dist/${entry}.mjs`, `export {${names.join(', ')}} ${from}`)
  writeFileSync(`dist/${entry}.d.mts`, `export * ${from}`)
}

async function buildLibrary(file, path) {
  await build({
    ...cjs,
    entryPoints: [{in: path, out: file.replace('.cjs', '')}],
    plugins: [{name: 'languages', setup: speakEnglish}],
    // Half of a library is comments and blanks; names stay, for whoever reads a stack.
    minifyWhitespace: true,
    lineLimit: 200,
  })
}

/** zod brings its messages in fifty languages, which are most of it. */
function speakEnglish({onLoad}) {
  onLoad({filter: /zod\/v4\/locales\/\w/}, ({path}) =>
    /\/(en|index)\.c?js$/.test(path) ? undefined : {contents: 'export default () => ({})'},
  )
}
