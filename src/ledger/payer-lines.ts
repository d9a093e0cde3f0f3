import {formatPaisa, mayBeOneAmount, type Paisa} from '../core/money.ts'
import {plainText} from '../core/order-no-fold.ts'
import {amountsIn} from './amounts-in-text.ts'
import {bareOf, isPlayerKey, keysOf} from './hand-lists.ts'
import type {NamedOrder} from './name-index.ts'
import {telephoneOf} from './payer-header.ts'
import {namesIn, type PlayerTies} from './player-ties.ts'
import {lineText} from './quotation.ts'

/** An order about to be resent, with what the service says of its payer. */
export interface PaidOrder extends NamedOrder {
  readonly amount?: Paisa | null
  readonly playerRef?: string | null
}

export interface Payer {
  readonly orderNo: string
  readonly amount: Paisa
  readonly isLost: boolean
  /** Only a word of a name has led to it. */
  readonly isPart: boolean
}

/** The player of each order's webhook, where it has one. */
export type AskPlayers = (orderNos: readonly string[]) => Promise<ReadonlyMap<string, string>>

/** What of a file may be about a player. */
export interface MayName {
  /** Amounts on lines that are no rows. */
  readonly amountsBeside: () => Iterable<Paisa>
  /** Whether anything names a player without an amount. */
  readonly mayNamePlayers: () => boolean
}

export interface PayerLine {
  readonly text: string
  readonly line: number
}

const payersMax = 100_000
/** Compared with each order's amount. */
const amountsMax = 1_000
const linesMax = 50_000
/** A name of more orders is nobody's. */
const ofNameMax = 100
/** A shorter number has the form of any word. */
const formMin = 20

/** Who paid what, of orders that are about to be resent and of those that are not paid. */
export class Payers {
  unpaid = 0
  private count = 0
  private readonly byKey = new Map<string, Payer[]>()
  /** Orders about to be resent whose player neither the service nor a row has. */
  private readonly unknown = new Map<string, Paisa>()
  /** Their players, read of their webhooks. */
  readonly learnt = new Map<string, string>()
  private readonly forms = new Set<string>()
  private readonly ties: PlayerTies[] = []
  private readonly byAmount = new Map<Paisa, string[]>()
  /** By the telephones of their rows. The wallet's own statement has them too, so no table names an order by one. */
  private readonly byTelephone = new Map<string, Payer[]>()
  /** All telephones by their last three digits, made when all players are known. */
  private telephones: Map<string, (readonly [string, readonly Payer[]])[]> | null = null
  /** By the digits alone of a number with letters, as `1126` of `PL-1126`. */
  private readonly byDigits = new Map<string, Payer[]>()

  /** `who`: what names the player in the order's row, beside his `telephones`. */
  add(
    orderNo: string,
    who: readonly string[],
    amountCell: string,
    isLost: boolean,
    telephones: readonly string[] = [],
  ): void {
    const [amount] = amountsIn(amountCell)
    if (amount === undefined || this.count >= payersMax) return
    this.count += 1
    for (const telephone of telephones.flatMap((text) => telephoneOf(bareOf(text)) ?? [])) {
      const others = this.byTelephone.get(telephone) ?? []
      if (others.length < ofNameMax) others.push({orderNo, amount, isLost, isPart: false})
      this.byTelephone.set(telephone, others)
    }
    const whole = new Set(who.map(bareOf))
    const keys = new Set([...whole, ...who.flatMap(wordsIn)].filter((key) => key.length > 2))
    if (keys.size > 0) this.unknown.delete(orderNo)
    if (keys.size > 0 && !isLost) this.unpaid += 1
    for (const digits of [...whole].flatMap(digitsOfCode)) {
      const others = this.byDigits.get(digits) ?? []
      if (others.length < ofNameMax)
        this.byDigits.set(digits, [...others, {orderNo, amount, isLost, isPart: true}])
    }
    for (const key of keys) {
      const others = this.byKey.get(key) ?? []
      if (others.length < ofNameMax) others.push({orderNo, amount, isLost, isPart: !whole.has(key)})
      this.byKey.set(key, others)
    }
  }

  /** The number of any order: a line with one like it is of that order. */
  addNumber(orderNo: string): void {
    if (orderNo.length >= formMin) this.forms.add(formOf(orderNo))
  }

  /** Adds these orders as they are read. */
  *taking(orders: Iterable<PaidOrder>): Generator<NamedOrder> {
    for (const order of orders) {
      const {orderNo, amount, playerRef} = order
      if (amount != null) this.addAmount(amount, orderNo)
      if (amount != null && playerRef) this.learn(orderNo, playerRef, amount)
      else if (amount != null) this.unknown.set(orderNo, amount)
      yield order
    }
  }

  /** Reads of their webhooks who paid those orders that the lines of a file may be about. */
  async ask(file: MayName, playersOf: AskPlayers): Promise<void> {
    if (this.unknown.size === 0) return
    const amounts = new Set(file.amountsBeside())
    const isAnyMeant = amounts.size > amountsMax || file.mayNamePlayers()
    const asked = [...this.unknown].filter(
      ([, paid]) => isAnyMeant || [...amounts].some((amount) => mayBeOneAmount(amount, paid)),
    )
    if (asked.length === 0) return
    for (const [orderNo, player] of await playersOf(asked.map(([orderNo]) => orderNo))) {
      const paid = this.unknown.get(orderNo)
      if (paid !== undefined) this.learn(orderNo, player, paid)
    }
  }

  private learn(orderNo: string, player: string, paid: Paisa): void {
    this.learnt.set(orderNo, player)
    this.add(orderNo, [player], formatPaisa(paid), true)
  }

  private addAmount(amount: Paisa, orderNo: string): void {
    const same = this.byAmount.get(amount)
    if (same) same.push(orderNo)
    else if (this.byAmount.size < payersMax) this.byAmount.set(amount, [orderNo])
  }

  addTies(ties: PlayerTies): void {
    this.ties.push(ties)
  }

  /** Knows players by the other names that rows have for them, too. To be called after the last row. */
  learnNames(): void {
    if (this.ties.length === 0) return
    const named = [...this.byKey].flatMap(([key, payers]) => {
      const lost = payers.filter(({isLost, isPart}) => isLost && !isPart)
      const names = lost.length === 0 ? [] : this.ties.flatMap((ties) => ties.namesOf(key))
      const asPart = lost.map((payer) => ({...payer, isPart: true}))
      const words = new Set(names.flatMap(wordsIn))
      return [
        ...names.map((name) => [bareOf(name), lost] as const),
        ...[...words].map((word) => [word, asPart] as const),
      ]
    })
    for (const [name, lost] of named) {
      const known = this.byKey.get(name) ?? []
      const others = lost.filter(({orderNo}) => !known.some((one) => one.orderNo === orderNo && !one.isPart))
      if (isPlayerKey(name)) this.byKey.set(name, [...known, ...others].slice(-ofNameMax))
    }
  }

  /** Orders about to be resent of exactly that amount. */
  lostOfAmount(amount: Paisa): readonly string[] {
    return this.byAmount.get(amount) ?? []
  }

  /** Orders about to be resent whose player has no telephone here: any may be his. */
  *withoutTelephone(): Generator<string> {
    const known = new Set([...this.byTelephone.values()].flat().map(({orderNo}) => orderNo))
    for (const [name, payers] of this.byKey)
      if (telephoneOf(name) !== null) for (const {orderNo} of payers) known.add(orderNo)
    for (const orders of this.byAmount.values())
      for (const orderNo of orders) if (!known.has(orderNo)) yield orderNo
  }

  /** Those whom a text names, each with what names them. */
  *namedIn(text: string): Generator<readonly [name: string, payer: Payer]> {
    for (const name of new Set([bareOf(text), ...namesIn(text)])) {
      const telephone = telephoneOf(name)
      const byTelephone = telephone === null ? [] : (this.byTelephone.get(telephone) ?? [])
      const known = this.byKey.get(name) ?? (telephone === null ? undefined : this.byKey.get(telephone))
      for (const payer of [...(known ?? []), ...byTelephone]) yield [name, payer]
    }
    for (const [digits] of plainText(text).matchAll(bareDigits))
      for (const payer of this.byDigits.get(digits) ?? []) yield [digits, payer]
    for (const {1: first = '', 2: last = ''} of plainText(text).matchAll(masked))
      for (const payer of this.ofTelephone(first, last)) yield [last, payer]
  }

  /** Those with a telephone of this beginning, or any, and this end of three digits or more. */
  *ofTelephone(first: string, last: string): Generator<Payer> {
    const begin = first.replace(/^(?:00)?88(?=0)/, '')
    this.telephones ??= Map.groupBy(
      [...this.byTelephone, ...this.byKey].filter(([name]) => telephoneOf(name) !== null),
      ([name]) => name.slice(-3),
    )
    for (const [name, payers] of this.telephones.get(last.slice(-3)) ?? [])
      if (telephoneOf(name)?.startsWith(begin) && name.endsWith(last)) yield* payers
  }

  /** What names the player of each order about to be resent, as far as it is known. */
  *lost(): Generator<readonly [name: string, orderNo: string]> {
    for (const [name, payers] of this.byKey)
      for (const {orderNo, isLost, isPart} of payers) if (isLost && !isPart) yield [name, orderNo]
  }

  /** Orders of the player that are about to be resent. */
  lostOf(player: string): readonly Payer[] {
    return (this.byKey.get(bareOf(player)) ?? []).filter(({isLost}) => isLost)
  }

  /** Those of whom a line has both player and amount. */
  *of(cells: readonly string[]): Generator<Payer> {
    if (this.count === 0 || cells.some((text) => this.forms.has(formOf(text)))) return
    for (const [at, text] of cells.entries()) {
      const keys = new Set([bareOf(text), ...keysOf(text), ...namesIn(text)])
      const payers = [...keys].flatMap((key) => this.byKey.get(key) ?? [])
      if (payers.length === 0) continue
      const isAmount = /^[\p{N}\s.,]+$/u.test(text)
      const amounts = cells.flatMap((cell, other) => (isAmount && other === at ? [] : amountsIn(cell)))
      yield* payers.filter((payer) => amounts.some((amount) => mayBeOneAmount(amount, payer.amount)))
    }
  }
}

/**
 * Lines of one place that are no rows, and that have the player and the amount of an order: somebody may have noted there whom
 * he credited. A list that has most unpaid orders, too, is no list of bookings.
 */
export class PayerLines {
  private readonly lines: {
    readonly cells: readonly string[]
    readonly line: number
    readonly ownNo: string
  }[] = []
  private readonly payers: Payers

  constructor(payers: Payers) {
    this.payers = payers
  }

  /** `ownNo`: the order whose row the line is, if it is one's. */
  take(cells: readonly string[], line: number, ownNo = ''): void {
    if (this.lines.length < linesMax && cells.some((cell) => /\p{N}{2}/u.test(cell)))
      this.lines.push({cells, line, ownNo})
  }

  *amounts(): Generator<Paisa> {
    for (const {cells} of this.lines) yield* cells.flatMap(amountsIn)
  }

  /** To be called when all players are known. */
  finish(take: (orderNo: string, line: PayerLine) => void): void {
    const [lost, unpaid] = [new Map<string, PayerLine>(), new Set<string>()]
    for (const {cells, line, ownNo} of this.lines)
      for (const {orderNo, isLost} of this.payers.of(cells)) {
        if (orderNo === ownNo) continue
        if (!isLost) unpaid.add(orderNo)
        else if (!lost.has(orderNo)) lost.set(orderNo, {text: lineText(cells), line})
      }
    if (this.payers.unpaid > 0 && unpaid.size * 2 >= this.payers.unpaid) return
    for (const [orderNo, line] of lost) take(orderNo, line)
  }
}

/** A telephone with signs in place of some digits: `017****5678`, `...678`. */
const masked = /(?<![\p{L}\p{N}])(\d*)(?:[*•_]{2,}|[x]{2,}|\.{2,}|…)(\d{3,4})(?!\d)/gu
const bareDigits = /(?<![\p{L}\p{N}.,-])\d{3,6}(?![\p{L}\p{N}%]|[.,]\d)/gu

function digitsOfCode(bare: string): string[] {
  const digits = /^\p{L}+(\d{3,6})$/u.exec(bare)?.[1]
  return digits === undefined ? [] : [digits]
}

function formOf(text: string): string {
  return text.trim().replace(/[\p{L}\p{N}]/gu, 'a')
}

function wordsIn(text: string): string[] {
  return /\p{N}/u.test(text) ? [] : (plainText(text).match(/[\p{L}\p{M}]{4,}/gu) ?? [])
}
