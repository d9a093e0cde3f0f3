export interface Mail {
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly language: string
  readonly atMs: number
  /** Unique to this mail. */
  readonly id: string
}

/**
 * A mail as a file for somebody else to send: RFC 5322, CRLF, 7 bits (docs/decisions/0019-mail.md). The same mail is
 * the same bytes.
 */
export async function composeMail({subject, text, html, language, atMs, id}: Mail): Promise<Buffer> {
  const {default: MailComposer} = await import('nodemailer/lib/mail-composer')
  const composer = new MailComposer({
    from: {name: 'hisab', address: 'hisab@localhost'},
    subject,
    text,
    html,
    date: new Date(atMs),
    messageId: `<${id}@hisab.invalid>`,
    baseBoundary: id,
    textEncoding: 'quoted-printable',
    newline: '\r\n',
    disableFileAccess: true,
    disableUrlAccess: true,
    headers: {'Auto-Submitted': 'auto-generated', 'Content-Language': language},
  })
  return await composer.compile().build()
}

const subjectMax = 60

/** `subjects` have less and less detail. Returns the first one that fits, or the last one, cut. */
export function shortest(subjects: readonly string[]): string {
  const fits = subjects.find((subject) => [...subject].length <= subjectMax)
  return fits ?? [...(subjects.at(-1) ?? '')].slice(0, subjectMax).join('')
}
