// The payment page in the browser. The server renders every step; this script follows the order and puts the
// server's next step in place of this one. Without it the page works as well, by forms and reloads.
// @ts-check

/**
 * @typedef {{version: string, ended: boolean, interrupts: boolean, isLastMinute: boolean, remaining: string | null,
 *   announcement: string | null}} News
 * @typedef {{init?: RequestInit, trigger?: HTMLElement, isStep?: boolean}} Way
 */

const pollMs = 3000
/** News come every second. Where none have come for this long, there is no connection, whatever the browser thinks. */
const silenceMs = 6000
const answerMs = 20_000

const root = document.documentElement
const livePath = document.body.dataset.live
const here = () => `${location.pathname}${location.search}`
const withLanguage = (/** @type {string} */ path) => `${path}?lang=${root.lang}`
const choosePath = () => `${withLanguage(livePath ?? '')}&change=1`

/** @type {EventSource | null} */
let events = null
let pollTimer = 0
let silenceTimer = 0
let isEnded = livePath === undefined
let isBusy = false
let isOffline = false
let hasUnsent = false
/** Whether the player has touched the form: then only what makes paying a mistake takes it away. */
let isEditing = false
/** The address that is shown: the browser's own is ahead of it where Back was pressed without a connection. */
let shownPath = here()

root.classList.add('scripted')
if (window.top !== window) root.classList.add('framed')

/** @param {string} text */
function announce(text) {
  const place = document.getElementById('announcement')
  if (place) place.textContent = text
}

/** @param {boolean} is */
function showOffline(is) {
  if (is && !isOffline) announce(document.body.dataset.offline ?? '')
  isOffline = is
  if (!is) hasUnsent = false
  root.classList.toggle('is-offline', is)
  for (const [id, isHidden] of /** @type {const} */ ([
    ['offline', !is],
    ['unsent', !hasUnsent],
  ])) {
    const note = document.getElementById(id)
    if (note) note.hidden = isHidden
  }
}

/**
 * Puts the page of an answer in place of this one.
 * @param {Response} response
 */
async function show(response) {
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const [old, next] = [document.getElementById('page'), page.getElementById('page')]
  if (!next || !old) throw new Error('no page')
  isEditing = false
  isEnded = page.body.dataset.live === undefined
  root.lang = page.documentElement.lang
  Object.assign(document.body.dataset, page.body.dataset)
  document.title = page.title
  old.replaceWith(next)
  announce(next.querySelector('main')?.dataset.announcement ?? '')
  const target = next.querySelector('[autofocus]') ?? next.querySelector('h1')
  if (target instanceof HTMLElement) target.focus()
  if (isEnded) stop()
}

/**
 * Shows what is at `path`. A step that the player took can be taken back; any other takes the place of this one.
 * @param {string} path
 * @param {Way} [way]
 */
async function go(path, {init, trigger, isStep = false} = {}) {
  if (isBusy) return
  isBusy = true
  const idle = trigger && showBusy(trigger)
  try {
    const response = await fetch(path, {...init, signal: AbortSignal.timeout(answerMs)})
    await show(response)
    // A refused form is shown where it was filled in: its own address cannot be reloaded.
    const address = response.redirected ? response.url : init ? here() : path
    if (isStep && address !== here()) {
      // Back leads to the form, as it was sent.
      if (response.redirected) history.replaceState(null, '', choosePath())
      history.pushState({isAfterForm: response.redirected}, '', address)
    } else history.replaceState(history.state, '', address)
    shownPath = here()
    showOffline(false)
  } catch {
    idle?.()
    hasUnsent = trigger !== undefined
    showOffline(true)
  } finally {
    isBusy = false
  }
}

/**
 * Answers how to make it as it was.
 * @param {HTMLElement} trigger
 */
function showBusy(trigger) {
  const {busy} = trigger.dataset
  const text = trigger.textContent
  trigger.setAttribute('aria-busy', 'true')
  if (busy) {
    trigger.textContent = busy
    announce(busy)
  }
  return () => {
    trigger.removeAttribute('aria-busy')
    if (busy) trigger.textContent = text
  }
}

/** @param {News} news */
function hear({version, ended, interrupts, isLastMinute, remaining, announcement}) {
  listenForSilence()
  if (isBusy) return
  showOffline(false)
  const clock = document.getElementById('remaining')
  if (clock && remaining !== null) clock.textContent = remaining
  document.getElementById('timer')?.classList.toggle('last', isLastMinute)
  if (announcement) announce(announcement)
  const shown = document.querySelector('main')?.dataset.version
  if (shownPath === here() && (version === shown || (isEditing && !interrupts))) return
  void go(ended ? withLanguage(livePath ?? here()) : here())
}

function listenForSilence() {
  window.clearTimeout(silenceTimer)
  silenceTimer = window.setTimeout(() => {
    showOffline(true)
    listen()
  }, silenceMs)
}

function listen() {
  stop()
  if (isEnded || document.hidden) return
  listenForSilence()
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
      const signal = AbortSignal.timeout(answerMs)
      hear(await (await fetch(withLanguage(`${livePath}/news`), {signal})).json())
    } catch {
      showOffline(true)
    }
    window.clearTimeout(silenceTimer)
    if (!isEnded && !document.hidden) poll()
  }, pollMs)
}

function stop() {
  events?.close()
  events = null
  window.clearTimeout(pollTimer)
  window.clearTimeout(silenceTimer)
}

/** @param {HTMLElement} button */
async function copy(button) {
  const text = button.dataset.copy ?? ''
  const isDone = copyBySelection(text) || (await copyByPermission(text))
  announce((isDone ? button.dataset.copied : document.body.dataset.copyFailed) ?? '')
  for (const other of document.querySelectorAll('[data-copy]')) {
    if (other instanceof HTMLElement) label(other, false)
  }
  label(button, isDone)
  button.focus()
}

/**
 * @param {HTMLElement} button
 * @param {boolean} isDone
 */
function label(button, isDone) {
  const [word] = button.children
  if (word) word.textContent = (isDone ? button.dataset.done : button.dataset.word) ?? ''
  button.classList.toggle('done', isDone)
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

/**
 * The other language shows what was typed in this one.
 * @param {HTMLAnchorElement} link
 */
function withDraft(link) {
  const url = new URL(link.href)
  const form = document.querySelector('form')
  for (const [name, value] of form ? new FormData(form) : []) url.searchParams.set(name, String(value))
  return `${url.pathname}${url.search}`
}

document.addEventListener('click', (event) => {
  const target = event.target instanceof Element ? event.target : null
  const button = target?.closest('[data-copy]')
  if (button instanceof HTMLElement) void copy(button)
  const link = target?.closest('a[data-swap], a[data-language]')
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const path = `${link.pathname}${link.search}`
  if (link.hasAttribute('data-language')) void go(withDraft(link), {trigger: link})
  // The form that was sent is one step back.
  else if (path === choosePath() && history.state?.isAfterForm) history.back()
  else void go(path, {trigger: link, isStep: true})
})

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement)) return
  event.preventDefault()
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) body.append(name, String(value))
  const trigger = form.querySelector('button') ?? form
  void go(form.getAttribute('action') ?? here(), {init: {method: 'POST', body}, trigger, isStep: true})
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

window.addEventListener('popstate', () => {
  const url = new URL(location.href)
  url.searchParams.set('lang', root.lang)
  void go(`${url.pathname}${url.search}`)
})
// A page nobody looks at lets go of its connection: browsers have only six for one server.
document.addEventListener('visibilitychange', listen)
window.addEventListener('online', listen)
window.addEventListener('offline', () => showOffline(true))
listen()
