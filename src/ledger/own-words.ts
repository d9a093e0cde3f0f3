import {headerSaysBooked, headerSaysByHand, saysNothing, saysOwnBooked, wordsOf} from './booking-words.ts'
import {headerSaysMoneyBack, saysMoneyBack, saysNoMoneyBack} from './money-back.ts'

/** What a row says of its order: that it is booked, or that its money went back, so that nobody may credit it. */
type Meaning = 'own row' | 'money back'

interface Said {
  readonly orderNo: string
  readonly text: string
  readonly line: number
  readonly how: Meaning
}

/** The cells of one column that say, in the same words, that their row is booked. */
interface Phrase {
  booked: number
  readonly isCertain: boolean
  readonly open: Said[]
}

interface Read {
  readonly words: string
  readonly isCertain: boolean
  readonly how: Meaning
}

interface Column {
  readonly isOfBooking: boolean
  readonly isOfMoneyBack: boolean
  readonly isCertain: boolean
  bookedFilled: number
  openFilled: number
  readonly phrases: Map<string, Phrase>
  /** What was read of a text before. */
  readonly known: Map<string, Read | null>
}

export interface OwnRow {
  readonly orderNo: string
  readonly line: number
  /** Null of a row that is neither booked nor of an order about to be resent. */
  readonly state: 'booked' | 'open' | null
}

/** So many booked rows make words usual, whatever their share. */
const usualMin = 3
const knownMax = 1000
const phrasesMax = 10_000

/**
 * What the rows of open orders say of themselves in columns that are not read: a word of booking means that somebody booked
 * the order, unless booked rows of the file have the same words there. Then they say how it was paid.
 */
export class OwnWords {
  private booked = 0
  private open = 0
  private readonly columns = new Map<string, Column>()

  countRow({state}: OwnRow): void {
    if (state === 'booked') this.booked += 1
    if (state === 'open') this.open += 1
  }

  /** `isNotes`: people write there what they did. */
  add(
    {orderNo, line, state}: OwnRow,
    header: string,
    place: number | string,
    text: string,
    isNotes: boolean,
  ) {
    if (state === null || text.trim() === '') return
    const column = this.columnOf(header, place)
    const said = this.read(column, text, isNotes)
    if (said === null) return
    if (state === 'booked') column.bookedFilled += 1
    else column.openFilled += 1
    let phrase = column.phrases.get(said.words)
    if (phrase === undefined) {
      // Where there are so many, each is a booking's own.
      if (state === 'booked' && column.phrases.size >= phrasesMax) return
      phrase = {booked: 0, isCertain: said.isCertain, open: []}
      column.phrases.set(said.words, phrase)
    }
    if (state === 'booked') phrase.booked += 1
    else {
      const isOfHeader = column.isOfBooking || column.isOfMoneyBack
      phrase.open.push({orderNo, text: isOfHeader ? `${header}: ${text}` : text, line, how: said.how})
    }
  }

  /** Once all rows were added. */
  settle(take: (said: Said) => void): void {
    for (const column of this.columns.values()) {
      // A time of booking that all booked rows have and not all open ones tells of the booking.
      const tells =
        column.isOfBooking && column.bookedFilled >= this.booked * 0.9 && column.openFilled < this.open
      for (const phrase of column.phrases.values()) {
        if (phrase.open.length > 0 && (tells || !this.isUsual(phrase, column)))
          for (const said of phrase.open) take(said)
      }
    }
  }

  private isUsual({booked, open, isCertain}: Phrase, column: Column): boolean {
    if (booked === 0) return false
    // Nobody writes `booked by hand` or `refunded` of what is not, unless a program writes it of nearly all.
    if (isCertain || column.isCertain) return booked >= this.booked * 0.5
    return booked >= usualMin || booked / this.booked >= open.length / this.open
  }

  private columnOf(header: string, place: number | string): Column {
    const key = `${place}`
    let column = this.columns.get(key)
    if (column === undefined) {
      const isOfMoneyBack = headerSaysMoneyBack(header)
      const isOfBooking = !isOfMoneyBack && headerSaysBooked(header)
      column = {
        ...{isOfBooking, isOfMoneyBack, isCertain: isOfMoneyBack || headerSaysByHand(header)},
        ...{bookedFilled: 0, openFilled: 0, phrases: new Map(), known: new Map()},
      }
      this.columns.set(key, column)
    }
    return column
  }

  private read(column: Column, text: string, isNotes: boolean) {
    const before = column.known.get(text)
    if (before !== undefined) return before
    const said = meaningOf(column, text, isNotes)
    if (column.known.size < knownMax) column.known.set(text, said)
    return said
  }
}

function meaningOf({isOfBooking, isOfMoneyBack}: Column, text: string, isNotes: boolean): Read | null {
  const back = saysMoneyBack(text, isNotes)
  const own = saysOwnBooked(text, isNotes)
  const isOfBack = back !== null || (isOfMoneyBack && !saysNoMoneyBack(text))
  if (!isOfBack && own === null && !(isOfBooking && !saysNothing(text))) return null
  const isCertain = back === 'certain' || own === 'by hand'
  return {words: wordsOf(text), isCertain, how: isOfBack ? 'money back' : 'own row'}
}
