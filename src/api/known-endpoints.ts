/** Remembers, outside this process, addresses at which an order was found (A5). */
export interface EndpointMemory {
  knewAnOrder(address: string): Promise<boolean>
  recordKnewAnOrder(address: string): Promise<void>
}

export class KnownEndpoints {
  private readonly found = new Set<string>()
  private readonly memory: EndpointMemory | undefined

  constructor(memory: EndpointMemory | undefined) {
    this.memory = memory
  }

  /** From what was read; see `recall`. */
  knows(address: string): boolean {
    return this.found.has(address)
  }

  /** Reads what is remembered about an address, before its "no" is believed. */
  async recall(address: string): Promise<void> {
    if (!this.found.has(address) && (await this.memory?.knewAnOrder(address))) this.found.add(address)
  }

  async record(address: string): Promise<void> {
    if (this.found.has(address)) return
    this.found.add(address)
    if (!(await this.memory?.knewAnOrder(address))) await this.memory?.recordKnewAnOrder(address)
  }
}
