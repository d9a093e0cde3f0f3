// The payment page in the browser. The server renders every step; this script follows the order and puts the
// server's next step in place of this one. Without it the page works as well, by forms and reloads.
// @ts-check

/** @typedef {{version: string, ended: boolean, remaining: string | null, announcement: string | null}} News */

const pollMs = 3000

const root = document.documentElement
const livePath = document.body.dataset.live
const here = () => `${location.pathname}${location.search}`
const withLanguage = (/** @type {string} */ path) => `${path}?lang=${root.lang}`

/** @type {EventSource | null} */
let events = null
let pollTimer = 0
let isEnded = livePath === undefined
/** Whether the player has touched the form: then nothing but the order's end takes it away. */
let isEditing = false

root.classList.add('scripted')
if (window.top !== window) root.classList.add('framed')

/** @param {string} text */
function announce(text) {
  const place = document.getElementById('announcement')
  if (place) place.textContent = text
}

/** @param {boolean} is */
function showOffline(is) {
  const note = document.getElementById('offline')
  if (note) note.hidden = !is
}

/**
 * Puts the `main` of an answer in place of this page's.
 * @param {Response} response
 */
async function show(response) {
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const next = page.querySelector('main')
  const old = document.querySelector('main')
  if (!next || !old) return location.reload()
  isEditing = false
  isEnded = page.body.dataset.live === undefined
  old.replaceWith(next)
  document.title = page.title
  announce(next.dataset.announcement ?? '')
  const target = next.querySelector('[role=alert]') ?? next.querySelector('h1')
  if (target instanceof HTMLElement) target.focus({preventScroll: false})
  if (isEnded) stop()
}

/**
 * @param {string} path
 * @param {RequestInit} [init]
 */
async function go(path, init) {
  try {
    const response = await fetch(path, init)
    await show(response)
    // A refused form is shown where it was filled in: its own address cannot be reloaded.
    if (response.redirected || init === undefined) history.replaceState(null, '', response.url || path)
    showOffline(false)
  } catch {
    showOffline(true)
  }
}

/** @param {News} news */
function hear({version, ended, remaining, announcement}) {
  showOffline(false)
  const clock = document.getElementById('remaining')
  if (clock && remaining !== null) clock.textContent = remaining
  if (announcement) announce(announcement)
  const shown = document.querySelector('main')?.dataset.version
  if (version === shown || (isEditing && !ended)) return
  void go(ended ? withLanguage(livePath ?? here()) : here())
}

function listen() {
  stop()
  if (isEnded || document.hidden) return
  events = new EventSource(withLanguage(`${livePath}/events`))
  events.addEventListener('news', (event) => hear(JSON.parse(event.data)))
  events.addEventListener('error', () => {
    showOffline(true)
    // The browser tries again by itself unless the answer was no stream at all: then it is asked for.
    if (events?.readyState === EventSource.CLOSED) poll()
  })
}

function poll() {
  stop()
  pollTimer = window.setTimeout(async () => {
    try {
      hear(await (await fetch(withLanguage(`${livePath}/news`))).json())
    } catch {
      showOffline(true)
    }
    if (!isEnded && !document.hidden) poll()
  }, pollMs)
}

function stop() {
  events?.close()
  events = null
  window.clearTimeout(pollTimer)
}

/** @param {HTMLElement} button */
async function copy(button) {
  const text = button.dataset.copy ?? ''
  const done = copyBySelection(text) || (await copyByPermission(text))
  announce((done ? button.dataset.copied : document.body.dataset.copyFailed) ?? '')
  button.classList.toggle('done', done)
  button.focus()
}

/**
 * What is selected can be copied in frames too, which mostly lack the permission to write to the clipboard.
 * @param {string} text
 */
function copyBySelection(text) {
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'unseen'
  document.body.append(field)
  field.select()
  const isDone = document.execCommand('copy')
  field.remove()
  return isDone
}

/** @param {string} text */
async function copyByPermission(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

document.addEventListener('click', (event) => {
  const target = event.target instanceof Element ? event.target : null
  const button = target?.closest('[data-copy]')
  if (button instanceof HTMLElement) void copy(button)
  const link = target?.closest('a[data-swap]')
  if (link instanceof HTMLAnchorElement && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault()
    void go(`${link.pathname}${link.search}`)
  }
})

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement)) return
  event.preventDefault()
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) body.append(name, String(value))
  void go(form.getAttribute('action') ?? here(), {method: 'POST', body})
})

// A picked amount and a typed one exclude each other; the server takes the typed one.
document.addEventListener('input', (event) => {
  const field = event.target
  if (!(field instanceof HTMLInputElement)) return
  isEditing = true
  if (field.name === 'preset') {
    const typed = document.getElementById('amount')
    if (typed instanceof HTMLInputElement) typed.value = ''
  }
  if (field.name === 'amount' && field.value !== '') {
    for (const preset of document.querySelectorAll('input[name=preset]')) {
      if (preset instanceof HTMLInputElement) preset.checked = false
    }
  }
})

// A page nobody looks at lets go of its connection: browsers have only six for one server.
document.addEventListener('visibilitychange', listen)
window.addEventListener('online', listen)
listen()
