import {readFile} from 'node:fs/promises'
import {join} from 'node:path'

import {NoProfile} from '../../config/choose-profile.ts'
import {type Dialect, defaultDialect} from '../../core/dialect.ts'
import {Failure} from '../../core/failure.ts'
import type {Context} from '../context.ts'

export const receiverLanguages = ['php', 'python', 'node', 'java'] as const
type Language = (typeof receiverLanguages)[number]

export interface PrintedReceiver {
  readonly language: Language
  readonly fileName: string
  readonly code: string
}

const files: Readonly<Record<Language, string>> = {
  php: 'receiver.php',
  python: 'receiver.py',
  node: 'receiver.mjs',
  java: 'Receiver.java',
}

/**
 * The program of docs/receivers, which the package contains. Throws `config_invalid` if it does not fit the profile.
 */
export async function readReceiver(
  language: Language,
  root: string,
  context: Context,
  profileFlag: string | undefined,
): Promise<Omit<PrintedReceiver, 'language'> & {readonly notes: readonly string[]}> {
  const fileName = files[language]
  const dialect = await dialectOf(context, profileFlag)
  const code = await readFile(join(root, 'docs', 'receivers', fileName), 'utf8')
  return {fileName, code, notes: differencesOf(dialect)}
}

async function dialectOf(context: Context, profileFlag: string | undefined): Promise<Dialect> {
  try {
    return (await context.loadProfile(profileFlag, 'signing')).profile.dialect
  } catch (error) {
    if (error instanceof NoProfile) return defaultDialect
    throw error
  }
}

function differencesOf({webhookSignature, requestSignature, status, response}: Dialect): string[] {
  if (webhookSignature.scheme !== 'md5-sorted') {
    throw new Failure(
      'config_invalid',
      `The profile's webhooks are signed by the header ${webhookSignature.header}. The printed programs read the field "signature" of the body.`,
      'Use `hisab webhooks listen --forward-to URL` before your server, or --profile with the scheme md5-sorted.',
    )
  }
  const isOther = (mine: object, usual: object) => JSON.stringify(mine) !== JSON.stringify(usual)
  const usual = defaultDialect
  return [
    ...(isOther(status, usual.status)
      ? ['The profile has other words for completed and failed: change COMPLETED and FAILED in the program.']
      : []),
    ...(isOther(requestSignature, usual.requestSignature)
      ? ['The profile signs by another rule (A12, A13): change sign in the program.']
      : []),
    ...(isOther(response, usual.response)
      ? ['The profile has other names of fields: change them in book in the program.']
      : []),
  ]
}
