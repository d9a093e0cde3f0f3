import {defineConfig, mergeConfig} from 'vitest/config'

import shared from '../vitest.config.ts'
import {rooms} from './rooms.ts'

const tests = rooms[process.env.HISAB_MUTATION_ROOM ?? ''] ?? []

export default mergeConfig(
  {...shared, test: {...shared.test, include: []}},
  defineConfig({
    test: {
      include: tests.flatMap((path) => [`test/${path}/**/*.test.ts`, `test/${path}.test.ts`]),
      // Instrumented code is slow, and this runs behind everything else. One file measures how long core takes.
      exclude: ['test/core/signing/long-inputs.test.ts'],
      testTimeout: 180_000,
    },
  }),
)
