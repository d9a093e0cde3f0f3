/**
 * Text from outside, made safe to look at (P24): control, bidi, zero-width and other format characters and
 * halves of surrogate pairs become visible `\u{…}`, so that no answer can drive a terminal or hide in a log.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{VS}\u115f\u1160\u3164\uffa0]/gu

export function visible(text: string, lengthMax = 4096): string {
  const shown = text.replace(invisible, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
  if (shown.length <= lengthMax) return shown
  // The cut may fall inside a pair, and half of one is what this function is there to prevent.
  const cut = shown.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '')
  return `${cut}… (${text.length} characters)`
}

/**
 * A value as JSON in which nothing is invisible (P24): what `visible` shows, JSON escapes, so that the text is the
 * same to a program and harmless on a terminal. `indent`: over several lines, for people.
 */
export function jsonText(value: unknown, indent = 0): string {
  // JSON has escaped the line ends of strings by now: those that are left are its own.
  return JSON.stringify(value, null, indent).replace(invisible, (char) =>
    char === '\n' ? char : escaped(char),
  )
}

function escaped(char: string): string {
  const units = Array.from({length: char.length}, (_, at) => char.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** `01712345678` as `017****5678`: enough to recognise, not enough to use (P20). */
export function maskPhone(phone: string): string {
  return phone.length < 8 ? '****' : `${phone.slice(0, 3)}****${phone.slice(-4)}`
}

/** A person's name as its first letter: `Rahim Uddin` as `R****`. */
export function maskName(name: string): string {
  const [first] = new Intl.Segmenter('bn', {granularity: 'grapheme'}).segment(name)
  return `${first?.segment ?? ''}****`
}
