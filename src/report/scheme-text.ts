import type {SignatureRecipe} from '../core/signing/recipe.ts'
import {visible} from '../core/text.ts'
import type {Paint} from './table.ts'

/** One recipe that was tried on the live service, by the configuration's own names. */
interface TriedRecipe {
  readonly input: string
  readonly hash: string
  readonly encoding: string
  readonly key: string
  readonly key_encoding: string
  readonly seen: string
  readonly accepted: boolean
}

export interface SchemeView {
  readonly found: boolean
  /** Whether what was found is what the profile says already. */
  readonly isCurrent: boolean
  readonly toml: string | null
  readonly tried: readonly TriedRecipe[]
}

interface Search {
  readonly tries: readonly {
    readonly recipe: SignatureRecipe
    readonly seen: string
    readonly isAccepted: boolean
  }[]
  readonly found: SignatureRecipe | null
  readonly isCurrent: boolean
}

/** The search as `--json` gives it; its text is made from the same value. */
export function viewScheme({tries, found, isCurrent}: Search, toml: string | null): SchemeView {
  const tried = tries.map(({recipe: {keyEncoding, ...recipe}, seen, isAccepted}) => ({
    ...recipe,
    key_encoding: keyEncoding,
    seen,
    accepted: isAccepted,
  }))
  return {found: found !== null, isCurrent, toml, tried}
}

export function schemeText({found, isCurrent, toml, tried}: SchemeView, paint: Paint): string {
  const rows = tried.map(({input, hash, encoding, key, key_encoding: keyEncoding, seen, accepted}, index) => {
    const how = `${hash} ${encoding}, ${key}${keyEncoding === 'utf8' ? '' : ` as ${keyEncoding}`}`
    const mark = accepted ? paint('green', 'accepted') : paint('dim', 'refused ')
    // Every refusal was like the first, or the search would have stopped.
    const answer = index === 0 && !accepted ? paint('dim', `\n               ${visible(seen, 80)}`) : ''
    return `${String(index + 1).padStart(3)}  ${mark}  ${JSON.stringify(input)}, ${how}${answer}`
  })
  if (isCurrent)
    return [...rows, '', 'The profile’s own recipe is accepted: there is nothing to change.'].join('\n')
  if (found)
    return [...rows, '', `${paint('bold', 'Found.')} For the profile:`, '', toml?.trimEnd() ?? ''].join('\n')
  return [
    ...rows,
    '',
    `None of ${tried.length} is accepted. Check the API key first: a wrong one is refused whatever the signature.`,
    'Find the recipe offline from one captured good request: hisab verify --discover --capture FILE.',
  ].join('\n')
}
