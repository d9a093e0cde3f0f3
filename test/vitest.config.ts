import {accessSync, constants, statfsSync} from 'node:fs'
import {defineConfig} from 'vitest/config'

// What the reader's own shell says of hisab is not the tests' business; their own variables end so.
const ofTests = /_(?:SEED|RUNS|HISTORIES|SAMPLE|ROOM|DOCS)$/
for (const name of Object.keys(process.env)) {
  if (name.startsWith('HISAB_') && !ofTests.test(name)) delete process.env[name]
}

// Every journal syncs each commit, and a disk takes most of a test's time for it. Nothing tested here outlives a power failure.
if (!process.env.TMPDIR && hasRoom('/dev/shm')) process.env.TMPDIR = '/dev/shm'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/journal/schema-at-once.ts'],
    // oclif writes to the console itself; vitest's interception would hide what a command prints.
    disableConsoleIntercept: true,
    // Far above what a busy machine needs: a test that hangs is named, and one that is slow is no failure.
    ...{testTimeout: 180_000, hookTimeout: 180_000},
    // The default of a second is the very beat the payment page hears the time at: a busy machine would miss it.
    expect: {poll: {timeout: 15_000}},
    // Browsers, faults and killed processes are waited for: with two, two processors were idle a third of the time; four take longer than three.
    maxWorkers: 3,
    // A file that loads all of hisab anew takes twice the time. What a test changes of the process it puts back.
    isolate: false,
  },
})

function hasRoom(memory: string): boolean {
  try {
    accessSync(memory, constants.W_OK)
    const {bavail, bsize} = statfsSync(memory)
    return bavail * bsize > 4 * 1024 ** 3
  } catch {
    return false
  }
}
