// The types of what `import`s of hisab get: those that its two entries name, and no others.
import {execFileSync} from 'node:child_process'
import {existsSync, globSync, readFileSync, rmSync} from 'node:fs'
import {dirname, join, resolve} from 'node:path'

export function writeTypes(entries) {
  execFileSync('tsc', ['-p', 'src', '--emitDeclarationOnly'], {stdio: 'inherit'})
  const kept = new Set()
  entries.forEach(keep)
  for (const file of globSync('dist/**/*.d.ts').map((file) => resolve(file)))
    if (!kept.has(file)) rmSync(file)

  function keep(entry) {
    const file = resolve(entry)
    if (kept.has(file)) return
    if (!existsSync(file)) throw new Error(`${entry} is named by a type and is not there.`)
    kept.add(file)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g)) {
      keep(join(dirname(file), path.replace(/\.[tj]s$/, '.d.ts')))
    }
  }
}
