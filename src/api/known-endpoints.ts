/** Addresses at which an order was found once (A5), as something outside this process remembers them. */
export interface EndpointMemory {
  knewAnOrder(address: string): Promise<boolean>
  recordKnewAnOrder(address: string): Promise<void>
}

/** Addresses that have returned an order: their JSON 404 means "no such order" (A5). */
export class KnownEndpoints {
  private readonly found = new Set<string>()
  private readonly memory: EndpointMemory | undefined

  constructor(memory: EndpointMemory | undefined) {
    this.memory = memory
  }

  /** As far as was read; see `recall`. */
  knows(address: string): boolean {
    return this.found.has(address)
  }

  /** Reads what is remembered of an address, before anything is concluded from its silence. */
  async recall(address: string): Promise<void> {
    if (!this.found.has(address) && (await this.memory?.knewAnOrder(address))) this.found.add(address)
  }

  async record(address: string): Promise<void> {
    if (this.found.has(address)) return
    this.found.add(address)
    if (!(await this.memory?.knewAnOrder(address))) await this.memory?.recordKnewAnOrder(address)
  }
}
