import {accessSync, constants} from 'node:fs'
import {delimiter, join} from 'node:path'

import {type Browser, chromium} from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']

/** The browser to test with: CHROMIUM_PATH, or the first Chromium on the PATH; null where there is none. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | null {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const places = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  return [env.CHROMIUM_PATH ?? '', ...places].find(isExecutable) ?? null
}

export async function openBrowser(executablePath: string): Promise<Browser> {
  return await chromium.launch({
    executablePath,
    // Chromium refuses its sandbox to root; the tests show it only pages of this machine.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--disable-dev-shm-usage', '--force-color-profile=srgb', '--font-render-hinting=none'],
  })
}

function isExecutable(path: string): boolean {
  if (path === '') return false
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
