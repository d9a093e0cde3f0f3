import {z} from 'zod'
import {ledgerColumns, ledgerContents, ledgerDates} from '../core/profile.ts'
import {recipeEncodings, recipeHashes, recipeKeyEncodings, recipeKeys} from '../core/signing/recipe.ts'
import {type SecretSetting, secretProblem} from './secret-setting.ts'

/**
 * The shape of `config.toml` (docs/configuration.md#configtoml), strict everywhere. The code that uses a value checks
 * its meaning.
 */

const word = z.string().min(1)
const words = z.array(word)
const oneOrMore = z.array(word).min(1)

/** Text, or a whole number: TOML's decimals are floats, and money is exact (P12). */
const taka = z.union([word, z.int()], {error: 'must be an amount in quotes, as "50000.00"'})

const secret = z
  .unknown()
  .superRefine((value, context) => {
    const problem = secretProblem(value)
    if (problem !== null) context.addIssue({code: 'custom', message: problem})
  })
  .transform((value) => value as SecretSetting)

const recipe = {
  input: word.optional(),
  hash: z.enum(recipeHashes).optional(),
  encoding: z.enum(recipeEncodings).optional(),
  key: z.enum(recipeKeys).optional(),
  key_encoding: z.enum(recipeKeyEncodings).optional(),
}

const stateWords = z.strictObject({
  completed: words.optional(),
  open: words.optional(),
  failed: words.optional(),
})

const serviceWords = stateWords.extend({deposit: stateWords.optional(), payout: stateWords.optional()})

const headers = z.strictObject(
  Object.fromEntries(ledgerColumns.map((column) => [column, word.optional()])) as Record<
    (typeof ledgerColumns)[number],
    z.ZodOptional<typeof word>
  >,
)

const profile = z.strictObject({
  merchant_id: word.optional(),
  environment: word.optional(),
  base_url: word.optional(),
  apply_url: word.optional(),
  legacy_url: word.optional(),
  return_url: word.optional(),
  proxy: word.optional(),
  api_secret: secret.optional(),
  api_key: secret.optional(),
  journal: secret.optional(),
  deposit_query: z.strictObject({order_no: word.optional()}).optional(),
  response: z
    .strictObject({
      order_no: z.union([word, oneOrMore], {error: 'must be a name, or a list of names'}).optional(),
      platform_order_no: word.optional(),
      status: word.optional(),
      amount: word.optional(),
    })
    .optional(),
  status: serviceWords.optional(),
  error: z.strictObject({code: oneOrMore.optional(), message: oneOrMore.optional()}).optional(),
  not_found: z
    .strictObject({
      http: z
        .array(
          z.number().refine((status) => Number.isInteger(status) && status >= 400 && status <= 499, {
            error: 'must be an HTTP status from 400 to 499',
          }),
        )
        .optional(),
      codes: words.optional(),
    })
    .optional(),
  refusal_codes: words.optional(),
  legacy_signature: z.strictObject(recipe).optional(),
  webhook_signature: z
    .strictObject({
      scheme: z.enum(['md5-sorted', 'hmac']).optional(),
      header: word.optional(),
      timestamp_header: word.optional(),
      max_age: word.optional(),
      ...recipe,
    })
    .optional(),
  delivery_join: z.strictObject({by: z.array(z.enum(['merchant_order_id', 'order_id'])).min(1)}).optional(),
  request_signature: z
    .strictObject({
      empty_strings: z.enum(['signed', 'dropped']).optional(),
      sort: z.enum(['code_unit', 'ignore_case']).optional(),
    })
    .optional(),
  sandbox: z.strictObject({deliver_to: z.array(word).optional()}).optional(),
  payouts: z
    .strictObject({
      ...{max_amount: taka.optional(), daily_ceiling: taka.optional()},
      // A mark may be a blank.
      ...{ignored_columns: z.array(z.string()).optional(), ignored_marks: z.array(z.string()).optional()},
    })
    .optional(),
  evidence: z
    .strictObject({
      keep: word.optional(),
      runs: z.union([word, z.int()], {error: 'must be a number of runs'}).optional(),
      dir: word.optional(),
    })
    .optional(),
  timeouts: z
    .strictObject({connect: word.optional(), answer: word.optional(), total: word.optional()})
    .optional(),
  ledger: z
    .strictObject({
      timezone: word.optional(),
      holds: z.enum(ledgerContents).optional(),
      dates: z.enum(ledgerDates).optional(),
      ignored_columns: z.array(word).optional(),
      ignored_texts: z.array(word).optional(),
      columns: headers.optional(),
      import: z.strictObject({sheet: word.optional(), columns: headers.optional()}).optional(),
      status: stateWords.optional(),
      kind: z
        .strictObject({deposit: words.optional(), payout: words.optional(), other: words.optional()})
        .optional(),
    })
    .optional(),
})

export const configSchema = z.strictObject({
  default_profile: word.optional(),
  profiles: z
    .record(
      z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, {
        error: 'a profile’s name is made of letters, digits, ".", "_" and "-"',
      }),
      profile,
    )
    .optional(),
})

export type ProfileSettings = z.output<typeof profile>

/** The keys known at a place of the file, for "did you mean". */
export function keysAt(path: readonly PropertyKey[]): string[] {
  const schema = schemaAt(path)
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}

/** What a place of the file may hold. `unknown`: no such key. `either`: one word, or a list of them. */
export type SettingShape = 'unknown' | 'table' | 'secret' | 'text' | 'list' | 'either'

export function shapeAt(path: readonly PropertyKey[]): SettingShape {
  const schema = schemaAt(path)
  if (schema === undefined) return 'unknown'
  if (schema === secret) return 'secret'
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) return 'table'
  if (schema instanceof z.ZodArray) return 'list'
  return schema instanceof z.ZodUnion ? 'either' : 'text'
}

function schemaAt(path: readonly PropertyKey[]): unknown {
  let schema: unknown = configSchema
  for (const step of path) {
    if (schema instanceof z.ZodRecord) schema = schema.valueType
    else if (schema instanceof z.ZodObject) {
      schema = Object.hasOwn(schema.shape, step) ? schema.shape[String(step)] : undefined
    } else return undefined
    while (schema instanceof z.ZodOptional) schema = schema.unwrap()
  }
  return schema
}
