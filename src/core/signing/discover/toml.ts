import type {SignatureRecipe} from '../recipe.ts'

/** The table of a profile that holds a recipe (docs/configuration.md#configtoml). */
export interface RecipePlace {
  readonly profile: string
  readonly table: 'legacy_signature' | 'webhook_signature'
  /** For webhooks: the headers with signature and timestamp. */
  readonly header: string
  readonly timestampHeader: string
}

/** A recipe as TOML to paste into the configuration. */
export function writeRecipeToml(recipe: SignatureRecipe, place: RecipePlace): string {
  const {input, hash, encoding, key, keyEncoding} = recipe
  const isWebhook = place.table === 'webhook_signature'
  const profile = /^[A-Za-z0-9_-]+$/.test(place.profile) ? place.profile : JSON.stringify(place.profile)
  // A JSON string is a TOML basic string: the same escapes.
  const line = ([name, value]: readonly [string, string]) => `${name} = ${JSON.stringify(value)}`
  const webhook = [
    ['scheme', 'hmac'],
    ['header', place.header],
    ['timestamp_header', place.timestampHeader],
  ] as const
  const rest = [
    ['input', input],
    ['hash', hash],
    ['encoding', encoding],
    ['key', key],
    ['key_encoding', keyEncoding],
  ] as const
  return [
    `[profiles.${profile}.${place.table}]`,
    ...(isWebhook ? webhook.map(line) : []),
    ...rest.map(line),
    '',
  ].join('\n')
}
