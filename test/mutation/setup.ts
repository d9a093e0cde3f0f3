import {readFileSync} from 'node:fs'

import {sharedFile} from './rooms.ts'

// Files of one worker share modules, and so what they cover: each file reports its own, else the report of the last
// holds all, the one before it all but one, and the measurement of a large suite never ends.
const covered = (globalThis as {__stryker__?: {mutantCoverage?: {static: object; perTest: object}}})
  .__stryker__?.mutantCoverage
if (covered) Object.assign(covered, {static: {}, perTest: {}})

// Loaded before any test: what a module does as it loads would else count for the one test that happened to load it.
for (const file of JSON.parse(readFileSync(sharedFile('files'), 'utf8'))) await import(`../../${file}`)
