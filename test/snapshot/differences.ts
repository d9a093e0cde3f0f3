/** Each leaf of a document by its path: `reconcile.flags.wait.default`. An empty list or object is a leaf. */
function leavesOf(value: unknown, path: string): Map<string, string> {
  const isLeaf = typeof value !== 'object' || value === null || Object.keys(value).length === 0
  if (isLeaf) return new Map(path === '' ? [] : [[path, JSON.stringify(value)]])
  // Of a list of words the words count, wherever they stand.
  const isWords = Array.isArray(value) && value.every((item) => typeof item !== 'object')
  if (isWords) return new Map(value.map((item) => [`${path} has ${JSON.stringify(item)}`, '']))
  return new Map(
    Object.entries(value).flatMap(([name, inner]) => [
      ...leavesOf(inner, path === '' ? name : `${path}.${name}`),
    ]),
  )
}

/** What changed between two documents, a line each: `+` is new, `-` is gone, `~` is another. */
export function differences(before: unknown, after: unknown): string[] {
  const [old, now] = [leavesOf(before, ''), leavesOf(after, '')]
  const line = (sign: string, path: string, value: string) =>
    `${sign} ${path}${value === '' ? '' : `: ${value}`}`
  const gone = [...old].filter(([path]) => !now.has(path)).map(([path, value]) => line('-', path, value))
  const other = [...now].flatMap(([path, value]) => {
    const was = old.get(path)
    if (was === undefined) return [line('+', path, value)]
    return was === value ? [] : [line('~', path, `${was} is now ${value}`)]
  })
  return [...gone, ...other]
}
