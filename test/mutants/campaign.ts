import {mutants} from './mutants.ts'
import {type Played, Workshop} from './workshop.ts'

// Every mutant: `npm run campaign:mutants [-- TEXT]`, TEXT to be found in its name, its promise or its file.
const [wanted = ''] = process.argv.slice(2)
const chosen = mutants.filter(({name, breaks, file}) => `${name} ${breaks} ${file}`.includes(wanted))
const ends: Played['end'][] = []
const startedMs = Date.now()
const workshop = new Workshop()
process.once('exit', () => workshop.close())
process.once('SIGINT', () => process.exit(130))

console.log('| Mutant | Breaks | End | Tests that caught it, the first of them |\n| --- | --- | --- | --- |')
for (const bug of chosen) {
  const {end, caughtBy, alsoRed} = await workshop.play(bug)
  ends.push(end)
  const [first = alsoRed[0] ?? `none of ${bug.caughtBy.join(', ')}`] = caughtBy
  const word = end === 'caught' ? 'caught' : end.toUpperCase()
  console.log(
    `| ${bug.name} | ${bug.breaks} | ${word} | ${caughtBy.length}: ${first.replaceAll('|', '\\|')} |`,
  )
}

const caught = ends.filter((end) => end === 'caught').length
const seconds = Math.round((Date.now() - startedMs) / 1_000)
console.log(`\n${ends.length} mutants, ${caught} caught, ${ends.length - caught} not, ${seconds} s.`)
process.exitCode = caught === ends.length && ends.length > 0 ? 0 : 1
