import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import {afterAll, describe, expect, it, test} from 'vitest'
import {commandFiles} from '../snapshot/command-files.ts'
import {type Cell, cells, faults, nameOf, needsCertificates, play} from './cell.ts'
import {hasOpenssl, makeCertificates} from './certificates.ts'
import {rows} from './commands.ts'
import {sampleCells} from './sample.ts'

/** `HISAB_HOSTILE_SEED=2 npx vitest …` plays other cells; `npm run campaign:hostile` plays them all. */
const seed = Number(process.env.HISAB_HOSTILE_SEED ?? 1)
const sample = sampleCells(seed)

const dir = mkdtempSync(join(tmpdir(), 'hisab-certificates-'))
const certificates = hasOpenssl ? makeCertificates(dir) : null
afterAll(() => rmSync(dir, {recursive: true}))

test('the sample has every fault and every command', () => {
  expect(new Set(sample.map(({fault}) => fault))).toEqual(new Set(faults))
  expect(new Set(sample.map(({row}) => row))).toEqual(new Set(rows))
})

/** They read this machine only, or are asked by others: no answer of the service misleads them. */
// `nightly` asks by the code of `reconcile`, which has its rows.
const asksNothing =
  /^(complete|completion|config|demo|events|ignores|items|journal|ledger|nightly|runs|sandbox|sign|statement|trigger|verify)\b|^(deposit|payout) (list|resolve)$|^webhooks listen$/

test('every command that asks the service meets the faults', () => {
  const met = new Set(rows.flatMap(({args: [noun = '', verb = '']}) => [noun, `${noun} ${verb}`]))
  const asking = commandFiles().map(({words}) => words)
  expect(
    asking.filter((words) => !asksNothing.test(words) && !met.has(words)),
    'add a row to commands.ts',
  ).toEqual([])
})

const isPlayedHere = ({fault: {door, isUntilTimeout}}: Cell) => door === undefined && !isUntilTimeout

/** What this process plays goes one by one; a fault of the address, or one that takes its time, has its own process. */
describe(`a hostile service: ${sample.length} of ${cells.length} cells, seed ${seed}`, () => {
  for (const cell of sample.toSorted((a, b) => Number(isPlayedHere(a)) - Number(isPlayedHere(b)))) {
    it.skipIf(!hasOpenssl && needsCertificates(cell))(
      nameOf(cell),
      {timeout: 120_000, concurrent: !isPlayedHere(cell)},
      async () => {
        const {problems, ended} = await play(cell, certificates, {isHere: isPlayedHere(cell)})
        expect(problems, `${ended.stdout}\n${ended.stderr}`).toEqual([])
      },
    )
  }
})
