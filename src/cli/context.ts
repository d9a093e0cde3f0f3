import type {Config} from '@oclif/core/config'

/** What a command needs from the world, made when first asked for: the parts below, wired to one profile. */
export class Context {
  readonly dataDir: string

  constructor(config: Config) {
    this.dataDir = process.env.HISAB_DATA_DIR || config.dataDir
  }

  async close(): Promise<void> {}
}
