import {type Context, type ErrorHandler, Hono} from 'hono'
import {trimTrailingSlash} from 'hono/trailing-slash'

import type {Dialect} from '../core/dialect.ts'
import {answerLegacyRefusal, answerRefusal, Refusal} from './answers.ts'
import {consoleRoutes} from './console/console-routes.ts'
import {controlRoutes} from './control-routes.ts'
import {depositRoutes} from './deposit-routes.ts'
import {notThere, playCallFaults} from './faults/call-faults.ts'
import {faultRoutes} from './faults/fault-routes.ts'
import {legacyRoutes} from './legacy-routes.ts'
import {requireLoopbackHost} from './loopback.ts'
import {payRoutes} from './page/pay-routes.ts'
import type {SandboxParts} from './parts.ts'
import {payoutRoutes} from './payout-routes.ts'
import {type Listener, nothingAt} from './request-log.ts'
import {recordRequests} from './request-recorder.ts'
import {isStorageError} from './storage-health.ts'
import {versionPath} from './version-path.ts'
import {assetRoutes} from './web/assets.ts'

export function buildApps(parts: SandboxParts) {
  const {dialect, origin} = parts
  const deposits = serviceApp(parts, 'deposits')
  deposits.get('/', (c) => c.redirect('/console', 302))
  deposits.use('/console/*', trimTrailingSlash())
  deposits.route(versionPath, depositRoutes(parts))
  deposits.route('/', payRoutes(parts))
  deposits.route('/', assetRoutes())
  deposits.route('/console', consoleRoutes(parts))
  deposits.route(
    '/sandbox',
    controlRoutes(parts.control, parts.requestLog).route('/faults', faultRoutes(parts.faults)),
  )
  if (parts.isLegacyServed) {
    const legacy = legacyRoutes(parts)
    legacy.onError(
      handleErrors(parts, (c, speech, refusal) =>
        answerLegacyRefusal(c, speech, refusal, parts.serviceNow()),
      ),
    )
    deposits.route(dialect.legacyPath, legacy)
  }
  const payouts = serviceApp(parts, 'payouts').route(versionPath, payoutRoutes(parts))
  payouts.get('/', (c) => c.redirect(`${origin()}/console`, 302))
  return {deposits, payouts}
}

/** What both listeners share: access, the log of requests, faults and error answers. */
function serviceApp(parts: SandboxParts, listener: Listener): Hono {
  const {dialect, log, clock, faults, requestLog, health} = parts
  const app = new Hono()
  app.onError(handleErrors(parts, answerRefusal))
  app.notFound((c) => {
    const {method, path} = c.req
    const {code, message, nextStep} = nothingAt(listener, path)
    const isAsked = path !== '/favicon.ico'
    if (isAsked) {
      log({type: 'request_refused', method, path, httpStatus: 404, code, message: `${message} ${nextStep}`})
    }
    return notThere(c)
  })
  app.use(recordRequests(requestLog, clock, listener))
  app.use(requireLoopbackHost)
  app.get('/healthz', (c) => {
    const {isFailing, ...storage} = health.state()
    return c.json({status: isFailing ? 'failing' : 'ok', ...storage}, isFailing ? 503 : 200)
  })
  app.use(playCallFaults(faults, {versionPath, legacyPath: dialect.legacyPath}))
  return app
}

function handleErrors(
  {dialect, log, health}: SandboxParts,
  answer: (c: Context, dialect: Dialect, refusal: Refusal) => Response,
): ErrorHandler {
  return (error, c) => {
    const refusal = error instanceof Refusal ? error : isStorageError(error) ? unstored() : internalError()
    if (isStorageError(error)) health.failed(error)
    else if (refusal !== error) log({type: 'defect', message: error.message})
    const {httpStatus, serviceCode, message} = refusal
    const {path, method} = c.req
    log({type: 'request_refused', method, path, httpStatus, code: serviceCode, message})
    return answer(c, dialect, refusal)
  }
}

function unstored(): Refusal {
  return new Refusal(
    503,
    'STORAGE_UNAVAILABLE',
    'The sandbox cannot store anything: its disk may be full.',
    'Nothing of this request was kept. Make room, then send it again.',
  )
}

function internalError(): Refusal {
  return new Refusal(
    500,
    'INTERNAL_ERROR',
    'The sandbox failed on this request.',
    'Whether it took effect is unknown: query before sending it again.',
  )
}
