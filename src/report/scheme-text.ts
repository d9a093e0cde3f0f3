import type {SignatureRecipe} from '../core/signing/recipe.ts'
import {escapeInvisible} from '../core/text.ts'
import type {Style} from './table.ts'

/** A recipe that was tried on the live service, in the configuration's names. */
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
  /** Whether the recipe found is the profile's own. */
  readonly isCurrent: boolean
  /** False if a wrong signature was accepted too; null if none was accepted. */
  readonly checksSignatures: boolean | null
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
  readonly isUnchecked: boolean
}

/** The search for `--json`; the text is made from it. */
export function viewScheme({tries, found, isCurrent, isUnchecked}: Search, toml: string | null): SchemeView {
  const tried = tries.map(({recipe: {keyEncoding, ...recipe}, seen, isAccepted}) => ({
    ...recipe,
    key_encoding: keyEncoding,
    seen,
    accepted: isAccepted,
  }))
  const checksSignatures = isUnchecked ? false : found === null ? null : true
  return {found: found !== null, isCurrent, checksSignatures, toml, tried}
}

export function schemeText(
  {found, isCurrent, checksSignatures, toml, tried}: SchemeView,
  style: Style,
): string {
  const rows = tried.map(({input, hash, encoding, key, key_encoding: keyEncoding, seen, accepted}, index) => {
    const how = `${hash} ${encoding}, ${key}${keyEncoding === 'utf8' ? '' : ` as ${keyEncoding}`}`
    const mark = accepted ? style('green', 'accepted') : style('dim', 'refused ')
    // Every refusal was like the first, or the search would have stopped.
    const answer =
      index === 0 && !accepted ? style('dim', `\n               ${escapeInvisible(seen, 80)}`) : ''
    return `${String(index + 1).padStart(3)}  ${mark}  ${JSON.stringify(input)}, ${how}${answer}`
  })
  if (checksSignatures === false) {
    return [
      ...rows,
      '',
      'A deliberately wrong signature is accepted, too: this service does not check signatures here.',
      'So it cannot tell which recipe is right. Nothing is proposed.',
    ].join('\n')
  }
  if (isCurrent)
    return [
      ...rows,
      '',
      'The profile’s own recipe is accepted, and a wrong one is refused: there is nothing to change.',
    ].join('\n')
  if (found)
    return [...rows, '', `${style('bold', 'Found.')} For the profile:`, '', toml?.trimEnd() ?? ''].join('\n')
  return [
    ...rows,
    '',
    `None of ${tried.length} is accepted. Check the API key first: a wrong one is refused whatever the signature.`,
    'Find the recipe offline from one captured good request: hisab verify --discover --capture FILE.',
  ].join('\n')
}
