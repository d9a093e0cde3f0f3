import {blockText, fieldsText} from './fields-text.ts'

/** A delivery record for the eye: its fields, then what was sent and what came back, all made visible (P24). */
export function recordText({
  payload,
  response_body: responseBody,
  ...fields
}: Readonly<Record<string, unknown>>): string {
  const part = (title: string, value: unknown) =>
    value === undefined || value === null || value === '' ? `${title}  none` : `${title}\n${blockText(value)}`
  return [fieldsText(fields), part('payload', payload), part('response_body', responseBody)].join('\n\n')
}
