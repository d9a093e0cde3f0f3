import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import {root} from '../acceptance/own-home.ts'

const manifest = readFileSync(join(root, 'docs/deploy/kubernetes.yaml'), 'utf8')
const all = (pattern: RegExp) => [...manifest.matchAll(pattern)].map(([, found = '']) => found)

// The types of its fields were checked by the schema of the Kubernetes API (docs/deploy.md). This is what no schema says.
test('one index a profile, and each profile finds its own secrets and no others', () => {
  const profiles = all(/^ +\[profiles\.(.+)\]$/gm)
  expect(profiles).toEqual(profiles.map((_, index) => `merchant-${index}`))
  expect(all(/^ +(?:completions|parallelism|maxFailedIndexes): (\d+)/gm).map(Number)).toEqual(
    [1, 2, 3].map(() => profiles.length),
  )
  const secrets = profiles.flatMap((name) => [`${name}.api_secret`, `${name}.api_key`])
  expect(all(/^ {2}(merchant-\d+\.\w+): /gm)).toEqual(secrets)
  expect(all(/\{key: (\S+), path: /g)).toEqual(secrets)
  expect(all(/\{key: \S+, path: (\S+)\}/g)).toEqual(secrets.map((name) => name.replace('.', '/')))
  // What the program reads is what is mounted, and the profile is that of the index.
  for (const place of all(/readFileSync\('(\S+)', 'utf8'\)/g))
    expect(place).toMatch(/^\/run\/secrets\/merchant\/api_(?:secret|key)$/)
  expect(all(/(?:value|subPathExpr): (merchant-\S+?)[,}]/g)).toEqual(
    Array(2).fill('merchant-$(MERCHANT_INDEX)'),
  )
  const volumes = all(/^ +- (?:\{name: |name: )(\w+)(?:, (?:configMap|persistent|emptyDir)|$)/gm)
  for (const mounted of all(/\{name: (\w+), mountPath:/g)) expect(volumes).toContain(mounted)
  expect(
    all(/^ +(completionMode: Indexed|backoffLimitPerIndex: 0|concurrencyPolicy: Forbid)\b/gm),
  ).toHaveLength(3)
})
