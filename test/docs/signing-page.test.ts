import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import {causeTexts, signingCauses} from '../../src/core/signing/diagnose/cause.ts'
import {recipeParts} from '../../src/core/signing/recipe.ts'
import {runSigning} from '../commands/run-signing.ts'
import {tempDir} from '../temp-dir.ts'

const pagePath = new URL('../../docs/signing.md', import.meta.url)
const page = readFileSync(pagePath, 'utf8')

/** Fenced blocks: ```language [file name]. */
const blocks = [...page.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```$/gms)].map(
  ([whole, language = '', name = '', text = '']) => ({whole, language, name, text}),
)

test('the table has each cause of the closed list once, in its order, with the words verify uses', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.*) \| (.*) \|$/gm)].map(([, ...cells]) => cells)
  expect(rows).toEqual(
    signingCauses.map((cause) => [cause, causeTexts[cause].summary, causeTexts[cause].fix]),
  )
})

test('every part of a recipe is named', () => {
  for (const part of recipeParts) expect(page).toContain(`\`{${part}}\``)
})

test('every transcript is what the commands print (HISAB_UPDATE_DOCS=1 writes them anew)', async () => {
  const dir = tempDir()
  for (const {name, text} of blocks) if (name !== '') writeFileSync(join(dir, name), text.trimEnd())
  let written = page
  const transcripts = blocks.filter(({language}) => language === 'console')
  expect(transcripts.length).toBeGreaterThanOrEqual(3)
  for (const {whole, text} of transcripts) {
    const commands = [...text.matchAll(/^\$ hisab (sign|verify) (.*)$/gm)]
    let played = ''
    for (const [line, name, rest = ''] of commands) {
      const argv = splitWords(rest).map((word) =>
        blocks.some((b) => b.name === word) ? join(dir, word) : word,
      )
      const {stdout, stderr} = await runSigning(name === 'sign' ? 'sign' : 'verify', argv)
      played += `${line}\n${stdout}${stderr}`
    }
    // The one figure that differs from run to run, and how far a slow machine says it is.
    const shown = played
      .replace(/ in \d+\.\d s\./, ' in … s.')
      .replaceAll(/^\S+Z [\d,]+ recipes tried, \d+ found\n/gm, '')
    if (process.env.HISAB_UPDATE_DOCS)
      written = written.replace(whole, () => whole.replace(text, () => shown))
    else expect(text).toBe(shown)
  }
  if (written !== page) writeFileSync(pagePath, written)
})

/** Words as a shell would split them: blanks, and single quotes around what holds one. */
function splitWords(text: string): string[] {
  return [...text.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}
