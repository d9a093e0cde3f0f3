import type {FieldFinding, SeenField} from '../core/doctor/learn-fields.ts'
import type {SeenWord} from '../core/doctor/learn-words.ts'
import {escapeInvisible} from '../core/text.ts'
import {renderTable, type Style} from './table.ts'

export interface Lesson {
  readonly orders: readonly {
    readonly kind: string
    readonly orderNo: string
    readonly found: boolean | null
    readonly word: string | null
    readonly told: string | null
    readonly reads: string | null
    readonly why: string | null
  }[]
  readonly fields: readonly FieldFinding[]
  readonly seen: readonly SeenField[]
  readonly words: readonly SeenWord[]
  /** Words without a given meaning; they stay `unknown_status`. */
  readonly unexplained: readonly string[]
  /** Why nothing may be written; nothing is proposed then. */
  readonly obstacles: readonly string[]
  /** The tables to paste; null if the profile is right, or nothing could be proven. */
  readonly toml: string | null
  readonly readBack: readonly {
    readonly orderNo: string
    readonly status: string | null
    readonly amount: string | null
    readonly why: string | null
  }[]
}

export function lessonText(lesson: Lesson, style: Style): string {
  const parts = [
    ordersTable(lesson, style),
    lesson.seen.length > 0 && fieldsText(lesson, style),
    openText(lesson, style),
    lesson.toml !== null && `${style('bold', 'Proposed for the profile')}\n\n${lesson.toml.trimEnd()}`,
    lesson.readBack.length > 0 && readBackText(lesson, style),
    obstaclesText(lesson, style),
  ]
  return parts.filter(Boolean).join('\n\n')
}

function ordersTable({orders}: Lesson, style: Style): string {
  const columns = [
    {title: 'ORDER'},
    {title: 'KIND'},
    {title: 'SAYS'},
    {title: 'YOU SAY'},
    {title: 'HISAB READS'},
  ]
  const rows = orders.map(({orderNo, kind, word, told, reads, found, why}) => [
    escapeInvisible(orderNo, 40),
    kind,
    found === true
      ? escapeInvisible(word ?? 'nothing', 40)
      : style('yellow', found === false ? 'not found' : 'no answer'),
    told ?? '',
    found === null
      ? escapeInvisible(why ?? '', 60)
      : reads === 'unknown_status'
        ? style('yellow', reads)
        : (reads ?? ''),
  ])
  return renderTable(columns, rows, style)
}

function fieldsText({seen, fields, orders}: Lesson, style: Style): string {
  const found = orders.filter((order) => order.found === true).length
  const width = seen.reduce((most, {name}) => Math.max(most, escapeInvisible(name, 40).length), 0)
  const kinds = seen.map(({kind, orders: count}) =>
    count === found ? kind : `${kind}, in ${count} of ${found}`,
  )
  const kindWidth = Math.max(...kinds.map((kind) => kind.length))
  const lines = seen.map(({name}, index) => {
    const meant = fields.find((field) => field.state !== 'undecided' && field.names.includes(name))
    const use = meant ? `  ${style(meant.state === 'found' ? 'yellow' : 'green', meant.field)}` : ''
    return `  ${escapeInvisible(name, 40).padEnd(width)}  ${(kinds[index] ?? '').padEnd(kindWidth)}${use}`.trimEnd()
  })
  return [style('bold', 'Fields of the answers'), ...lines].join('\n')
}

function openText({fields, unexplained}: Lesson, style: Style): string {
  const lines = fields
    .filter(({state}) => state === 'undecided')
    .map(({field, candidates, note}) => {
      if (note !== null) return `${field}: ${note}`
      const setting = `hisab config set response.${field} NAME`
      return candidates.length === 0
        ? `${field}: no field fits. If you know its name: ${setting}`
        : `${field}: ${candidates.map((name) => escapeInvisible(name, 40)).join(' and ')} fit. Choose: ${setting}`
    })
  for (const word of unexplained) {
    lines.push(
      `"${escapeInvisible(word, 60)}": nobody said what it means. Say so with --completed, --open or --failed and its order number.`,
    )
  }
  return lines.length === 0
    ? ''
    : [style('bold', 'Still open'), ...lines.map((line) => `  ${line}`)].join('\n')
}

function obstaclesText({obstacles}: Lesson, style: Style): string {
  if (obstacles.length === 0) return ''
  return [
    style('red', 'Nothing is proposed, and nothing is written'),
    ...obstacles.map((line) => `  ${line}`),
  ].join('\n')
}

function readBackText({readBack, toml}: Lesson, style: Style): string {
  const width = readBack.reduce((most, {orderNo}) => Math.max(most, escapeInvisible(orderNo, 40).length), 0)
  const lines = readBack.map(({orderNo, status, amount, why}) => {
    const result =
      status === null
        ? style('red', escapeInvisible(why ?? '', 200))
        : `${status}${amount === null ? '' : `, BDT ${amount}`}`
    return `  ${escapeInvisible(orderNo, 40).padEnd(width)}  ${result}`
  })
  return [style('bold', toml === null ? 'As the profile reads them' : 'Read with it'), ...lines].join('\n')
}
