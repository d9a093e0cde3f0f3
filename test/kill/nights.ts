import {reconcileNights} from './nights/reconcile.ts'
import type {KillNight} from './scene.ts'

export const nights: readonly KillNight[] = [
  ...reconcileNights({
    name: 'lost webhooks',
    fill(night) {
      for (let nth = 1; nth <= 5; nth += 1) night.addLost(`lost-${nth}`)
      for (let nth = 1; nth <= 6; nth += 1) night.addOrder(`paid-${nth}`, 'completed', 'completed')
    },
  }),
]
