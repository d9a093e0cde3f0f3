import {defineConfig} from 'vitest/config'

// What the reader's own shell says of hisab is not the tests' business; their own variables end so.
const ofTests = /_(?:SEED|RUNS|HISTORIES|SAMPLE|ROOM|DOCS)$/
for (const name of Object.keys(process.env)) {
  if (name.startsWith('HISAB_') && !ofTests.test(name)) delete process.env[name]
}

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    // oclif writes to the console itself; vitest's interception would hide what a command prints.
    disableConsoleIntercept: true,
    testTimeout: 30_000,
    // The default of a second is the very beat the payment page hears the time at: a busy machine would miss it.
    expect: {poll: {timeout: 15_000}},
    // Most of the time goes into waiting for child processes; the default leaves a processor of two idle.
    maxWorkers: 2,
  },
})
