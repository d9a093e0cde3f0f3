// Names the packages whose code the build took in, with the text of each licence: dist/THIRD-PARTY.txt.
import {globSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'

/** What esbuild read, by the metafile of each build. */
export function writeThirdParty(metafiles) {
  const inputs = metafiles.flatMap(({inputs}) => Object.keys(inputs))
  const folders = new Set(
    inputs.flatMap((file) => /^(?:[a-z]+:)?(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
  )
  const packages = [...folders].map(describe).sort((a, b) => (a.title < b.title ? -1 : 1))
  const texts = packages.map(({title, text}) => `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${text}\n`)
  const head = 'hisab holds code of these packages. Each is under its own licence, which follows.\n'
  const list = packages.map(({title}) => `  ${title}\n`).join('')
  writeFileSync('dist/THIRD-PARTY.txt', [head, list, ...texts].join('\n'))
}

function describe(folder) {
  const {name, version, license} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = globSync(`${folder}/{LICENSE,LICENCE,license,licence,License,NOTICE}*`).sort()
  if (files.length === 0 && license !== 'MIT') throw new Error(`${folder} has no licence text.`)
  const text = files.map((file) => readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim()).join('\n\n')
  return {
    title: `${name}@${version} (${license})`,
    text: text || `The package has no text of its own. ${mit}`,
  }
}

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions: The above copyright notice and
this permission notice shall be included in all copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED
"AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS
BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`
