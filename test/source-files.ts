import {readdirSync, readFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'

const src = fileURLToPath(new URL('../src/', import.meta.url))

/** One file of `src/`; the path is relative to it, with forward slashes. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

export function sourceFiles(): SourceFile[] {
  return readdirSync(src, {recursive: true, encoding: 'utf8'})
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => ({path, text: readFileSync(`${src}${path}`, 'utf8')}))
}

/** The folders of `src/`, which is all that stands there besides its tsconfig. */
export function sourceFolders(): {folders: string[]; files: string[]} {
  const entries = readdirSync(src, {withFileTypes: true})
  return {
    folders: entries.filter((entry) => entry.isDirectory()).map(({name}) => name),
    files: entries.filter((entry) => entry.isFile()).map(({name}) => name),
  }
}

/**
 * What a file imports, type-only imports included: `from '…'`, `export … from '…'`, `import '…'`, `import('…')`.
 * Text that looks like one inside a comment is left out.
 */
export function importsOf(text: string): string[] {
  const code = text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
  const specifier = /\bfrom\s*(['"])([^'"\n]+)\1|\bimport\s*\(?\s*(['"])([^'"\n]+)\3/g
  return [...code.matchAll(specifier)].map(([, , from, , bare]) => from ?? bare ?? '')
}

/** The code of a file without comments and without the text of plain strings. */
export function codeOf(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '$1')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''")
}
