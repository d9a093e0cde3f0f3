/** A command's description as paragraphs: lines broken for the source are joined, so that help wraps them to the terminal. */
export function unwrap(text: string): string {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\s*\n\s*/g, ' '))
    .join('\n\n')
}
