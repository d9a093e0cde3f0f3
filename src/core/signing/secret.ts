import {refuseBlank} from './request.ts'

/** A secret as it is used, and what a person should know about it; the notes never quote it (P20). */
export interface PreparedSecret {
  readonly secret: string
  readonly notes: readonly string[]
}

const lengthMin = 8

/**
 * Takes a trailing newline off a secret, since editors and `echo` add one and no service issues one; `exact`
 * keeps it. Throws `credentials_missing` for an empty or blank secret (P22).
 */
export function prepareSecret(raw: string, exact: boolean): PreparedSecret {
  refuseBlank(raw)
  const notes: string[] = []
  const secret = exact ? raw : raw.replace(/(?:\r?\n)+$/, '')
  if (secret !== raw) {
    notes.push('The secret ends in a newline; it is used without it. --exact-secret uses it as it is.')
  }
  if (secret.trim() !== secret && !exact) {
    notes.push('The secret begins or ends with a blank, which is part of the key. Is it meant to?')
  }
  if (secret.length < lengthMin) {
    notes.push(`The secret is only ${secret.length} characters long: a key this short can be guessed.`)
  }
  return {secret, notes}
}

/** `text` with every occurrence of the secret masked: a field's value may be the secret itself. */
export function maskSecret(text: string, secret: string): string {
  return secret.length < 4 ? text : text.replaceAll(secret, '***')
}
