// Writes dist/: the program in one file, each library it may need in one file of its own, and what `import`s of hisab
// get. Starting is mostly finding and reading files; why and how much: docs/decisions/0009-one-bundle.md.
import {execFileSync} from 'node:child_process'
import {cpSync, globSync, rmSync} from 'node:fs'
import {basename} from 'node:path'
import {build} from 'esbuild'

import {loadOclifLazily} from './lazy-oclif.mjs'

const common = {
  bundle: true,
  external: ['typescript'],
  platform: 'node',
  target: 'node24',
  logLevel: 'warning',
}
const seldomUsed = ['tinyglobby', 'minimatch', 'cli-spinners', 'lilconfig', 'wordwrap', 'debug', 'wsl-utils']
const requireInModule =
  "import {createRequire} from 'node:module'; const require = createRequire(import.meta.url);"
const moduleOfAssets = `const moduleOfAssets = {
  get url() { return require('node:url').pathToFileURL(__dirname + '/sandbox/web/assets.js').href },
};`
const commands = globSync('src/commands/**/*.ts').sort()

rmSync('dist', {recursive: true, force: true})
rmSync('oclif.manifest.json', {force: true})
execFileSync('tsc', ['-p', 'src'], {stdio: 'inherit'})
// The sandbox's pages load them as they are.
for (const file of globSync('src/sandbox/assets/*.{js,css}')) {
  cpSync(file, `dist/sandbox/assets/${basename(file)}`)
}

const libraries = new Map()
await build({
  ...common,
  stdin: {contents: entry(), resolveDir: '.', sourcefile: 'hisab.js'},
  outfile: 'dist/hisab.cjs',
  format: 'cjs',
  // The one module that reads files beside itself finds them where they would be without a bundle.
  define: {'import.meta.url': 'moduleOfAssets.url'},
  banner: {js: moduleOfAssets},
  plugins: [
    {name: 'oclif', setup: loadOclifLazily},
    {name: 'libraries', setup: keepLibrariesApart},
  ],
})
await Promise.all([...libraries].map(([file, library]) => buildLibrary(file, library)))
execFileSync('oclif', ['manifest'], {stdio: ['ignore', 'ignore', 'inherit']})

/** What bin/run.js and oclif ask the program for; a command's module is run when the command is. */
function entry() {
  const getters = commands.map((file) => {
    const id = file.slice('src/commands/'.length, -'.ts'.length).replaceAll('/', ':')
    return `get '${id}'() { return require('./${file}').default },`
  })
  return `
    export {start} from './src/cli/start.ts'
    export {tellLostOutput} from './src/cli/last-net.ts'
    export {default as commandNotFound} from './src/cli/command-not-found.ts'
    export const commands = {${getters.join('\n')}}`
}

/** A library that we import, or that oclif seldom uses, becomes a file of its own, read when it is first used. */
function keepLibrariesApart({onResolve}) {
  onResolve({filter: /^[a-z@]/}, ({path, kind, importer}) => {
    if (path.startsWith('node:') || path.startsWith('@oclif/core')) return
    if (importer.includes('node_modules') && !seldomUsed.includes(path)) return
    // An ES module asked for at run time stays one: its default export is not that of a CommonJS module.
    const isModule = kind === 'dynamic-import'
    const file = `libraries/${path.replace('@', '').replaceAll('/', '-')}.${isModule ? 'mjs' : 'cjs'}`
    libraries.set(file, {path, isModule})
    return {path: `./${file}`, external: true}
  })
}

async function buildLibrary(file, {path, isModule}) {
  await build({
    ...common,
    entryPoints: [{in: path, out: file.replace(/\.[cm]js$/, '')}],
    outdir: 'dist',
    ...(isModule
      ? {format: 'esm', outExtension: {'.js': '.mjs'}, banner: {js: requireInModule}}
      : {format: 'cjs', outExtension: {'.js': '.cjs'}}),
  })
}
