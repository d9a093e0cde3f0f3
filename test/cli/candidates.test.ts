import {expect, test} from 'vitest'

import {candidates, type KnownCommand} from '../../src/cli/completion/candidates.ts'

const option = (...options: string[]) => ({takesValue: true, isMultiple: false, options})
const commands: KnownCommand[] = [
  {words: 'find', options: [], flags: {profile: option()}},
  {words: 'runs list', options: [], flags: {}},
  {words: 'runs show', options: [], flags: {}},
  {words: 'trigger', options: ['deposit.failed', 'payout.failed'], flags: {}},
  {
    words: 'webhooks list',
    options: [],
    flags: {
      status: option('failed', 'success'),
      'order-no': option(),
      all: {takesValue: false, isMultiple: false, options: []},
      code: {takesValue: true, isMultiple: true, options: []},
    },
  },
]
const memory = {
  profiles: async () => ['live', 'sandbox'],
  runIds: async () => ['20261121-041205-7f3a9c'],
  orderNos: async () => ['D-1', 'D-2', 'D-2', '$(reboot)', 'a b'],
}

test.each<[line: string, offered: string[]]>([
  ['', ['find', 'runs', 'trigger', 'webhooks']],
  ['trigger dep', ['deposit.failed']],
  ['ru', ['runs']],
  ['runs ', ['list', 'show']],
  ['runs show ', ['20261121-041205-7f3a9c']],
  // A number that a shell would run is not offered.
  ['find ', ['D-1', 'D-2']],
  ['find D-2', ['D-2']],
  ['find --profile ', ['live', 'sandbox']],
  ['webhooks list --status f', ['failed']],
  ['webhooks list --order-no ', ['D-1', 'D-2']],
  ['webhooks list --all --code 503 --', ['--code', '--order-no', '--status']],
  ['webhooks list --code ', []],
  ['strange ', []],
])('"hisab %s" may become %j', async (line, offered) => {
  expect(await candidates(line.split(' '), commands, memory)).toEqual(offered)
})
