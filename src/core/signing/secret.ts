/** Shorter secrets can be guessed from one captured signature. */
export const secretLengthMin = 8

/** Whether a secret is only blanks, zero-width and other format characters (P22). */
export function isInvisible(secret: string): boolean {
  return /^[\s\p{C}\p{Z}\u115f\u1160\u3164\uffa0]*$/u.test(secret)
}

/** Masks every occurrence of the secret: a field's value may be the secret itself (P20). */
export function maskSecret(text: string, secret: string): string {
  return secret.length < 4 ? text : text.replaceAll(secret, '***')
}
