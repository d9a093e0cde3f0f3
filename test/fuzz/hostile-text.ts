import fc from 'fast-check'

/** What somebody would send who wants to drive a terminal, a spreadsheet, a page, a shell or a log. */
const weapons = [
  ...[
    '\u001b[2J',
    '\u001b]0;title\u0007',
    '\u009b1m',
    '\u0000',
    '\b',
    '\r',
    '\n',
    '\r\n',
    '\t',
    '\u0085',
    '\u2028',
  ],
  ...[
    '\u202e',
    '\u2066',
    '\u2069',
    '\u200b',
    '\u200d',
    '\ufeff',
    '\u00ad',
    '\u{e0041}',
    '\ufe0f',
    '\u3164',
    '\ud83d',
  ],
  ...['=1+1', '+1', '-1', '@SUM(A1)', "=cmd|' /C calc'!A0", '\uff1d1', '\t=1', ' =1', '\u00a0=1', '\u200b=1'],
  ...[
    '<script>',
    '<img src=x onerror=alert(1)>',
    '</td>',
    '"',
    "'",
    '&',
    '&lt;',
    '-->',
    'javascript:alert(1)',
  ],
  ...['$(id)', '`id`', '; rm -rf /', '| cat', '\\', '$HOME', '!!', '*', '~', '--', '-d', '>x', '#', "'\\''"],
  ...['01712345678', '500.00', '১২৩', 'রহিমা', 'ক্‍ষ', '{', '}', '%s', 'u7&status=completed', ',', ';', '|'],
]

export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      {weight: 4, arbitrary: fc.constantFrom(...weapons)},
      {weight: 2, arbitrary: fc.string({unit: 'grapheme', maxLength: 5})},
      fc.string({unit: 'binary', maxLength: 3}),
    ),
    {maxLength: 5},
  )
  .map((parts) => parts.join(''))

/** What drives a terminal or hides in a line; line ends are our own layout. */
export const driving = /[^\P{C}\n\p{Cn}\p{Co}]|[\u2028\u2029\u115f\u1160\u3164\uffa0]/u
