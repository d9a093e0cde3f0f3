export const languages = ['en', 'bn'] as const
export type Language = (typeof languages)[number]

const bengaliZero = 0x9e6

/** Digits in the reader's script. Numbers to be typed into a telephone stay unchanged. */
export function inDigits(text: string, language: Language): string {
  if (language === 'en') return text
  return text.replace(/[0-9]/g, (digit) => String.fromCharCode(bengaliZero + Number(digit)))
}
