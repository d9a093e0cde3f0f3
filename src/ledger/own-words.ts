import {
  asksOrDenies,
  headerSaysBooked,
  headerSaysByHand,
  plainHeader,
  saysNothing,
  saysOwnBooked,
  wordsOf,
} from './booking-words.ts'
import {headerSaysMoneyBack, saysMoneyBack, saysNoMoneyBack, speaksOfMachines} from './money-back.ts'

/**
 * What a row says of its order: that it is booked, that its money went back, so that nobody may credit it, or something
 * that rows like it do not have.
 */
type Meaning = 'own row' | 'money back' | 'unlike others'

interface Said {
  readonly orderNo: string
  readonly text: string
  readonly line: number
  readonly how: Meaning
}

/** Booked; about to be resent; any other that is not booked. */
type State = 'booked' | 'open' | 'other'
type Counts = Record<State, number>

/** The cells of one column with the same words. */
interface Phrase extends Pick<Counts, 'booked' | 'other'> {
  /** What the words mean by themselves; null where they may mean anything. */
  readonly read: Read | null
  /** Nobody writes so of what is booked. */
  readonly isNone: boolean
  readonly open: Said[]
}

interface Read {
  readonly isCertain: boolean
  readonly how: Meaning
}

interface Column {
  readonly isOfBooking: boolean
  readonly isOfMoneyBack: boolean
  readonly isCertain: boolean
  readonly isOfMachines: boolean
  isOfNotes: boolean
  readonly filled: Counts
  readonly phrases: Map<string, Phrase>
  /** What was read of a text before. */
  readonly known: Map<string, Read | null>
}

export interface OwnRow {
  readonly orderNo: string
  readonly line: number
  /** Null where no column says it. */
  readonly state: State | null
}

/** So many booked rows make words usual, whatever their share. */
const usualMin = 3
const knownMax = 1000
const phrasesMax = 10_000
/** So many rows show whether a column is filled everywhere. */
const rowsToTell = 100

/**
 * What the rows of open orders have in columns that are not read, and rows like them do not. A word of booking means that
 * somebody booked the order, unless booked rows of the file have the same words there: then they say how it was paid. Any
 * other text counts where it stands out: in a column that is blank in most rows, or one that booked rows fill and open ones
 * leave blank.
 */
export class OwnWords {
  private readonly rows: Counts = {booked: 0, open: 0, other: 0}
  private readonly columns = new Map<string, Column>()

  countRow({state}: OwnRow): void {
    if (state !== null) this.rows[state] += 1
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
    column.isOfNotes ||= isNotes
    const read = this.read(column, text, isNotes)
    if (read === null && saysNothing(text)) return
    column.filled[state] += 1
    if (read === null && state !== 'open' && this.isFull(column)) return
    const words = wordsOf(text)
    let phrase = column.phrases.get(words)
    if (phrase === undefined) {
      // Where there are so many, each is a booking's own.
      if (state !== 'open' && column.phrases.size >= phrasesMax) return
      phrase = {booked: 0, other: 0, read, isNone: asksOrDenies(text) || speaksOfMachines(text), open: []}
      column.phrases.set(words, phrase)
    }
    if (state !== 'open') phrase[state] += 1
    else {
      const isOfHeader = !column.isOfNotes || column.isOfBooking || column.isOfMoneyBack
      const shown = isOfHeader && header !== '' ? `${header}: ${text}` : text
      phrase.open.push({orderNo, text: shown, line, how: read?.how ?? 'unlike others'})
    }
  }

  /** Once all rows were added. */
  settle(take: (said: Said) => void): void {
    for (const column of this.columns.values()) {
      const standsOut = this.leavesBlank(column)
      for (const phrase of column.phrases.values()) {
        const isHeld =
          standsOut ||
          (phrase.read !== null && !this.isUsual(phrase, phrase.read, column)) ||
          this.isRare(phrase, column)
        if (isHeld) for (const said of phrase.open) take(said)
      }
    }
  }

  /** Whether booked rows fill the column, and other rows that are not booked leave it blank. */
  private leavesBlank({filled, isOfBooking}: Column): boolean {
    const {rows} = this
    if (rows.booked === 0 || filled.booked < rows.booked * 0.9) return false
    const unbooked = rows.open + rows.other
    const blank = unbooked - filled.open - filled.other
    if (isOfBooking) return blank > 0 || rows.other === 0
    // One blank cell is no habit, and where an outage was booked by hand most are filled.
    return blank > 1 && blank * 4 >= unbooked
  }

  /** Whether the column is blank in most rows, and neither booked rows nor open ones at either side have such a text. */
  private isRare({booked, other, isNone, open}: Phrase, {filled, isOfMachines, isOfNotes}: Column): boolean {
    const {rows} = this
    if (isNone || isOfMachines || other > 0 || booked >= usualMin) return false
    if (booked > 0 && booked / rows.booked >= open.length / rows.open) return false
    const unbooked = rows.open + rows.other
    const isBlankInMost = (filled.booked + filled.open + filled.other) * 2 <= rows.booked + unbooked
    if (isOfNotes || !isBlankInMost) return isBlankInMost
    // What a program writes of open orders alone, or of some whatever their state.
    const isOfOpen = unbooked > 1 && filled.open + filled.other >= unbooked * 0.9
    return !isOfOpen && filled.booked <= rows.booked * 0.1
  }

  private isUsual({booked, open}: Phrase, {isCertain}: Read, column: Column): boolean {
    const {rows} = this
    if (booked === 0) return false
    // Nobody writes `booked by hand` or `refunded` of what is not, unless a program writes it of nearly all.
    if (isCertain || column.isCertain) return booked >= rows.booked * 0.5
    return booked >= usualMin || booked / rows.booked >= open.length / rows.open
  }

  private isFull({filled}: Column): boolean {
    const [rows, cells] = [this.rows, filled].map(({booked, open, other}) => booked + open + other)
    return (rows ?? 0) > rowsToTell && (cells ?? 0) * 2 > (rows ?? 0)
  }

  private columnOf(header: string, place: number | string): Column {
    const key = `${place}`
    let column = this.columns.get(key)
    if (column === undefined) {
      const isOfMoneyBack = headerSaysMoneyBack(header)
      const isOfBooking = !isOfMoneyBack && headerSaysBooked(header)
      column = {
        ...{isOfBooking, isOfMoneyBack, isCertain: isOfMoneyBack || headerSaysByHand(header)},
        ...{isOfMachines: headersOfMachines.test(plainHeader(header)), isOfNotes: false},
        ...{filled: {booked: 0, open: 0, other: 0}, phrases: new Map(), known: new Map()},
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

/** Programs write there what went wrong, or what is to come. */
const headersOfMachines =
  /webhook|callback|error|exception|response|fail|reason|retr(?:y|ies)|attempt|expir|url|link|http|payload|json|device|agent string/iu

function meaningOf({isOfBooking, isOfMoneyBack}: Column, text: string, isNotes: boolean): Read | null {
  const back = saysMoneyBack(text, isNotes)
  const own = saysOwnBooked(text, isNotes)
  const isOfBack = back !== null || (isOfMoneyBack && !saysNoMoneyBack(text))
  if (!isOfBack && own === null && !(isOfBooking && !saysNothing(text))) return null
  const isCertain = back === 'certain' || own === 'by hand'
  return {isCertain, how: isOfBack ? 'money back' : 'own row'}
}
