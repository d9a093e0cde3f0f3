// The console in the browser. Every page is rendered by the server; this script asks for it again when something
// has happened, and changes what is different, so that the place, the focus and what was typed stay.
// @ts-check

/** @typedef {{revision: string, now: string}} News */

let shownRevision = document.body.dataset.revision ?? ''
/** @type {EventSource | null} */
let events = null
let isRefreshing = false
let sent = Promise.resolve()
let wantedRevision = shownRevision

const parser = new DOMParser()
/** What takes longer than this is said to go on. */
const slowMs = 600

/** @param {boolean} is */
function showOffline(is) {
  const note = document.getElementById('offline')
  if (note) note.hidden = !is
  document.body.classList.toggle('stale', is)
}

/**
 * Makes `old` like `next`, element by element. Lines of lists are told apart by `data-key`: a button somebody is
 * about to press must not become that of another order.
 * @param {Node} old
 * @param {Node} next
 */
function become(old, next) {
  if (old.isEqualNode(next)) return
  if (
    !(old instanceof Element && next instanceof Element) ||
    old.tagName !== next.tagName ||
    keyOf(old) !== keyOf(next)
  ) {
    old.parentNode?.replaceChild(next, old)
    return
  }
  takeAttributes(old, next)
  const keyed = new Map([...old.children].flatMap((child) => (keyOf(child) ? [[keyOf(child), child]] : [])))
  /** @type {Node | null} */
  let place = old.firstChild
  for (const child of [...next.childNodes]) {
    const key = keyOf(child)
    const match = key ? keyed.get(key) : place && !keyOf(place) ? place : null
    if (!match) {
      old.insertBefore(child, place)
      continue
    }
    if (match === place) place = place.nextSibling
    else old.insertBefore(match, place)
    become(match, child)
  }
  while (place) {
    const rest = place.nextSibling
    old.removeChild(place)
    place = rest
  }
}

/**
 * What a person has opened stays open.
 * @param {Element} old
 * @param {Element} next
 */
function takeAttributes(old, next) {
  for (const {name} of [...old.attributes]) {
    if (!next.hasAttribute(name) && name !== 'open') old.removeAttribute(name)
  }
  for (const {name, value} of next.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  }
}

/** @param {Node | null} node */
function keyOf(node) {
  return node instanceof HTMLElement ? node.dataset.key : undefined
}

/**
 * @param {Document} page
 * @param {string[]} ids
 */
function take(page, ids) {
  for (const id of ids) {
    const [old, next] = [document.getElementById(id), page.getElementById(id)]
    if (old && next) become(old, next)
  }
  document.title = page.title
  shownRevision = page.body.dataset.revision ?? shownRevision
}

async function refresh() {
  // A search costs time: it is asked for by a person, not by every order that comes in.
  const asked = new URLSearchParams(location.search)
  if (isRefreshing || asked.has('q') || asked.has('diagnose')) return
  isRefreshing = true
  try {
    while (wantedRevision !== shownRevision && !document.hidden) {
      const asked = wantedRevision
      const response = await fetch(location.href)
      const page = parser.parseFromString(await response.text(), 'text/html')
      // What was wrong with the last form stays until it is sent again.
      const problem = document.querySelector('#main > .problem')
      if (problem) page.querySelector('#main > h1')?.after(problem.cloneNode(true))
      take(page, ['sections', 'main'])
      // What happened while the page was rendered is in it: asking once more would not end in a busy sandbox.
      if (asked === wantedRevision) wantedRevision = shownRevision
    }
    showOffline(false)
  } catch {
    showOffline(true)
  } finally {
    isRefreshing = false
  }
}

function listen() {
  events?.close()
  events = null
  if (document.hidden) return
  events = new EventSource('/console/events')
  events.addEventListener('news', (event) => {
    const {revision, now} = /** @type {News} */ (JSON.parse(event.data))
    for (const clock of document.querySelectorAll('[data-now]')) clock.textContent = now
    wantedRevision = revision
    if (revision !== shownRevision) void refresh()
    else showOffline(false)
  })
  events.addEventListener('error', () => showOffline(true))
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} submitter
 * @param {URLSearchParams} body
 */
async function send(form, submitter, body) {
  const slow = setTimeout(() => {
    const note = document.createElement('p')
    note.className = 'notice'
    note.textContent = form.dataset.busy ?? 'One moment: the sandbox is at it.'
    showAbove(note)
    announce(note)
  }, slowMs)
  try {
    const response = await fetch(form.action, {method: 'POST', body})
    const page = parser.parseFromString(await response.text(), 'text/html')
    if (!response.redirected) showProblem(page)
    else {
      take(page, ['sections', 'main'])
      const url = new URL(response.url)
      url.searchParams.delete('notice')
      history.pushState(null, '', url)
    }
    say()
  } catch {
    showOffline(true)
  } finally {
    clearTimeout(slow)
    submitter?.removeAttribute('aria-busy')
  }
}

/**
 * What was typed stays where it was not accepted.
 * @param {Document} page
 */
function showProblem(page) {
  showAbove(page.querySelector('#main > .problem'))
}

/** @param {Element | null} note */
function showAbove(note) {
  for (const old of document.querySelectorAll('#main > .notice, #main > .problem')) old.remove()
  if (note) document.querySelector('#main > h1')?.after(note)
}

/** @param {Element | null} note */
function announce(note) {
  const place = document.getElementById('announcement')
  if (place) place.textContent = note?.textContent ?? ''
}

/** What came of it, for those who hear the page; the focus goes to the page where its button is gone. */
function say() {
  const said = document.querySelector('#main .notice, #main .problem')
  announce(said)
  if (document.activeElement === document.body) document.getElementById('main')?.focus({preventScroll: true})
  if (said) said.scrollIntoView({block: 'nearest'})
}

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
  event.preventDefault()
  const {submitter} = event
  if (submitter?.hasAttribute('aria-busy')) return
  submitter?.setAttribute('aria-busy', 'true')
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form, submitter)) body.append(name, String(value))
  // One after the other: what came of the first must not take the place of what came of the second.
  sent = sent.then(() => send(form, submitter, body))
})

// A notice is said once: a reload does not say it again.
const url = new URL(location.href)
if (url.searchParams.has('notice')) {
  url.searchParams.delete('notice')
  history.replaceState(null, '', url)
}

window.addEventListener('popstate', () => location.reload())
// A page nobody looks at lets go of its connection: browsers have only six for one server.
document.addEventListener('visibilitychange', listen)
listen()
