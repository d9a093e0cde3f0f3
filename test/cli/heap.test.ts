import {execFileSync} from 'node:child_process'
import {expect, test} from 'vitest'

const nursery = JSON.stringify(new URL('../../src/cli/heap.ts', import.meta.url).href)

test('the nursery is 16 MiB at once, and stays so however many rows live for a moment', () => {
  const script = `
    import {getHeapSpaceStatistics} from 'node:v8'
    import {holdHeap} from ${nursery}
    const size = () => getHeapSpaceStatistics().find(({space_name}) => space_name === 'new_space').space_size / 2 ** 20
    holdHeap()
    const held = size()
    let rows = []
    for (let row = 0; row < 2_000_000; row++) {
      rows.push({row})
      if (rows.length === 100_000) rows = []
    }
    console.log(held, size())`
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', script]).toString()).toBe('16 16\n')
})
