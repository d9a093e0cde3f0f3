// Sorts, filters and copies the rows of the page's own data. Without it the gravest rows are shown as they are.
;(() => {
  const source = document.getElementById('rows')
  const tools = document.getElementById('tools')
  const table = document.getElementById('breaks')
  const body = table?.querySelector('tbody')
  const paperMax = 1000
  const size = 100
  /**
   * @typedef {{gravity: number, result: string, cause: string, next: string, tone: string, person: 0 | 1}} Group
   * @typedef {[number, string, number, number | null, number, string | null, number, string | null, number, string | null, number | null, number[]]} Row
   * @typedef {{rows: Row[], texts: string[], groups: Group[], words: Record<string, string>, heads: string[], lang: string, total: number}} Data
   */
  const {copy: toCopy = '', copied = ''} = document.documentElement.dataset
  for (const one of document.querySelectorAll('.copied')) addCopying(one)
  if (!source || !tools || !table || !body) return

  /** @type {Data} */
  const data = JSON.parse(source.textContent ?? '')
  source.remove()
  const {rows, texts, groups, words, heads, lang} = data
  const none = {gravity: 0, result: '', cause: '', next: '', tone: '', person: 0}
  const groupOf = (/** @type {Row} */ row) => groups[row[0]] ?? none
  const textOf = (/** @type {number} */ at) => texts[at] ?? ''
  const byGravity = (/** @type {Row} */ a, /** @type {Row} */ b) => groupOf(a).gravity - groupOf(b).gravity

  let shown = rows.sort(byGravity)
  let from = 0
  const filter = {find: '', group: '', person: false}
  /** @type {{column: number, down: boolean} | null} */
  let order = null

  const digits = (/** @type {string} */ text) =>
    lang === 'bn' ? text.replace(/[0-9]/g, (digit) => String.fromCharCode(0x9e6 + Number(digit))) : text
  const count = (/** @type {number} */ n) => digits(grouped(String(n)))
  const money = (/** @type {string | null} */ amount) => {
    if (amount === null) return '–'
    const [taka = '', paisa = '00'] = amount.split('.')
    return digits(`${grouped(taka)}.${paisa}`)
  }

  /** In lakh and crore. @param {string} whole */
  function grouped(whole) {
    return whole.replace(/(?<=\d)(?=(\d\d)*\d{3}$)/g, ',')
  }

  /** @param {string} name @param {Record<string, string>} values */
  function say(name, values = {}) {
    return (words[name] ?? '').replace(/\{(\w+)\}/g, (_, key) => values[key] ?? '')
  }

  /** Values that sort: of an amount its paisa. @type {((row: Row) => string | bigint | number)[]} */
  const keys = [
    (row) => row[1],
    (row) => `${groupOf(row).result} ${groupOf(row).cause}`,
    (row) => paisa(row[5]),
    (row) => paisa(row[7]),
    (row) => paisa(row[9]),
    (row) => row[10] ?? -2,
    (row) => groupOf(row).next,
  ]

  /** @param {string | null} amount */
  function paisa(amount) {
    return amount === null ? -(10n ** 30n) : BigInt(amount.replace('.', ''))
  }

  function choose() {
    const wanted = filter.find.trim().toLowerCase()
    shown = rows.filter((row) => {
      const group = groupOf(row)
      if (filter.person && group.person === 0) return false
      if (filter.group !== '' && `${group.result}|${group.cause}|${group.next}` !== filter.group) return false
      return wanted === '' || textOfRow(row).toLowerCase().includes(wanted)
    })
    if (order) {
      const {column, down} = order
      const key = keys[column] ?? (() => 0)
      const known = new Map(shown.map((row) => [row, key(row)]))
      const sign = down ? -1 : 1
      shown.sort((a, b) => {
        const [x, y] = [known.get(a) ?? 0, known.get(b) ?? 0]
        return x < y ? -sign : x > y ? sign : 0
      })
    }
    from = 0
    draw(size)
  }

  /** @param {Row} row */
  function textOfRow(row) {
    const {result, cause, next} = groupOf(row)
    return [row[1], row[5], row[7], row[9], result, cause, next, ...row[11].map(textOf)].join(' ')
  }

  /** @param {number} many */
  function draw(many) {
    const to = Math.min(from + many, shown.length)
    body?.replaceChildren(...shown.slice(from, to).map(rowElement))
    const values = {from: count(to === 0 ? 0 : from + 1), to: count(to), n: count(shown.length)}
    range.textContent = say('shownRows', values)
    before.disabled = from === 0
    after.disabled = to >= shown.length
  }

  /** @param {Row} row */
  function rowElement(row) {
    const [, orderNo, kind, line, file, ledger, ledgerStatus, service, serviceStatus, atRisk, age, said] = row
    const group = groupOf(row)
    const place = [textOf(kind), line === null ? '' : `${say('line')} ${count(line)}`, textOf(file)]
    const old = age === null ? '' : age < 0 ? say('fresh') : say('days', {n: count(age)})
    const cells = [
      cell(0, element('code', orderNo), place.filter(Boolean).join(' · ')),
      cell(1, element('b', group.result, group.tone), group.cause),
      cell(2, money(ledger), textOf(ledgerStatus), 'n'),
      cell(3, money(service), textOf(serviceStatus), 'n'),
      cell(4, money(atRisk), '', 'n'),
      cell(5, old, '', old === '' ? 'n none' : 'n'),
      cell(6, group.next, said.map(textOf).join(' ')),
    ]
    const tr = document.createElement('tr')
    tr.append(...cells)
    return tr
  }

  /** @param {number} at @param {Node | string} first @param {string} second @param {string} look */
  function cell(at, first, second, look = '') {
    const td = element('td', '', look)
    td.dataset.l = heads[at] ?? ''
    const small = element('small', second)
    td.append(first, small)
    return td
  }

  /** @param {string} name @param {string} text @param {string} look */
  function element(name, text, look = '') {
    const one = document.createElement(name)
    one.textContent = text
    if (look !== '') one.className = look
    return one
  }

  /** @param {string} name @param {() => void} act */
  function button(name, act) {
    const one = document.createElement('button')
    one.type = 'button'
    one.textContent = say(name)
    one.addEventListener('click', act)
    return one
  }

  const before = button('before', () => {
    from = Math.max(0, from - size)
    draw(size)
  })
  const after = button('after', () => {
    from += size
    draw(size)
  })
  const range = element('span', '', 'much')
  range.setAttribute('role', 'status')

  const find = document.createElement('input')
  find.type = 'search'
  find.placeholder = say('find')
  find.setAttribute('aria-label', say('find'))
  let waiting = 0
  find.addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = window.setTimeout(() => {
      filter.find = find.value
      choose()
    }, 150)
  })

  const select = document.createElement('select')
  select.setAttribute('aria-label', heads[1] ?? '')
  const names = new Map(
    groups
      .toSorted((a, b) => a.gravity - b.gravity)
      .map(({result, cause, next}) => [
        `${result}|${cause}|${next}`,
        [result, cause, next].filter(Boolean).join('; '),
      ]),
  )
  select.append(new Option(say('everything'), ''), ...[...names].map(([key, name]) => new Option(name, key)))
  select.addEventListener('change', () => {
    filter.group = select.value
    choose()
  })

  const person = document.createElement('input')
  person.type = 'checkbox'
  const label = document.createElement('label')
  label.append(person, ` ${say('onlyPerson')}`)
  person.addEventListener('change', () => {
    filter.person = person.checked
    choose()
  })

  const copyAll = button('copyRows', () => {
    const lines = shown.map((row) => {
      const {result, cause, next} = groupOf(row)
      const text = [row[1], result, cause, row[5], row[7], row[9], row[10], next, ...row[11].map(textOf)]
      return text.map(forSheet).join('\t')
    })
    void copy(lines.join('\n'), copyAll)
  })

  /** A sheet that takes the rows reads no formula in them (P24). @param {string | number | null} value */
  function forSheet(value) {
    const text = String(value ?? '').replace(/[\t\r\n]/g, ' ')
    return /^\s*[=+\-@＝＋－＠]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
  }

  tools.className = 'tools'
  tools.hidden = false
  tools.append(find, select, label, copyAll, range, before, after)
  document.getElementById('first')?.remove()
  for (const [at, th] of table.querySelectorAll('thead th').entries()) {
    const name = th.textContent ?? ''
    const press = document.createElement('button')
    press.type = 'button'
    press.textContent = name
    press.addEventListener('click', () => {
      order = {column: at, down: order?.column === at ? !order.down : th.className === 'n'}
      for (const other of table.querySelectorAll('th')) other.removeAttribute('aria-sort')
      th.setAttribute('aria-sort', order.down ? 'descending' : 'ascending')
      choose()
    })
    th.replaceChildren(press)
  }
  for (const row of document.querySelectorAll('tr[data-group]')) {
    const key = row.getAttribute('data-group') ?? ''
    if (!names.has(key)) continue
    const press = document.createElement('button')
    press.type = 'button'
    press.textContent = row.querySelector('b')?.textContent ?? ''
    press.className = 'link'
    press.addEventListener('click', () => {
      select.value = key
      filter.group = key
      choose()
      document.getElementById('list')?.scrollIntoView()
    })
    row.querySelector('b')?.replaceChildren(press)
  }
  // On paper nothing is behind a button.
  window.addEventListener('beforeprint', () => draw(paperMax))
  window.addEventListener('afterprint', () => draw(size))
  draw(size)

  /** A button beside a command. @param {Element} line */
  function addCopying(line) {
    const command = line.textContent ?? ''
    const press = document.createElement('button')
    press.type = 'button'
    press.textContent = toCopy
    press.addEventListener('click', () => void copy(command, press))
    line.append(press)
  }

  /** @param {string} text @param {Element} where */
  async function copy(text, where) {
    const said = where.textContent
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      const area = document.createElement('textarea')
      area.value = text
      document.body.append(area)
      area.select()
      document.execCommand('copy')
      area.remove()
    }
    where.textContent = copied
    window.setTimeout(() => {
      where.textContent = said
    }, 1200)
  }
})()
