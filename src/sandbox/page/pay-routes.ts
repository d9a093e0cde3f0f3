import {type Context, Hono} from 'hono'
import {html} from 'hono/html'
import {parsePaisa} from '../../core/money.ts'
import {payoutChannels} from '../../core/order.ts'
import {Refusal} from '../answers.ts'
import {requireOwnOrigin} from '../loopback.ts'
import type {PayService} from '../pay-service.ts'
import type {PaySession} from '../store/pay-sessions.ts'
import {readForm} from '../web/form.ts'
import {type LiveFeed, streamLive} from '../web/live-feed.ts'
import {pageHeaders} from '../web/page-headers.ts'
import {chooseView, type FormFields} from './choose-view.ts'
import {
  chooseLanguage,
  inDigits,
  type Language,
  languages,
  readTypedAmount,
  showRemaining,
} from './language.ts'
import {checkingView, paidView, payView, unknownView, unpaidView} from './order-view.ts'
import {isEnded, type Standing, standingOf, versionOf} from './standing.ts'
import {textsOf} from './texts.ts'

export interface PayRouteParts {
  readonly payService: PayService
  readonly feed: LiveFeed
}

/** How often a page hears how much time is left. */
const tickMs = 1000
/** A page without scripts asks this often. */
const reloadS = 5
const announcedMinutes = [5, 1]

/** The payment page behind `payUrl` (service §1, §2.1). It shows nobody's name, so whoever knows the code may pay. */
export function payRoutes({payService, feed}: PayRouteParts): Hono {
  const routes = new Hono()
  routes.use('/pay/*', pageHeaders('anybody'))
  routes.use('/pay/*', requireOwnOrigin)

  routes.get('/pay/:payCode', (c) => {
    const session = payService.findByPayCode(c.req.param('payCode'))
    return session ? showOrder(c, payService, session) : showUnknown(c)
  })

  routes.post('/pay/:payCode/choice', async (c) => {
    const session = payService.findByPayCode(c.req.param('payCode'))
    if (!session) return showUnknown(c)
    const form = await readForm(c)
    const fields = {
      amount: form.get('amount')?.trim() || (form.get('preset') ?? ''),
      channel: form.get('channel') ?? '',
    }
    const amount = parsePaisa(readTypedAmount(fields.amount))
    const channel = payoutChannels.find((known) => known === fields.channel)
    if (amount === null || amount === 0n || !channel) return showOrder(c, payService, session, fields)
    try {
      payService.choose(session, {amount, channel})
    } catch (error) {
      // Paid or expired meanwhile, or in another tab: the page says which.
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

  /** The same once, for browsers that get no events through. */
  routes.get('/pay/:payCode/news', (c) => {
    const session = payService.findByPayCode(c.req.param('payCode'))
    return session ? c.json(newsOf(standingOf(payService, session), languageOf(c), null)) : showUnknown(c)
  })

  return routes
}

function showOrder(
  c: Context,
  payService: PayService,
  session: PaySession,
  refused?: FormFields,
): Response | Promise<Response> {
  const language = languageOf(c)
  const standing = standingOf(payService, session)
  const parts = {
    language,
    path: `/pay/${session.payCode}`,
    title: titleOf(standing, language),
    main: mainOf(c, session, standing, language, refused),
    isLive: !isEnded(standing),
    reloadS: isEnded(standing) || refused || standing.step === 'choose' || isChanging(c) ? null : reloadS,
  }
  return c.html(payLayout(parts), refused && !isEnded(standing) ? 422 : 200)
}

function mainOf(
  c: Context,
  session: PaySession,
  standing: Standing,
  language: Language,
  refused: FormFields | undefined,
) {
  switch (standing.step) {
    case 'paid':
      return paidView(session, standing, language)
    case 'expired':
    case 'failed':
      return unpaidView(session, standing.step, language)
    case 'checking':
      return checkingView(session, standing, language)
    case 'pay':
      if (!refused && !isChanging(c)) return payView(session, standing, language)
      return chooseForm(session, standing, language, refused)
    case 'choose':
      return chooseForm(session, standing, language, refused)
  }
}

function chooseForm(
  {payCode, orderNo, choice}: PaySession,
  standing: Extract<Standing, {step: 'choose' | 'pay'}>,
  language: Language,
  refused: FormFields | undefined,
) {
  const wrong = {
    amount: refused !== undefined && !parsePaisa(readTypedAmount(refused.amount)),
    channel: refused !== undefined && !payoutChannels.some((known) => known === refused.channel),
  }
  return chooseView({
    ...{language, payCode, orderNo, choice, wrong},
    version: versionOf(standing),
    remainingMs: standing.remainingMs,
    refused: refused ?? null,
  })
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
    remaining: remainingMs === null ? null : showRemaining(remainingMs, language),
    announcement: announcementOf(remainingMs, beforeMs, language),
  }
}

function remainingOf(standing: Standing): number | null {
  return 'remainingMs' in standing ? standing.remainingMs : null
}

/** A screen reader hears the time at a few moments, not every second. */
function announcementOf(nowMs: number | null, beforeMs: number | null, language: Language): string | null {
  if (nowMs === null || beforeMs === null) return null
  const passed = announcedMinutes.find((minutes) => nowMs <= minutes * 60_000 && beforeMs > minutes * 60_000)
  return passed === undefined ? null : textsOf[language].pay.minutesLeft(inDigits(String(passed), language))
}

function showUnknown(c: Context): Response | Promise<Response> {
  const language = languageOf(c)
  const {title} = textsOf[language].unknown
  return c.html(
    payLayout({language, path: c.req.path, title, main: unknownView(language), isLive: false, reloadS: null}),
    404,
  )
}

function languageOf(c: Context): Language {
  return chooseLanguage(c.req.query('lang'), c.req.header('accept-language'))
}

type Html = ReturnType<typeof html>

const names: Readonly<Record<Language, string>> = {en: 'English', bn: 'বাংলা'}

interface PageParts {
  readonly language: Language
  /** The page's own address, which a refused form is not answered at. */
  readonly path: string
  readonly title: string
  readonly main: Html
  /** False where nothing more can happen. */
  readonly isLive: boolean
  /** Seconds after which a browser without scripts asks again; null for never. */
  readonly reloadS: number | null
}

function payLayout({language, path, title, main, isLive, reloadS}: PageParts): Html {
  const texts = textsOf[language]
  return html`<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <title>${title}</title>
    <link rel="stylesheet" href="/assets/base.css">
    <link rel="stylesheet" href="/assets/pay.css">
    <script src="/assets/pay.js" defer></script>
    ${reloadS === null ? '' : html`<noscript><meta http-equiv="refresh" content="${reloadS}"></noscript>`}
  </head>
  <body ${isLive ? html`data-live="${path}"` : ''} data-copy-failed="${texts.pay.copyFailed}">
    <div class="page">
      <header class="top">
        <p class="rehearsal">${texts.rehearsal}</p>
        <nav aria-label="${texts.language}">
          ${languages.map((code) =>
            code === language
              ? html`<span lang="${code}" aria-current="true">${names[code]}</span>`
              : html`<a href="${path}?lang=${code}" lang="${code}" hreflang="${code}">${names[code]}</a>`,
          )}
        </nav>
      </header>
      ${main}
      <p class="offline" id="offline" role="status" hidden>${texts.offline}</p>
      <p class="unseen" id="announcement" role="status"></p>
    </div>
  </body>
</html>`
}
