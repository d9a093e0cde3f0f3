import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'

const fixtures = fileURLToPath(new URL('../ledger/fixtures', import.meta.url))

/** The bytes of a file a spreadsheet program exported; test/ledger/fixtures/README.md says which is what. */
export function fixture(name: string): Buffer {
  return readFileSync(join(fixtures, name))
}
