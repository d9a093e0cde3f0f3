/** Shorter secrets can be guessed from one captured signature. */
export const secretLengthMin = 8

/** `text` with every occurrence of the secret masked: a field's value may be the secret itself (P20). */
export function maskSecret(text: string, secret: string): string {
  return secret.length < 4 ? text : text.replaceAll(secret, '***')
}
