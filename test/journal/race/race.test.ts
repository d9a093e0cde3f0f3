import {expect, test} from 'vitest'

import {whyNoPostgres} from '../postgres/server.ts'
import {race} from './race.ts'

test.skipIf(whyNoPostgres !== null)(
  'eight processes that race on failing networks send nothing twice, lose nothing, and stay below the ceiling',
  async () => {
    const untilMs = Date.now() + 60_000
    const {counts, wrong} = await race({seed: 7, events: 60, eventsOfRound: 60, untilMs, withNetworks: false})
    expect(wrong).toEqual([])
    expect(counts.events).toBe(60)
  },
  120_000,
)
