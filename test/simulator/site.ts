import type {Counts} from './counts.ts'
import type {Dice} from './dice.ts'
import type {Disk} from './disk.ts'
import type {Try} from './network.ts'
import type {SimulatedProcess} from './process.ts'
import type {Tongue} from './tongue.ts'
import type {Trace} from './trace.ts'
import type {VirtualTime} from './virtual-time.ts'
import type {World} from './world.ts'

/** Sees every call at its three moments: as it leaves hisab, as it reaches the service, as it ends for hisab. */
export interface Watch {
  onCall(process: SimulatedProcess, made: Try): void
  onArrival(process: SimulatedProcess, made: Try): void
  onEnd(process: SimulatedProcess, made: Try): void
}

/** Everything one history takes place in. */
export interface Site {
  readonly time: VirtualTime
  readonly world: World
  readonly dice: Dice
  readonly trace: Trace
  readonly counts: Counts
  readonly watch: Watch
  readonly disk: Disk
  /** How the profile says that the service speaks. */
  told: Tongue
  /** hisab's data directory. */
  readonly dir: string
  /** Of all calls, how many meet a fault. */
  faultShare: number
  /** Records arrive while the list is read. */
  movesList: boolean
}
