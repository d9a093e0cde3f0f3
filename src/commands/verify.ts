import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../cli/base-command.ts'
import {discoverRecipe} from '../cli/signing/discover.ts'
import {signingFlags} from '../cli/signing/input.ts'
import {verifyByScheme} from '../cli/signing/verify.ts'
import {Failure} from '../core/failure.ts'
import {signingSchemes} from '../core/signing/signed-request.ts'
import {type DiscoverResult, renderMatches, renderVerdict, type VerifyResult} from '../report/signing-text.ts'

export default class Verify extends BaseCommand {
  static override summary = 'Check a signature. For a wrong one, name the known mistake that makes it.'
  static override description =
    'Exit status 0 for a match, 7 for a mismatch, 2 for input that cannot be checked. Webhooks are checked by their raw bytes. Nothing is sent. --discover finds the recipe of a header signature from a captured good request.'
  static override usage = 'verify [NAME=VALUE… | NAME:=JSON…] [--body FILE|-] [--signature S] [FLAGS]'
  static override strict = false
  static override examples = [
    '<%= config.bin %> verify --body request.json',
    '<%= config.bin %> verify --scheme webhook --body hook.json --json',
    '<%= config.bin %> verify outOrderNo=P-1001 amount=500.00 --signature 9b0e6c2f0d7a4f5e8c1b3a2d4e6f7081',
    '<%= config.bin %> verify --discover --capture good.http --capture another.http',
  ]
  static override flags = {
    ...signingFlags,
    scheme: Flags.option({
      summary: 'What was signed. Default: request; with --discover: legacy.',
      options: signingSchemes,
    })(),
    signature: Flags.string({
      summary: 'Signature to check, where it is not in the body or a header.',
      helpValue: 'S',
    }),
    header: Flags.string({
      summary: 'Header of the request, name in any case. May be repeated.',
      helpValue: "'Name: value'",
      multiple: true,
      multipleNonGreedy: true,
    }),
    capture: Flags.string({
      summary:
        'Captured request, raw HTTP or JSON, instead of the other flags. May be repeated with --discover.',
      helpValue: 'FILE|-',
      multiple: true,
      multipleNonGreedy: true,
    }),
    discover: Flags.boolean({
      summary: 'Find the recipe that reproduces the signature of a captured good request.',
    }),
  }

  async run(): Promise<VerifyResult | DiscoverResult> {
    const {flags, argv} = await this.parse(Verify)
    const loaded = await this.context.loadProfile(flags.profile, 'signing', {
      isSecretExact: flags['exact-secret'],
    })
    const world = {
      profile: loaded.profile,
      secrets: loaded,
      nowMs: Date.now(),
      tell: (note: string) => this.tell(note),
    }
    if (flags.discover) {
      if (argv.length > 0 || flags.scheme === 'request') throw notDiscoverable()
      const startedMs = performance.now()
      const found = await discoverRecipe(
        {...flags, scheme: flags.scheme ?? 'legacy'},
        world,
        () => performance.now() - startedMs,
      )
      await this.show(renderMatches(found, flags.capture?.length ?? 1))
      this.endWith(found.matches.length > 0 ? 0 : 7)
      return found
    }
    const result = await verifyByScheme(
      {...flags, scheme: flags.scheme ?? 'request'},
      argv.map(String),
      world,
    )
    await this.show(renderVerdict(result, process.stdout.columns))
    this.endWith(result.valid ? 0 : 7)
    return result
  }
}

function notDiscoverable(): Failure {
  return new Failure(
    'usage',
    '--discover is for header signatures. The recipe for the fields of a request is known (service §5.1).',
    'Use --scheme legacy or --scheme webhook with --capture, or leave out --discover.',
  )
}
