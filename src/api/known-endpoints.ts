/** Addresses at which an order was found once (A5), as something outside this process remembers them. */
export interface EndpointMemory {
  knewAnOrder(address: string): boolean
  recordKnewAnOrder(address: string): void
}

/** Addresses that have returned an order: their JSON 404 means "no such order" (A5). */
export class KnownEndpoints {
  private readonly found = new Set<string>()
  private readonly memory: EndpointMemory | undefined

  constructor(memory: EndpointMemory | undefined) {
    this.memory = memory
  }

  knows(address: string): boolean {
    return this.found.has(address) || this.isRemembered(address)
  }

  record(address: string): void {
    if (this.found.has(address)) return
    this.found.add(address)
    if (!this.isRemembered(address)) this.memory?.recordKnewAnOrder(address)
  }

  private isRemembered(address: string): boolean {
    return this.memory?.knewAnOrder(address) ?? false
  }
}
