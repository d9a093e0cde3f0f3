import {type Context, type ErrorHandler, Hono} from 'hono'

import type {Dialect} from '../core/dialect.ts'
import {answerLegacyRefusal, answerRefusal, Refusal} from './answers.ts'
import {consoleRoutes} from './console/console-routes.ts'
import type {ConsoleParts} from './console/parts.ts'
import type {SandboxControl} from './control.ts'
import {controlRoutes} from './control-routes.ts'
import {depositRoutes} from './deposit-routes.ts'
import type {Log} from './events.ts'
import {notThere, playCallFaults} from './faults/call-faults.ts'
import {faultRoutes} from './faults/fault-routes.ts'
import type {FaultService} from './faults/fault-service.ts'
import {type LegacyRouteParts, legacyRoutes} from './legacy-routes.ts'
import {requireLoopbackHost} from './loopback.ts'
import type {OrderService} from './order-service.ts'
import {type PayRouteParts, payRoutes} from './page/pay-routes.ts'
import {payoutRoutes} from './payout-routes.ts'
import type {RequestLog} from './request-log.ts'
import {recordRequests} from './request-recorder.ts'
import type {GroupCommit} from './store/group-commit.ts'
import {assetRoutes} from './web/assets.ts'

export interface AppParts extends LegacyRouteParts, PayRouteParts, ConsoleParts {
  readonly orderService: OrderService
  readonly commit: GroupCommit
  readonly control: SandboxControl
  readonly faults: FaultService
  readonly requestLog: RequestLog
  readonly origin: () => string
  readonly log: Log
  /** False plays a deployment without the deprecated API (service §1). */
  readonly isLegacyServed: boolean
}

/** The version prefix of both `{base_url}` and `{apply_url}` (service §9). */
export const versionPath = '/v1'

export function buildApp(parts: AppParts): Hono {
  const {dialect, log} = parts
  const app = new Hono()
  app.onError(handleErrors(dialect, log, answerRefusal))
  app.notFound(notThere)
  app.use(recordRequests(parts.requestLog, parts.clock, 'deposits'))
  app.use(requireLoopbackHost)
  app.use(playCallFaults(parts.faults, {versionPath, legacyPath: dialect.legacyPath}))
  app.route(versionPath, depositRoutes(parts))
  app.route(versionPath, payoutRoutes(parts))
  app.route('/', payRoutes(parts))
  app.route('/', assetRoutes())
  app.route('/console', consoleRoutes(parts))
  app.route(
    '/sandbox',
    controlRoutes(parts.control, parts.requestLog).route('/faults', faultRoutes(parts.faults)),
  )
  if (parts.isLegacyServed) {
    const legacy = legacyRoutes(parts)
    legacy.onError(
      handleErrors(dialect, log, (c, speech, refusal) =>
        answerLegacyRefusal(c, speech, refusal, parts.serviceNow()),
      ),
    )
    app.route(dialect.legacyPath, legacy)
  }
  return app
}

function handleErrors(
  dialect: Dialect,
  log: Log,
  answer: (c: Context, dialect: Dialect, refusal: Refusal) => Response,
): ErrorHandler {
  return (error, c) => {
    const refusal = error instanceof Refusal ? error : internalError()
    if (refusal !== error) log({type: 'defect', message: error.message})
    const {httpStatus, serviceCode, message} = refusal
    const {path, method} = c.req
    log({type: 'request_refused', method, path, httpStatus, code: serviceCode, message})
    return answer(c, dialect, refusal)
  }
}

function internalError(): Refusal {
  return new Refusal(
    500,
    'INTERNAL_ERROR',
    'The sandbox failed on this request.',
    'Whether it took effect is unknown: query before sending it again.',
  )
}
