/** The languages of those who read what hisab shows. */
export const languages = ['en', 'bn'] as const
export type Language = (typeof languages)[number]

const bengaliZero = 0x9e6

/** Digits as the reader writes them. Numbers that are typed into a telephone stay as its keys show them. */
export function inDigits(text: string, language: Language): string {
  if (language === 'en') return text
  return text.replace(/[0-9]/g, (digit) => String.fromCharCode(bengaliZero + Number(digit)))
}
