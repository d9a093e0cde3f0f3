/** Why a signature is wrong: a closed list, explained in docs/signing.md#the-mistakes-and-what-each-looks-like. */
export const signingCauses = [
  'digest_upper_case',
  'digest_base64',
  'null_included',
  'empty_dropped',
  'zero_or_false_dropped',
  'signature_included',
  'not_sorted',
  'sorted_ignoring_case',
  'values_url_encoded',
  'values_json_escaped',
  'values_trimmed',
  'boolean_rewritten',
  'number_rewritten',
  'nested_as_json',
  'joined_otherwise',
  'key_missing',
  'key_without_name',
  'key_first',
  'secret_whitespace',
  'api_key_as_secret',
  'html_entity',
  'other_hash',
  'extra_parameter',
  'missing_parameter',
  'several',
  'none_found',
] as const
export type SigningCause = (typeof signingCauses)[number]

/** A single mistake; `several` and `none_found` are not. */
export type MistakeCause = Exclude<SigningCause, 'several' | 'none_found'>

export interface CauseText {
  readonly summary: string
  readonly fix: string
}

export const causeTexts: Readonly<Record<SigningCause, CauseText>> = {
  digest_upper_case: {
    summary: 'The digest is right, but not written in lower case.',
    fix: 'Write the MD5 in lower-case hexadecimal.',
  },
  digest_base64: {
    summary: 'The digest is right, but written in base64.',
    fix: 'Write the MD5 in lower-case hexadecimal.',
  },
  null_included: {
    summary: 'A field that is null was signed.',
    fix: 'Leave out every field whose value is null before sorting.',
  },
  empty_dropped: {
    summary: 'A field whose value is an empty string was left out.',
    fix: 'Sign empty strings, as name= with nothing after it; only null and absent fields are left out.',
  },
  zero_or_false_dropped: {
    summary: 'A field whose value is 0 or false was left out as if it were empty.',
    fix: 'Test for null, not for truth: 0 and false are values and are signed.',
  },
  signature_included: {
    summary: 'The field signature was signed itself.',
    fix: 'Remove signature from the fields before building the string.',
  },
  not_sorted: {
    summary: 'The fields were not sorted by name.',
    fix: 'Sort the names in ascending order of their code units.',
  },
  sorted_ignoring_case: {
    summary: 'The names were sorted without regard to case, or by the rules of a language.',
    fix: 'Sort by code unit, so that A comes before _ and _ before a; use no locale.',
  },
  values_url_encoded: {
    summary: 'The values were URL-encoded or decoded before signing.',
    fix: 'Sign the values exactly as they stand in the JSON body.',
  },
  values_json_escaped: {
    summary: 'The values were signed with the escapes of JSON, or without those that stand in them.',
    fix: 'Sign the text of a value, as a JSON parser gives it: / and not \\/, and no \\u09b0 for a letter.',
  },
  values_trimmed: {
    summary:
      'Blanks at the end or the beginning of a value differ between what was signed and what was sent.',
    fix: 'Trim before both or before neither: sign the very text that is sent.',
  },
  boolean_rewritten: {
    summary: 'A true or false was signed in another spelling.',
    fix: 'Write booleans as true and false.',
  },
  number_rewritten: {
    summary: 'A number was signed in another spelling than the body’s.',
    fix: 'Sign a number by the text that is sent; keep amounts and phone numbers as strings.',
  },
  nested_as_json: {
    summary: 'A nested value was turned into text before signing.',
    fix: 'Send flat fields only; the document defines no text for objects and arrays.',
  },
  joined_otherwise: {
    summary: 'The fields were not joined as name=value with & between them.',
    fix: 'Write each field as name=value, and join them with &.',
  },
  key_missing: {
    summary: 'The secret is not in the signed string.',
    fix: 'Append &key= and the API secret after the last field.',
  },
  key_without_name: {
    summary: 'The secret was not appended as &key=.',
    fix: 'Append exactly &key= and the API secret.',
  },
  key_first: {
    summary: 'The secret is not at the end.',
    fix: 'Append &key= and the API secret after the last field, whatever the order of names.',
  },
  secret_whitespace: {
    summary: 'The secret was used with blanks, a newline or quotes around it, or without those it has.',
    fix: 'Strip the newline when reading the secret from a file; compare its length with the issued one.',
  },
  api_key_as_secret: {
    summary: 'The API key was used in place of the API secret.',
    fix: 'Sign with the API secret; the API key is only the header X-API-Key of the legacy API.',
  },
  html_entity: {
    summary: 'The string was damaged by HTML: part of it was read or written as an entity.',
    fix: 'Build the string in code; never copy it through a web page or a template that escapes.',
  },
  other_hash: {
    summary: 'The string is right, but another hash than MD5 over its UTF-8 bytes was used.',
    fix: 'Use plain MD5 over the UTF-8 bytes of the string.',
  },
  extra_parameter: {
    summary: 'What was signed and what was sent differ by a parameter that does not belong to the request.',
    fix: 'Sign exactly the fields of the body: no more, and nothing added to it afterwards.',
  },
  missing_parameter: {
    summary: 'A parameter of the request is missing from what was signed, or from the body.',
    fix: 'Sign exactly the fields that are sent, after the last of them has been set.',
  },
  several: {
    summary: 'Two mistakes together reproduce the signature.',
    fix: 'Mend both.',
  },
  none_found: {
    summary: 'No known mistake reproduces the signature.',
    fix: 'Check first that the secret belongs to this merchant and deployment, then that the body is the one that was signed.',
  },
}
