// The packages whose code is in the program (dist/THIRD-PARTY.txt), as CycloneDX, with their hashes in the lockfile.
import {readFileSync} from 'node:fs'

const read = (path) => readFileSync(path, 'utf8')
const {name, version} = JSON.parse(read('package.json'))
const locked = Object.entries(JSON.parse(read('package-lock.json')).packages)
const packages = [...read('dist/THIRD-PARTY.txt').matchAll(/^ {2}(\S+)@(\S+) \((.*)\)$/gm)]

const components = packages.map(([, id, release, license]) => {
  const found = locked.find(
    ([path, entry]) => path.endsWith(`node_modules/${id}`) && entry.version === release,
  )
  if (!found) throw new Error(`${id}@${release} is not in the lockfile.`)
  const [algorithm, hash] = found[1].integrity.split('-')
  return {
    ...{type: 'library', name: id, version: release, licenses: [{license: {id: license}}]},
    purl: `pkg:npm/${id.replace('@', '%40')}@${release}`,
    hashes: [{alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(hash, 'base64').toString('hex')}],
  }
})
const component = {type: 'application', name, version, purl: `pkg:npm/${name}@${version}`}
const document = {bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata: {component}, components}
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
