// Manual pages, one a command, made of what `--help` shows: dist/man/hisab-webhooks-list.1 and the like.
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'

/** Text that roff takes as text. */
function plain(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')
    .trim()
}

/** Paragraphs; lines that are indented stay as they are. */
function prose(text = '') {
  return text
    .split(/\n{2,}/)
    .map((part) => (/^ /.test(part) ? `.PP\n.nf\n${plain(part)}\n.fi` : `.PP\n${plain(part)}`))
    .join('\n')
}

function flagLines({flags}) {
  const shown = Object.values(flags).filter(({hidden}) => !hidden)
  return shown
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({name, char, type, options, helpValue, summary}) => {
      const value = type === 'boolean' ? '' : ` ${options?.join('|') ?? helpValue ?? 'VALUE'}`
      return `.TP\n.B ${plain(`${char ? `-${char}, ` : ''}--${name}${value}`)}\n${plain(summary ?? '')}`
    })
}

function pageOf(words, command, version) {
  const name = ['hisab', ...words].join('-')
  const line = ['hisab', ...words].join(' ')
  const fill = (text) =>
    text.replaceAll('<%= config.bin %>', 'hisab').replaceAll('<%= command.id %>', words.join(' '))
  const args = Object.values(command.args).map((arg) =>
    arg.required ? arg.name.toUpperCase() : `[${arg.name.toUpperCase()}]`,
  )
  const examples = (command.examples ?? []).map((example) => {
    const {description, command: text} = typeof example === 'string' ? {command: example} : example
    return `.PP\n${description ? `${plain(description)}\n` : ''}.RS\n.nf\n${plain(fill(text))}\n.fi\n.RE`
  })
  return [
    `.TH "${name.toUpperCase()}" 1 "" "hisab ${version}"`,
    `.SH NAME\n${plain(`${name} - ${command.summary}`)}`,
    `.SH SYNOPSIS\n.B ${plain(line)}\n${plain([...args, '[FLAGS]'].join(' '))}`,
    `.SH DESCRIPTION\n${prose(fill(command.description ?? command.summary))}`,
    `.SH FLAGS\n${flagLines(command).join('\n')}`,
    ...(examples.length > 0 ? [`.SH EXAMPLES\n${examples.join('\n')}`] : []),
    '.SH SEE ALSO\n.BR hisab (1)',
  ].join('\n')
}

const {version, commands} = JSON.parse(readFileSync('oclif.manifest.json', 'utf8'))
const shown = Object.values(commands).filter(({id, hidden}) => !hidden && id !== 'help')
mkdirSync('dist/man', {recursive: true})
for (const command of shown) {
  const words = command.id.split(':')
  writeFileSync(`dist/man/${['hisab', ...words].join('-')}.1`, `${pageOf(words, command, version)}\n`)
}
const {description} = JSON.parse(readFileSync('package.json', 'utf8'))
const list = shown.map(({id, summary}) => {
  const words = id.split(':')
  return `.TP\n.BR ${plain(`hisab-${words.join('-')}`)} (1)\n${plain(summary)}`
})
writeFileSync(
  'dist/man/hisab.1',
  `.TH "HISAB" 1 "" "hisab ${version}"\n.SH NAME\nhisab \\- ${plain(description)}\n.SH SYNOPSIS\n.B hisab\nCOMMAND [FLAGS]\n.SH COMMANDS\n${list.join('\n')}\n`,
)
