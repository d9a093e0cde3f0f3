import {mayBeOneAmount, type Paisa} from '../core/money.ts'
import {amountsIn} from './amounts-in-text.ts'
import {saysByHand, saysGiving, saysNotBooked, saysOwnBooked} from './booking-words.ts'
import {bareOf} from './hand-lists.ts'
import {speaksOfMany} from './of-many.ts'
import type {OtherOrderTexts} from './other-order-texts.ts'
import {isPayerHeader, isTelephoneHeader, telephoneOf} from './payer-header.ts'
import type {Payers} from './payer-lines.ts'
import {namesIn, PlayerTies} from './player-ties.ts'
import type {Place} from './statement-scan.ts'
import {statesBooking} from './statements.ts'

/** More than the row's own booking: `prev pending added here`, `ager ta soho`, `আগেরটা সহ`. */
const speaksOfAnother =
  /(?<![\p{L}\p{M}])(?:also|too|prev(?:ious)?|old(?:er)?|earlier|other|another|both|stuck|missing|missed|pending|combined|ager\p{L}*|eks(?:ath?e|ange)|2 ?ta|dui ?ta|soho|shoho|আগের\p{L}*|সহ)(?![\p{L}\p{M}])/iu
/** With one of them it says that the other was given, and not that it is awaited. */
const gave =
  /(?<![\p{L}\p{M}])(?:given|gave|give|add(?:ed)?|joma|credited|paid|incl(?:uded|uding)?|with|combined|booked|done|kor(?:si|lam|echi|chi)|d(?:iye|isi|ichi|ilam|ewa|eya)\p{L}*|soho|shoho|সহ|দেওয়া|দেওয়া|দেয়া|দেয়া|যোগ|দিয়েছি|দিছি)(?![\p{L}\p{M}])/iu

/** Of two or more at once, or of another time: what was done need not be said. */
const ofMore =
  /^\W*(?:[x×] ?[2-9]|[2-9] ?[x×]|[2-9] ?(?:ta|ti|টা|টি)|(?:both|dui|two|tin) ?(?:ta|ti|orders?|deposits?))(?![\p{L}\p{M}\p{N}])(?! ?%)|(?<![\p{L}\p{M}])(?:eks(?:ath?e|ange)|mil[ae]|mil(?:iye|ay)e?|as well|একসাথে|মিলে)(?![\p{L}\p{M}])|\p{N}{1,2}[.:]\p{N}{2} ?(?:[ap]m ?)?(?:er|r|ar|এর) (?:ta|t[ai]|deposit|dep|taka|টা)/iu

const ofReview = /manual(?:ly)? (?:review|check|verif|approv|match)/iu
/** What is not the amount of a deposit. */
const extras =
  /\p{N}[\p{N},.]*\s*(?:%|tk|taka|bdt)?\s*(?:bonus|cash ?back|commission|rebate|fee|charge|promo|gift|withdraw\p{L}*)|(?:bonus|cash ?back|commission|rebate|fee|charge|promo|referral|gift|withdraw(?:al)?|wd)s?(?: (?:of|given|gave|add(?:ed)?|dise|disi|paid))?[\s:=-]*\p{N}[\p{N},.]*/giu

/** Given for another reason than a deposit. */
const anExtra =
  /(?<!\p{L})(?:bonus|cash ?back|commission|rebate|referr\p{L}*|promo|(?:free ?)?spins?|free ?bets?)(?!\p{L})/iu
/** What one player is to another. */
const aRelation =
  /(?<!\p{L})(?:same (?:as|device|ip|wallet|number|no|phone|mobile|sim|person|user|player|acc\p{L}*|bank|name|family|house|address)|friend|brother|cousin|uncle|introduc\p{L}*|sister|wife|husband|upline|downline|ref|refer\p{L}*|invited|dup(?:licate)?|multi|shar(?:ed|es)|linked)(?!\p{L})/iu
/** Whose name is not the player's. */
const anAgent = /(?<!\p{L})(?:agent|via|through|counter|booth|staff|by(?! ?hand))(?!\p{L})/iu
const clauseEnds = /[,;.()|\n&+]|\s[-–—]\s|(?<!\p{L})(?:also|and|but|then|ar|ebong|এবং|আর)(?!\p{L})/u

const linesMax = 50_000
/** What more rows have in the same words is said of each row. */
const routineRows = 5

export interface RemarkedRow {
  readonly player: string
  readonly amount: string
  readonly line: number
  readonly isBooked: boolean
}

interface Remark {
  readonly text: string
  readonly line: number
  readonly header?: string
  /** Of a text that stands in no line of the table. */
  readonly where?: Place
  /** Of cells under no header. */
  readonly isBeside?: true
}

interface BookingRemark extends Remark {
  readonly row: RemarkedRow
  /** What names the player of the row. */
  readonly who: readonly string[]
  readonly says: 'by hand' | 'given' | 'maybe' | 'nothing'
  /** It speaks of another order of the row's player, which was given. */
  readonly isOfOther: boolean
}

type Take = (orderNo: string, remark: Remark) => void
type TakeAll = (remark: Pick<Remark, 'text' | 'line' | 'header'>) => void

/**
 * Remarks beside rows that may tell of another order than the row's own: of the same player, given along with it; or of a
 * player whom they name, or of an amount that is not the row's, with words of a booking. What names a player by his number
 * needs no such word: nobody can list the words for having given.
 */
export class PlayerRemarks {
  readonly ties: PlayerTies
  private readonly remarks = new Map<string, BookingRemark>()
  /** What each text says, and how many rows have it. */
  private readonly texts = new Map<string, {readonly says: BookingRemark['says'] | null; rows: number}>()
  /** How many rows have such a text, whatever its figures. */
  private readonly forms = new Map<string, number>()
  /** Rows without an order of their own that book several at once. */
  private readonly batches: Remark[] = []
  private rows = 0
  private readonly headers: readonly string[]
  private readonly whoAt: readonly number[]
  private readonly telephonesAt: readonly number[]
  private readonly isNotes: (column: number) => boolean

  constructor(
    headers: readonly string[],
    isNotes: (column: number) => boolean,
    {playerAt, left}: {readonly playerAt: number; readonly left: ReadonlySet<number>},
  ) {
    this.headers = headers
    this.isNotes = (at) => isNotes(at) && !left.has(at)
    this.ties = new PlayerTies(headers, left, playerAt)
    this.whoAt = [...headers.keys()].filter((at) => at === playerAt || isPayerHeader(headers[at] ?? ''))
    this.telephonesAt = [...headers.keys()].filter(
      (at) => !left.has(at) && isTelephoneHeader(headers[at] ?? ''),
    )
  }

  /** Adds the player of an order by what names him in its row. */
  addPayer(payers: Payers, cells: readonly string[], orderNo: string, amount: string, isLost: boolean): void {
    payers.add(orderNo, this.whoIn(cells), amount, isLost, this.telephonesIn(cells))
  }

  private whoIn(cells: readonly string[]): readonly string[] {
    return this.whoAt.map((at) => cells[at] ?? '')
  }

  private telephonesIn(cells: readonly string[]): readonly string[] {
    return this.telephonesAt.map((at) => cells[at] ?? '')
  }

  /** A row, with its comments. */
  take(row: RemarkedRow, cells: readonly string[], comments: readonly string[]): void {
    this.rows += 1
    this.ties.take(cells)
    const who = [...this.whoIn(cells), ...this.telephonesIn(cells)]
    for (const [at, text] of cells.entries())
      if (this.isNotes(at)) this.add({text, line: row.line, header: this.headers[at] ?? ''}, row, who)
    for (const text of comments) this.add({text, line: row.line, header: ''}, row, who)
    this.addBeside(cells, row.line)
  }

  /** Cells under no header are another list's: of whom somebody credited. */
  private addBeside(cells: readonly string[], line: number): void {
    const beside = cells
      .slice(this.headers.length)
      .map((cell) => cell.trim())
      .filter(Boolean)
    const text = beside.join(' ')
    // A comma in an amount moves the cells behind it, which are no texts.
    if (/\S\s+\S/u.test(text)) this.add({text, line, header: '', isBeside: true}, nobodys, [])
  }

  /** A line that is no row, or that nothing explains: texts beside the table, and whose it may be. */
  takeNoRow(row: RemarkedRow, cells: readonly string[], isTotal: boolean): void {
    const {line} = row
    this.takeText(cells, line)
    if (isTotal) return
    const ofMany = row.isBooked ? cells.find((cell) => ofBatch.test(cell) || speaksOfMany(cell)) : undefined
    if (ofMany !== undefined && this.batches.length < linesMax) this.batches.push({text: ofMany, line})
    const beside = cells.slice(this.headers.length)
    if (beside.length === 0) this.ties.takeUnexplained(cells, line)
    // A comma in a remark or an amount moves the cells behind it.
    for (const text of beside.filter((cell) => /\S\s+\S/u.test(cell)))
      this.add({text, line, header: ''}, row, this.whoIn(cells))
    if (beside.length > 1) this.addBeside(cells, line)
    const filled = cells.map((cell) => cell.trim()).filter(Boolean)
    if (telephoneOf(bareOf(filled[0] ?? '')) !== null)
      this.add({text: filled.join(' '), line, header: ''}, nobodys, [])
  }

  /** A sentence of its own is about no row, though it may be taken for a total: around the table, on another sheet, in a text box. */
  takeText(cells: readonly string[], line: number, where?: Place): void {
    const [text = '', ...others] = new Set(cells.map((cell) => cell.trim()).filter(Boolean))
    if (others.length > 0 || !/\S\s+\S/u.test(text) || !/\p{L}|\p{N}{10}/u.test(text)) return
    this.add({text, line, header: '', ...(where !== undefined && {where})}, nobodys, [])
  }

  private add(remark: Remark, row: RemarkedRow, who: readonly string[]): void {
    const {text} = remark
    if (text.trim() === '') return
    const known = this.texts.get(text)
    const said = known ? known.says : saysOfBooking(text)
    const isOfOther =
      row.player.trim() !== '' && ((speaksOfAnother.test(text) && gave.test(text)) || ofMore.test(text))
    if (known) known.rows += 1
    else if (this.texts.size < linesMax) this.texts.set(text, {says: said, rows: 1})
    const says = said ?? (isOfOther ? 'nothing' : null)
    if (says === null) return
    const form = formOf(text)
    if (this.forms.size < linesMax || this.forms.has(form))
      this.forms.set(form, (this.forms.get(form) ?? 0) + 1)
    const key = `${row.player.trim()}\0${text}`
    if (this.remarks.size < linesMax && !this.remarks.has(key))
      this.remarks.set(key, {...remark, row, who, says, isOfOther})
  }

  /** Whether a remark may name a player without an amount. */
  get mayName(): boolean {
    for (const remark of this.remarks.values())
      if (this.isOfOwn(remark) || (!this.isRoutine(remark) && this.mayBeNamed(remark))) return true
    return false
  }

  /** By a name, or by digits that only the players themselves can show to be theirs. */
  private mayBeNamed({text, says}: BookingRemark): boolean {
    return isGiven(says) || hiddenDigits.test(text) || this.ties.mayName(text)
  }

  *amounts(): Generator<Paisa> {
    for (const remark of this.remarks.values()) if (!this.isRoutine(remark)) yield* amountsOf(remark.text)
  }

  /** For the orders of other days. */
  tell(others: OtherOrderTexts | null): void {
    if (others === null) return
    const {players} = others
    for (const remark of this.remarks.values()) {
      const {text, row, says} = remark
      if (this.isOfMany(remark)) others.seeSentence(text, 'sentence')
      if (this.isOfOwn(remark)) players.takeLine([row.player])
      if (this.isRoutine(remark) || others.namesOrders(text)) continue
      const named = this.ties.playersIn(text).filter((one) => bareOf(one) !== bareOf(row.player))
      const isMeant = (word: string) => /\p{N}/u.test(word) && !isAside(clauseOf(text, bareOf(word)), says)
      if (says === 'by hand' && amountsOf(text).length === 0) players.takeLine([...named, text], row.player)
      else players.takeLine([...named, ...text.split(/\s+/)].filter(isMeant), row.player)
      if (amountsOf(text).length > 0) players.takePayer([...named, text], row.player)
    }
    for (const {player} of this.ties.tied()) players.takeLine([player])
  }

  /** To be called when all players are known. */
  finish(payers: Payers, take: Take, takeOther: Take, takeAll: TakeAll): void {
    for (const batch of this.batches) takeAll(batch)
    for (const remark of this.remarks.values()) {
      const {row, text} = remark
      const [ofRow] = amountsIn(row.amount)
      const isOfOwn = this.isOfOwn(remark)
      const others = row.isBooked && !this.isRoutine(remark) ? amountsOf(text) : []
      const ofPlayer = row.player.trim() === '' ? [] : payers.lostOf(row.player)
      const told = ofPlayer.filter(
        ({amount}) =>
          isOfOwn ||
          others.some((one) => one !== ofRow && (one === amount || one === (ofRow ?? 0n) + amount)),
      )
      for (const {orderNo} of told) take(orderNo, remark)
      if (this.isRoutine(remark)) continue
      for (const orderNo of this.meant(remark, payers, told.length > 0)) takeOther(orderNo, remark)
      if (this.isOfMany(remark)) takeAll(remark)
    }
  }

  /** Beside a row, and of more orders than that; a text of its own is weighed as a statement. */
  private isOfMany(remark: BookingRemark): boolean {
    const {row, text, isBeside} = remark
    if ((row === nobodys && !isBeside) || this.isRoutine(remark)) return false
    return speaksOfMany(text) || (isBeside === true && statesBooking(text) !== null)
  }

  /** A remark of many rows is said of each of them. */
  private isRoutine({text}: BookingRemark): boolean {
    const alike = this.forms.get(formOf(text)) ?? 0
    return (this.texts.get(text)?.rows ?? 0) > routineRows || (alike > routineRows && alike * 2 > this.rows)
  }

  /** Whether it may tell of any other order of the row's player: of one by name, by a hand, or of another amount that was given. */
  private isOfOwn(remark: BookingRemark): boolean {
    const {text, row, says, isOfOther} = remark
    if (row.player.trim() === '') return false
    if (isOfOther) return true
    if (!row.isBooked || this.isRoutine(remark) || saysNotBooked(text)) return false
    if (saysByHand(text) || saysGiving(text)) return !ofReview.test(text) && !isOfExtras(text)
    const [ofRow] = amountsIn(row.amount)
    return (
      says === 'given' && amountsOf(text).some((one) => ofRow !== undefined && !mayBeOneAmount(one, ofRow))
    )
  }

  /** `isTold`: it tells of an order of the row's own player. */
  private *meant(
    {text, row: {player, amount}, who, says}: BookingRemark,
    payers: Payers,
    isTold: boolean,
  ): Generator<string> {
    const own = new Set([player, ...who].map(bareOf))
    const words = new Set(text.split(/\s+/).map(bareOf))
    const isNamesake = new Set([player, ...who].flatMap(namesIn))
    const [ofRow] = amountsIn(amount)
    const loose = text.replace(glued, '$1 $2')
    const names = new Set(namesIn(loose))
    const all = amountsOf(loose)
    let namesAny = isTold || this.ties.playersIn(loose).length > 0 || [...own].some((name) => names.has(name))
    for (const [name, payer] of [...payers.namedIn(text), ...(loose === text ? [] : payers.namedIn(loose))]) {
      if (!payer.isPart) namesAny = true
      if (!payer.isLost) continue
      const amounts = all.filter((one) => bareOf(String(one / 100n)) !== name)
      const isAmount = amounts.some((one) => mayBeOneAmount(one, payer.amount))
      const isExact = amounts.includes(payer.amount)
      // Some digits of the row's own telephone.
      const isOwnEnd = /^\p{N}{3,4}$/u.test(name) && [...own].some((one) => telephoneOf(one)?.endsWith(name))
      if (own.has(name) || isOwnEnd) {
        if (isExact && payer.amount !== ofRow) yield payer.orderNo
      } else if (payer.isPart) {
        // The row's own player, or its agent, may have a word of the name.
        const others = amounts.filter((one) => one !== ofRow)
        const given = says === 'nothing' ? [] : others
        const isAnothers = isNamesake.has(name) || anAgent.test(text)
        const isMeant = (isAnothers ? others : amounts).includes(payer.amount)
        // Of a number, others beside it are rather players' too.
        const isAlone = amounts.length === 0 || /^\p{N}+$/u.test(name)
        const isGivenHim = !isAnothers && isAlone && tellsOfGiving(text, says)
        if (isGivenHim && !isAside(clauseOf(text, name), says)) yield payer.orderNo
        if (isMeant || given.some((one) => mayBeOneAmount(one, payer.amount))) yield payer.orderNo
      } else if (/\p{N}/u.test(name) || (!words.has(name) && !anAgent.test(text))) {
        if (isExact || !isAside(clauseOf(text, name), says)) yield payer.orderNo
      } else if (
        says === 'nothing' ? isExact : isAmount || (says !== 'maybe' && !isAside(clauseOf(text, name), says))
      )
        yield payer.orderNo
    }
    // Of a telephone that no row has, a word may be any.
    if (
      namesAny ||
      !(isGiven(says) || unknownTelephone.test(text)) ||
      (this.forms.get(formOf(text)) ?? 0) > routineRows
    )
      return
    for (const one of all) if (one !== ofRow) yield* payers.lostOfAmount(one)
    // Whose it is, only the webhooks of the players know.
    if (all.length === 0 && isGiven(says) && unknownTelephone.test(text)) yield* payers.withoutTelephone()
  }
}

/** Also masked, or its last digits. */
const unknownTelephone = /(?<!\p{N})(?:\+?88)?01[3-9]\p{N}*[x*]*\p{N}{3,}(?!\p{N})|\.{2,}\p{N}{4}(?!\p{N})/iu
/** Of a telephone or of a player's number. */
const hiddenDigits =
  /[*•…]\p{N}{3,4}(?!\p{N})|[x._]{2,}\p{N}{3,4}(?!\p{N})|(?<![\p{L}\p{N}.,-])\p{N}{3,6}[\s/,;&+]+\p{N}{3,6}(?!\p{N})/u
const nobodys: RemarkedRow = {player: '', amount: '', line: 0, isBooked: false}
const ofBatch =
  /(?<!\p{L})(?:batch|bulk|lump ?sum|combined|agent ?(?:credit|payment|deposit|cash ?in)s?)(?!\p{L})/iu
/** A name and the amount behind it. */
const glued = /(?<!\p{N})(\p{L}{3,})(\p{N}{2,})(?![\p{L}\p{N}])/gu

/**
 * Whether a remark says that something was booked: by a hand, given, or in words that may mean it. Without a word it still does
 * where it has another player by his number, or the very amount of his order.
 */
function saysOfBooking(text: string): BookingRemark['says'] | null {
  const said = saysOwnBooked(text, true)
  if (said === null && saysNotBooked(text)) return null
  if (said === null && saysGiving(text)) return 'given'
  if (said === null) return /\p{N}|\p{L}\s+\p{L}/u.test(text) ? 'nothing' : null
  if (said === 'by hand' || (said === 'manual' && saysGiving(text))) return 'by hand'
  if (said === 'manual' && !ofReview.test(text)) return 'given'
  return said === 'booked' && (saysGiving(text) || saysOwnBooked(text, false) !== null) ? 'given' : 'maybe'
}

/** In words that are no mere sign of being looked at. */
function tellsOfGiving(text: string, says: BookingRemark['says']): boolean {
  return isGiven(says) || (says === 'maybe' && !/(?<!\p{L})(?:ok|okay|success\p{L}*)(?!\p{L})/iu.test(text))
}

function isGiven(says: BookingRemark['says']): boolean {
  return says === 'by hand' || says === 'given'
}

/** Whether a text names a player for another reason than a booking: a bonus for him alone, or what he is to the row's own. */
function isAside(text: string, says: BookingRemark['says']): boolean {
  const isBonus = says !== 'by hand' && anExtra.test(text) && amountsOf(text).length === 0
  return isBonus || (!isGiven(says) && aRelation.test(text))
}

/** Whether all that was given is something else than a deposit: `welcome bonus hate disi`, `ref dise`. */
function isOfExtras(text: string): boolean {
  const given = text.split(clauseEnds).filter((clause) => saysByHand(clause) || saysGiving(clause))
  return given.length > 0 && given.every((clause) => anExtra.test(clause) || aRelation.test(clause))
}

/** The part of a text that has the name: what is said beside it may be about the row (`bonus claim; PL1126 ke o dewa hoise`). */
function clauseOf(text: string, name: string): string {
  return text.split(clauseEnds).find((clause) => bareOf(clause).includes(name)) ?? text
}

function amountsOf(text: string): Paisa[] {
  return amountsIn(text.replace(extras, ' '))
}

function formOf(text: string): string {
  return text.trim().replace(/\p{N}+/gu, '#')
}
