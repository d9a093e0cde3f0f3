// What is packed is the program, not its workshop: while npm packs, package.json is without scripts, development
// packages and settings of tools. `npm pack` runs it before and after.
import {chmodSync, existsSync, globSync, readFileSync, renameSync, writeFileSync} from 'node:fs'

const whole = 'package.json.whole'
const packed = [
  'name',
  'version',
  'description',
  'license',
  'private',
  'type',
  'engines',
  'bin',
  'main',
  'types',
  'typesVersions',
  'exports',
  'oclif',
]

// Also where it was interrupted the last time.
if (existsSync(whole)) renameSync(whole, 'package.json')
if (process.argv[2] === 'begin') {
  // The modes are in the package, and those of a build with another umask would be others.
  for (const file of globSync('{bin,dist,docs}/**/*.*')) chmodSync(file, 0o644)
  for (const file of globSync('{*.md,*.json,LICENSE}')) chmodSync(file, 0o644)
  chmodSync('bin/run.js', 0o755)
  const text = readFileSync('package.json', 'utf8')
  const pjson = JSON.parse(text)
  writeFileSync(whole, text)
  writeFileSync(
    'package.json',
    `${JSON.stringify(Object.fromEntries(['files', ...packed].map((key) => [key, pjson[key]])), null, 2)}\n`,
  )
}
