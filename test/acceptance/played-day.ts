import {test} from 'vitest'

import {OwnHome} from './own-home.ts'
import {type PlayedOrder, PlayedService} from './played-service.ts'

export interface PlayedDay {
  readonly service: PlayedService
  /** A home whose environment leads to that service. */
  readonly home: OwnHome
}

/** `it`, with a way to open days that end when the test does. Tests that share nothing else run side by side. */
export const it = test.extend<{openDay: (orders: readonly PlayedOrder[]) => Promise<PlayedDay>}>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads what a fixture needs from this pattern
  openDay: async ({}, use) => {
    const opened: PlayedDay[] = []
    await use(async (orders) => {
      const service = await PlayedService.open(orders)
      const day = {service, home: new OwnHome(service.env)}
      opened.push(day)
      return day
    })
    for (const {service, home} of opened) {
      await service.close()
      home.remove()
    }
  },
})
