import {type Check, type CheckStatus, checkNames, checkStatuses} from '../core/doctor/check.ts'
import {checkLabels, checkStatusLabels} from '../core/labels.ts'
import {escapeInvisible} from '../core/text.ts'
import {type SettingLine, shownValue} from './settings-text.ts'
import type {Style} from './table.ts'
import {wrapText} from './wrap.ts'

export interface DoctorView {
  readonly profile: string | null
  readonly settings: readonly SettingLine[]
  readonly assumptions: readonly {
    readonly id: string
    readonly what: string
    readonly value: string
    readonly isSet: boolean
  }[]
  readonly checks: readonly Check[]
}

const nameWidth = 11
const statusWidth = 7
const firstOnline = checkNames.indexOf('base_url')

export function doctorText(view: DoctorView, style: Style, width = Number.POSITIVE_INFINITY): string {
  // A log has each check on one line; a wide screen reads better in a column.
  const lineWidth = Number.isFinite(width) ? Math.min(width, 110) : width
  const rows = (isOnline: boolean) =>
    gather(view.checks.filter(({name}) => checkNames.indexOf(name) >= firstOnline === isOnline)).map((some) =>
      checksText(some, style, lineWidth),
    )
  const parts = [
    view.settings.length > 0 && section('Settings', settingTexts(view.settings, style), style),
    view.assumptions.length > 0 &&
      section(
        'Assumed of the service, whose document leaves these open',
        view.assumptions.map((one) => assumptionText(one, style, lineWidth)),
        style,
      ),
    section('This machine', rows(false), style),
    section('The service', rows(true), style),
    endText(view.checks, style),
  ]
  return parts.filter(Boolean).join('\n\n')
}

function section(title: string, lines: readonly string[], style: Style): string {
  return [style('bold', title), ...lines].join('\n')
}

function settingTexts(settings: readonly SettingLine[], style: Style): string[] {
  const width = Math.max(...settings.map((line) => shownValue(line).length))
  return settings.map((line) => {
    const {key, from, where} = line
    const source = from === 'environment' && where !== null ? where : from
    const text = `  ${key.padEnd(11)}  ${shownValue(line)}`
    if (from === 'unset') return style('dim', text)
    // Of a secret, only its source is shown.
    return key.startsWith('api_')
      ? text
      : `${text.padEnd(15 + width)}  ${style('dim', escapeInvisible(source))}`
  })
}

/** Consecutive checks skipped for the same reason become one line. */
function gather(checks: readonly Check[]): (readonly [Check, ...Check[]])[] {
  const groups: [Check, ...Check[]][] = []
  for (const check of checks) {
    const last = groups.at(-1)
    const isAlike = check.status === 'skipped' && check.next === null && last?.[0].status === 'skipped'
    if (last && isAlike && last[0].why === check.why && last[0].next === null) last.push(check)
    else groups.push([check])
  }
  return groups
}

function checksText([check, ...others]: readonly [Check, ...Check[]], style: Style, width: number): string {
  const {status, why, next} = check
  const label = `  ${styleStatus(status, style)}${' '.repeat(statusWidth - checkStatusLabels[status].en.length)}  `
  if (others.length > 0) {
    const names = [check, ...others].map(titleOf).join(', ')
    const indent = ' '.repeat(2 + statusWidth + 2)
    return style('dim', label + wrapText(`${names}: ${escapeInvisible(why, 600)}`, width, indent).trimStart())
  }
  const indent = ' '.repeat(2 + statusWidth + 2 + nameWidth + 2)
  const body = wrapText(escapeInvisible(why, 600), width, indent).trimStart()
  const first = `${label}${titleOf(check).padEnd(nameWidth)}  ${body}`
  if (next === null) return status === 'skipped' ? style('dim', first) : first
  return `${first}\n${style('cyan', wrapText(`→ ${escapeInvisible(next, 600)}`, width, indent))}`
}

function titleOf({name}: Check): string {
  return checkLabels[name].en
}

function assumptionText(
  {id, what, value, isSet}: DoctorView['assumptions'][number],
  style: Style,
  width: number,
): string {
  const head = `  ${id.padEnd(3)}  ${isSet ? 'set' : '   '}  ${what.padEnd(25)}  `
  const text = `${head}${wrapText(escapeInvisible(value, 400), width, ' '.repeat(head.length)).trimStart()}`
  return isSet ? style('yellow', text) : style('dim', text)
}

function endText(checks: readonly Check[], style: Style): string {
  const counts = checkStatuses.flatMap((status) => {
    const count = checks.filter((check) => check.status === status).length
    const plural = status === 'warning' && count > 1 ? 's' : ''
    const label = checkStatusLabels[status].en
    return count === 0 ? [] : [styleStatus(status, style, `${count} ${label}${plural}`)]
  })
  return counts.join(', ')
}

function styleStatus(status: CheckStatus, style: Style, text: string = checkStatusLabels[status].en): string {
  switch (status) {
    case 'ok':
      return style('green', text)
    case 'warning':
    case 'unknown':
      return style('yellow', text)
    case 'failed':
      return style('red', text)
    case 'skipped':
      return style('dim', text)
  }
}
