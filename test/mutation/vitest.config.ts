import {fileURLToPath} from 'node:url'
import {defineConfig, mergeConfig} from 'vitest/config'

import shared from '../vitest.config.ts'
import {tests} from './rooms.ts'

const folders = process.env.MUTATION_TESTS?.split(',') ?? tests

export default mergeConfig(
  {...shared, test: {...shared.test, include: []}},
  defineConfig({
    test: {
      include: folders.map((folder) => `test/${folder}{/**/*,}.test.ts`),
      // Instrumented code is slow, and this runs behind everything else. One file measures how long core takes; the
      // race and the browser play in processes of their own, where no change is seen.
      exclude: [
        'test/core/signing/long-inputs.test.ts',
        'test/journal/race/**',
        'test/report/report-in-browser.test.ts',
      ],
      setupFiles: [fileURLToPath(new URL('setup.ts', import.meta.url))],
    },
  }),
)
