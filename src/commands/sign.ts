import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../cli/base-command.ts'
import {signingFlags} from '../cli/signing/input.ts'
import {type PrintedReceiver, readReceiver, receiverLanguages} from '../cli/signing/receivers.ts'
import {type Signing, signByScheme} from '../cli/signing/sign.ts'
import {unwrap} from '../cli/unwrap.ts'
import {type SignedRequest, signingSchemes} from '../core/signing/signed-request.ts'
import {escapeInvisible} from '../core/text.ts'
import {renderExplanation} from '../report/signing-text.ts'

const parts = ['signature', 'body', 'canonical', 'headers', 'curl'] as const
const prints = [...parts, ...receiverLanguages] as const

export default class Sign extends BaseCommand {
  static override summary = 'Compute the signature of a request, a legacy call or a webhook.'
  static override description = unwrap(`
    NAME=VALUE is a string. NAME:=JSON is a number, true, false or null, signed exactly as written. The secret comes from
    the profile or the environment, never from a flag. Nothing is sent.

    \`--print php|python|node|java\` prints a whole program for your own server: it signs requests, receives webhooks, and
    books each once. It needs no fields.
  `)
  static override usage = 'sign [NAME=VALUE… | NAME:=JSON…] [--body FILE|-] [FLAGS]'
  static override strict = false
  static override examples = [
    '<%= config.bin %> sign outOrderNo=P-1001 amount=500.00 bankType=BKASH',
    '<%= config.bin %> sign --body request.json --explain',
    '<%= config.bin %> sign orderNo=D-1001 isTest:=true --print body',
    '<%= config.bin %> sign --scheme legacy --path /api/v1/merchant/webhooks --print curl',
    '<%= config.bin %> sign --print python',
  ]
  static override flags = {
    ...signingFlags,
    scheme: Flags.option({summary: 'What is signed.', options: signingSchemes, default: 'request'})(),
    explain: Flags.boolean({summary: 'Show each step of the signature, with the key as ***.'}),
    print: Flags.option({summary: 'What to print.', options: prints, default: 'signature'})(),
  }

  async run(): Promise<SignedRequest | PrintedReceiver> {
    const {flags, argv} = await this.parse(Sign)
    const {print} = flags
    if (!isPart(print)) {
      const printed = await readReceiver(print, this.config.root, this.context, flags.profile)
      for (const note of printed.notes) this.tell(`note: ${note}`)
      await this.show(printed.code)
      return {language: print, fileName: printed.fileName, code: printed.code}
    }
    const loaded = await this.context.loadProfile(flags.profile, 'signing', {
      isSecretExact: flags['exact-secret'],
    })
    const signing = await signByScheme(flags, argv.map(String), {
      profile: loaded.profile,
      secrets: loaded,
      nowMs: Date.now(),
      tell: (note) => this.tell(note),
    })
    const explained = flags.explain ? renderSteps(signing) : ''
    await this.show(`${explained}${render(signing, print)}`)
    return signing.signed
  }
}

function isPart(print: (typeof prints)[number]): print is (typeof parts)[number] {
  return parts.some((part) => part === print)
}

function render({signed, body, curl}: Signing, print: (typeof parts)[number]): string {
  switch (print) {
    case 'signature':
      return signed.signature
    case 'body':
      return body()
    case 'canonical':
      return escapeInvisible(signed.canonical, Number.POSITIVE_INFINITY)
    case 'headers':
      return Object.entries(signed.headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n')
    case 'curl':
      return curl()
  }
}

function renderSteps({signed, explanation}: Signing): string {
  if (explanation) return `${renderExplanation(explanation)}\n`
  return `The profile signs ${signed.included.join(', ')}:\n   ${escapeInvisible(signed.canonical)}\n\n`
}
