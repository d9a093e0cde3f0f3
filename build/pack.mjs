// What is packed is the program, not its workshop: while npm packs, package.json is without scripts, development
// packages and settings of tools. `npm pack` runs it before and after.
import {existsSync, readFileSync, renameSync, writeFileSync} from 'node:fs'

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
  'exports',
  'oclif',
]

// Also where it was interrupted the last time.
if (existsSync(whole)) renameSync(whole, 'package.json')
if (process.argv[2] === 'begin') {
  const text = readFileSync('package.json', 'utf8')
  const pjson = JSON.parse(text)
  writeFileSync(whole, text)
  writeFileSync(
    'package.json',
    `${JSON.stringify(Object.fromEntries(['files', ...packed].map((key) => [key, pjson[key]])), null, 2)}\n`,
  )
}
