import {type Context, Hono} from 'hono'
import {inDigits, type Language} from '../../core/language.ts'
import {payoutChannels} from '../../core/order.ts'
import {Refusal} from '../answers.ts'
import {requireOwnOrigin} from '../loopback.ts'
import type {SandboxParts} from '../parts.ts'
import type {PaySession} from '../store/pay-sessions.ts'
import {readForm} from '../web/form.ts'
import type {Html} from '../web/html-page.ts'
import {streamLive} from '../web/live-feed.ts'
import {pageHeaders} from '../web/page-headers.ts'
import {readTypedAmount} from './amount.ts'
import {chooseView, type FormFields, type Mistakes} from './choose-view.ts'
import {chooseLanguage, showRemaining} from './language.ts'
import {payLayout} from './layout.ts'
import {checkingView, type OrderParts, paidView, payView, unknownView, unpaidView} from './order-view.ts'
import {interrupts, isEnded, type Standing, standingOf, versionOf} from './standing.ts'
import {textsOf} from './texts.ts'
import {isLastMinute} from './time-left.ts'

/** How often a page gets the time left. */
const tickMs = 1000
/** Reload interval of a page without scripts. */
const reloadS = 5
const announcedMinutes = [5, 1]

/** The payment page behind `payUrl` (service §1, §2.1). It shows no player's name: whoever knows the code may pay. */
export function payRoutes(parts: SandboxParts): Hono {
  const {payService, feed} = parts
  const routes = new Hono()
  routes.use('/pay/*', pageHeaders('anybody'))
  routes.use('/pay/*', requireOwnOrigin)

  routes.get('/pay/:payCode', (c) => {
    const session = payService.findByPayCode(c.req.param('payCode'))
    return session ? showOrder(c, parts, session) : showUnknown(c)
  })

  routes.post('/pay/:payCode/choice', async (c) => {
    const session = payService.findByPayCode(c.req.param('payCode'))
    if (!session) return showUnknown(c)
    const form = await readForm(c)
    const fields = readFields((name) => form.get(name))
    const typed = readTypedAmount(fields.amount.trim() || fields.preset)
    const channel = payoutChannels.find((known) => known === fields.channel)
    if ('problem' in typed || !channel) {
      const wrong = {amount: 'problem' in typed ? typed.problem : null, channel: !channel}
      return showOrder(c, parts, session, {fields, wrong})
    }
    try {
      payService.choose(session, {amount: typed.amount, channel})
    } catch (error) {
      // Paid or expired meanwhile, perhaps in another tab: the page shows it.
      if (!(error instanceof Refusal)) throw error
    }
    return c.redirect(`/pay/${session.payCode}?lang=${languageOf(c)}`, 303)
  })

  routes.get('/pay/:payCode/events', (c) => {
    const session = payService.findByPayCode(c.req.param('payCode'))
    if (!session) return showUnknown(c)
    const language = languageOf(c)
    const {platformOrderNo} = session
    let before: number | null = null
    return streamLive(c, feed, {
      isWanted: (event) =>
        event.type === 'sms_handled' ||
        ('platformOrderNo' in event && event.platformOrderNo === platformOrderNo),
      message() {
        const standing = standingOf(payService, payService.find(session.seq) ?? session)
        const news = newsOf(standing, language, before)
        before = remainingOf(standing)
        return {event: 'news', data: JSON.stringify(news)}
      },
      idleMs: tickMs,
      gatherMs: 0,
    })
  })

  /** The news once, for browsers that get no events. */
  routes.get('/pay/:payCode/news', (c) => {
    const session = payService.findByPayCode(c.req.param('payCode'))
    return session ? c.json(newsOf(standingOf(payService, session), languageOf(c), null)) : showUnknown(c)
  })

  return routes
}

interface Refused {
  readonly fields: FormFields
  readonly wrong: Mistakes
}

function showOrder(
  c: Context,
  {payService, merchants}: SandboxParts,
  session: PaySession,
  refused?: Refused,
): Response | Promise<Response> {
  const language = languageOf(c)
  const standing = standingOf(payService, session)
  const payee =
    merchants.get(session.merchantId)?.name || URL.parse(session.returnUrl)?.host || session.merchantId
  const hasForm = standing.step === 'choose' || (standing.step === 'pay' && (refused || isChanging(c)))
  const fields = hasForm ? (refused?.fields ?? readDraft(c)) : null
  const order = {session, payee, language}
  const main = hasForm
    ? chooseView({...{language, session, standing, fields}, wrong: refused?.wrong ?? null})
    : mainOf(order, standing)
  return c.html(
    payLayout({
      ...{language, payee, main},
      path: `/pay/${session.payCode}`,
      query: {...(hasForm && session.choice ? {change: '1'} : {}), ...fields},
      title: titleOf(standing, language),
      isLive: !isEnded(standing),
      reloadS: isEnded(standing) || hasForm ? null : reloadS,
    }),
    refused && hasForm ? 422 : 200,
  )
}

function mainOf(order: OrderParts, standing: Exclude<Standing, {step: 'choose'}>): Html {
  switch (standing.step) {
    case 'paid':
      return paidView(order, standing)
    case 'expired':
    case 'failed':
      return unpaidView(order, standing)
    case 'checking':
      return checkingView(order, standing)
    case 'pay':
      return payView(order, standing)
  }
}

/** Values typed before the language was changed, or null. */
function readDraft(c: Context): FormFields | null {
  const fields = readFields((name) => c.req.query(name))
  return fields.preset || fields.amount || fields.channel ? fields : null
}

function readFields(read: (name: keyof FormFields) => string | null | undefined): FormFields {
  return {preset: read('preset') ?? '', amount: read('amount') ?? '', channel: read('channel') ?? ''}
}

function isChanging(c: Context): boolean {
  return c.req.query('change') !== undefined
}

function titleOf(standing: Standing, language: Language): string {
  const texts = textsOf[language]
  return standing.step === 'pay' ? texts.pay.waiting : texts[standing.step].title
}

function newsOf(standing: Standing, language: Language, beforeMs: number | null) {
  const remainingMs = remainingOf(standing)
  return {
    version: versionOf(standing),
    ended: isEnded(standing),
    interrupts: interrupts(standing),
    isLastMinute: isLastMinute(remainingMs),
    remaining: remainingMs === null ? null : showRemaining(remainingMs, language),
    announcement: announcementOf(remainingMs, beforeMs, language),
  }
}

function remainingOf(standing: Standing): number | null {
  return 'remainingMs' in standing ? standing.remainingMs : null
}

/** A screen reader announces the time at a few moments, not every second. */
function announcementOf(nowMs: number | null, beforeMs: number | null, language: Language): string | null {
  if (nowMs === null || beforeMs === null) return null
  const passed = announcedMinutes.find((minutes) => nowMs <= minutes * 60_000 && beforeMs > minutes * 60_000)
  return passed === undefined ? null : textsOf[language].pay.minutesLeft(inDigits(String(passed), language))
}

function showUnknown(c: Context): Response | Promise<Response> {
  const language = languageOf(c)
  const {title} = textsOf[language].unknown
  return c.html(
    payLayout({
      ...{language, title, path: c.req.path, query: {}, payee: null},
      ...{main: unknownView(language), isLive: false, reloadS: null},
    }),
    404,
  )
}

function languageOf(c: Context): Language {
  return chooseLanguage(c.req.query('lang'), c.req.header('accept-language'))
}
