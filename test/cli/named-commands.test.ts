import {expect, test} from 'vitest'

import {profileIn, withProfile} from '../../src/cli/named-commands.ts'
import RunsShow from '../../src/commands/runs/show.ts'
import {shellAt} from '../commands/run-command.ts'

test.each<[argv: string[], profile: string | undefined]>([
  [['D-1'], undefined],
  [['D-1', '--profile', 'live'], 'live'],
  [['--profile=live', 'D-1', '--json'], 'live'],
  [['D-1', '--profile'], undefined],
  [['--', '--profile', 'live'], undefined],
])('the profile of %j is %s', (argv, profile) => {
  expect(profileIn(argv)).toBe(profile)
})

test.each<[text: string, shown: string]>([
  ['See `hisab runs list`.', 'See `hisab runs list --profile live`.'],
  [
    '`hisab deposit query T-1`, `hisab doctor`',
    '`hisab deposit query T-1 --profile live`, `hisab doctor --profile live`',
  ],
  ['To undo: hisab ignores remove 2', 'To undo: hisab ignores remove 2 --profile live'],
  ['List them: hisab events list --pending.', 'List them: hisab events list --pending --profile live.'],
  [
    '  try: Query it: hisab payout query P-20. Then wait.\n',
    '  try: Query it: hisab payout query P-20 --profile live. Then wait.\n',
  ],
  ['`hisab items note 7 --text "not booked"`', '`hisab items note 7 --text "not booked" --profile live`'],
  ...[
    '`hisab payout query P-1 --profile other`',
    'Run `hisab items assign --help`.',
    '`hisab config init` makes a profile.',
    'Start it: `hisab sandbox start`.',
    'Held: hisab nightly is at work.',
    'It says: hisab pays no row while one is bad.',
    'There is no command `hisab webhook list`.',
  ].map((text): [string, string] => [text, text]),
])('%j carries the profile', (text, shown) => {
  expect(withProfile(text, 'live')).toBe(shown)
  expect(withProfile(text, undefined)).toBe(text)
})

test('a failure names its next command with the profile, as text and for programs', async () => {
  const shell = shellAt('http://127.0.0.1:9')
  const args = ['no-such-run', '--profile', 'sandbox']
  expect((await shell.run(RunsShow, ...args)).stderr).toContain('`hisab runs list --profile sandbox`')
  const {error} = (await shell.run(RunsShow, ...args, '--json')).json() as {error: {hint: string}}
  expect(error.hint).toContain('`hisab runs list --profile sandbox`')
})

test('a profile name is quoted for the shell', () => {
  expect(withProfile('`hisab doctor`', "a'b c")).toBe("`hisab doctor --profile 'a'\\''b c'`")
})
