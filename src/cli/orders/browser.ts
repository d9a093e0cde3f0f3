import {spawn} from 'node:child_process'

import {environmentOfOthers} from '../../config/others-environment.ts'

/** No shell is involved: the address is an argument, never a command. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Null if the browser was started, else the reason. Opens http and https addresses only. */
export async function openInBrowser(address: string): Promise<string | null> {
  const url = URL.parse(address)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return 'it is not an http or https address'
  if (url.username !== '' || url.password !== '')
    return 'it carries a user name, which can hide its real host'
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    return 'there is no terminal, so there is nobody to see it'
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  return await new Promise((resolve) => {
    const child = spawn(program, [...args, url.href], {
      env: environmentOfOthers(process.env),
      stdio: 'ignore',
      detached: true,
    })
    child.once('error', () => resolve(`${program} could not be started`))
    child.once('spawn', () => {
      child.unref()
      resolve(null)
    })
  })
}
