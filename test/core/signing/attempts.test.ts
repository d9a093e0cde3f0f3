import {expect, test} from 'vitest'
import {type Draft, rightDraft, signDraft} from '../../../src/core/signing/diagnose/draft.ts'
import {mistakes} from '../../../src/core/signing/diagnose/search.ts'
import {readBody} from '../../../src/core/signing/fields.ts'
import {documentedRule, type RequestSignatureRule} from '../../../src/core/signing/request.ts'

const caseless = {...documentedRule, sort: 'ignore_case', emptyStrings: 'dropped'} as const

/** Bodies in which a mistake shows, and the mistakes that are of interest in them; null for all. */
const bodies: readonly (readonly [
  body: string,
  rule: RequestSignatureRule,
  causes: readonly string[] | null,
])[] = [
  ['{"playerRef":"p","b":"y","a":"x"}', documentedRule, null],
  ['{"isTest":true,"z":false,"one":"1"}', documentedRule, ['boolean_rewritten', 'zero_or_false_dropped']],
  ['{"amount":"1250.50"}', documentedRule, ['number_rewritten']],
  ['{"amount":1500000}', documentedRule, ['number_rewritten']],
  ['{"amount":"0.125"}', documentedRule, ['number_rewritten']],
  ['{"amount":"-12e2"}', documentedRule, ['number_rewritten']],
  ['{"amount":"12345678901234567890"}', documentedRule, ['number_rewritten']],
  ['{"amount":"007","n":"1e12"}', documentedRule, ['number_rewritten']],
  ['{"account":"01712345678","other":"+8801712345678"}', documentedRule, ['number_rewritten']],
  [
    '{"userName":" R  <ক/\\"\'&amp;%20+~!\\\\u09b0 "}',
    documentedRule,
    ['values_trimmed', 'values_url_encoded', 'values_json_escaped', 'html_entity'],
  ],
  ['{"a":"&not&times;x<b>"}', documentedRule, ['html_entity']],
  [
    '{"e":"","f":"","n":null,"m":null,"z":0,"y":"0","x":false}',
    documentedRule,
    ['null_included', 'empty_dropped', 'zero_or_false_dropped'],
  ],
  ['{"e":"","playerRef":"","a":"1"}', caseless, ['empty_dropped', 'null_included']],
  [
    '{"userName":"R","B_":"1","bC":"2","a":"3","merchantId":"m","returnUrl":"u","amount":"1"}',
    documentedRule,
    ['not_sorted', 'sorted_ignoring_case'],
  ],
  ['{"e":"","B_":"1","bC":"2","a":"3"}', caseless, ['extra_parameter']],
  ['{"userName":"R","B_":"1","bC":"2","a":"3"}', caseless, ['not_sorted', 'sorted_ignoring_case']],
  ['{"x":{"c":"d/e","b":[1.50,null,"f"]},"y":["g",{"h":true}],"a":"1"}', documentedRule, ['nested_as_json']],
  ['{"x":"{\\"c\\": \\"d\\",\\"b\\":[1.50]}","y":"[oops","a":"1"}', documentedRule, ['nested_as_json']],
]

const world = {apiKey: 'API-KEY', merchantId: 'm-7', signatureInBody: 'old'}

/** The string itself, where a hash would be. */
function textOf(draft: Draft, key: string): string {
  const of = (text: string) => text
  return signDraft({...draft, digest: {...draft.digest, of}}, key)
}

// `npm run snapshot` writes the file anew: read its difference.
test('every string that is tried for a wrong signature', async () => {
  const lines: string[] = []
  for (const [body, rule, causes] of bodies) {
    const draft = rightDraft(readBody(Buffer.from(body), 'the body'), rule)
    const isCaseless = rule === caseless
    lines.push('', `${body}${isCaseless ? ', sorted ignoring case, without empty values' : ''}`)
    for (const {cause, attempts} of mistakes) {
      if (causes !== null && !causes.includes(cause)) continue
      lines.push(`  ${cause}`)
      const key = cause === 'secret_whitespace' ? ' "SECRET" ' : 'SECRET'
      for (const {draft: tried, detail} of attempts(draft, world)) {
        const digest = tried.digest === draft.digest ? '' : `, hash ${signDraft(tried, 'SECRET').slice(0, 8)}`
        lines.push(`    ${JSON.stringify(textOf(tried, key))} ${JSON.stringify(detail)}${digest}`)
      }
    }
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('attempts.txt')
})
