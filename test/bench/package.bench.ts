import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import {pack} from '../acceptance/packed.ts'

// What an installation costs. Run after `npm run build`.
const dir = mkdtempSync(join(tmpdir(), 'hisab-bench-'))
const {size, unpackedSize, paths} = pack(dir)
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
console.log(`package  ${mb(size)}, unpacked ${mb(unpackedSize)}, ${paths.length} files, no other packages`)
rmSync(dir, {recursive: true})
