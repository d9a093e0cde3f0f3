import {resolve} from 'node:path'
import * as Flags from '@oclif/core/flags'

import type {FlagsOf} from '../flags.ts'

/** The three ways to name a secret; only one may be given. */
const fileFlag = Flags.custom<string>({
  helpValue: 'FILE',
  parse: async (path) => (path.startsWith('~/') ? path : resolve(path)),
})
const others = (secret: string, ways: readonly string[]) => ({
  exclusive: ways.map((way) => `api-${secret}-${way}`),
})

export const initFlags = {
  'merchant-id': Flags.string({summary: 'Your merchant id.', helpValue: 'UUID'}),
  'base-url': Flags.string({summary: 'Address of the deposit API.', helpValue: 'URL'}),
  'apply-url': Flags.string({summary: 'Address of the payout API.', helpValue: 'URL'}),
  'legacy-url': Flags.string({
    summary: 'Host of the webhook log. Default: the host of --base-url.',
    helpValue: 'URL',
  }),
  'return-url': Flags.string({summary: 'Address the service sends its webhooks to.', helpValue: 'URL'}),
  'api-secret-file': fileFlag({summary: 'File that holds the API secret.'}),
  'api-secret-env': Flags.string({
    summary: 'Environment variable that holds the API secret when hisab runs.',
    helpValue: 'NAME',
    ...others('secret', ['file']),
  }),
  'api-secret-command': Flags.string({
    summary: 'Command that prints the API secret, words separated by blanks.',
    helpValue: 'COMMAND',
    ...others('secret', ['file', 'env']),
  }),
  'api-key-file': fileFlag({summary: 'File that holds the API key. The webhook log needs it.'}),
  'api-key-env': Flags.string({
    summary: 'Environment variable that holds the API key.',
    helpValue: 'NAME',
    ...others('key', ['file']),
  }),
  'api-key-command': Flags.string({
    summary: 'Command that prints the API key.',
    helpValue: 'COMMAND',
    ...others('key', ['file', 'env']),
  }),
  default: Flags.boolean({default: false, summary: 'Use this profile when none is given.'}),
}

export type InitFlags = FlagsOf<typeof initFlags>
