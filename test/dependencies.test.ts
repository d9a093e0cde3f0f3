import {readFileSync} from 'node:fs'

import {expect, test} from 'vitest'

interface Lockfile {
  readonly packages: Readonly<Record<string, {readonly dev?: boolean; readonly hasInstallScript?: boolean}>>
}

const {packages} = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
) as Lockfile
const installed = Object.entries(packages).filter(([path]) => path !== '')

test('no package that users install runs a script at install (P26)', () => {
  expect(installed.length).toBeGreaterThan(50)
  const withScript = installed.filter(([, {hasInstallScript}]) => hasInstallScript)
  // The field is there: development packages have it.
  expect(withScript).not.toEqual([])
  expect(withScript.filter(([, {dev}]) => !dev).map(([path]) => path)).toEqual([])
})
