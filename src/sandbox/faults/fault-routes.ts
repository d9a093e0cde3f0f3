import {Hono} from 'hono'

import {asFailure} from '../../core/failure.ts'
import {JsonNumber, type JsonObject, type JsonValue} from '../../core/json.ts'
import {Refusal, refuseField} from '../answers.ts'
import {readJsonObject} from '../request-reading.ts'
import type {FaultService} from './fault-service.ts'
import {newSeed, seedMax} from './seed.ts'

const rulesMax = 100

export function faultRoutes(faults: FaultService): Hono {
  const routes = new Hono()
  routes.get('/', (c) => c.json({code: 0, data: faults.state()}))
  /** `{"chaos": ["html=0.05"], "seed": 7}`; an empty list ends all faults. */
  routes.post('/', async (c) => {
    const fields = await readJsonObject(c)
    refuseUsage(() => faults.set({chaos: readChaos(fields), seed: readSeed(fields)}))
    return c.json({code: 0, data: faults.state()})
  })
  return routes
}

/** A rule that cannot be read is refused with its own message. */
export function refuseUsage(act: () => void): void {
  try {
    act()
  } catch (thrown) {
    const error = asFailure(thrown)
    if (error.code !== 'usage') throw error
    throw new Refusal(400, 'VALIDATION_FAILED', error.message, error.hint)
  }
}

function readChaos({chaos}: JsonObject): string[] {
  const isText = (value: JsonValue): value is string => typeof value === 'string'
  if (Array.isArray(chaos) && chaos.length <= rulesMax && chaos.every(isText)) return chaos
  throw refuseField('chaos', `a list of at most ${rulesMax} faults, such as ["html=0.05"]`)
}

function readSeed({seed}: JsonObject): number {
  if (seed === undefined) return newSeed()
  const number = seed instanceof JsonNumber ? Number(seed.source) : Number.NaN
  if (Number.isInteger(number) && number >= 0 && number <= seedMax) return number
  throw refuseField('seed', `a whole number from 0 to ${seedMax}`)
}
