export interface Accounts {
  readonly passwd: string
  readonly group: string
}

/**
 * Whether a group has other members than root and this user, by membership or as first group. Root's group also has
 * system accounts.
 */
export function hasOtherMembers(gid: number, uid: number, {passwd, group}: Accounts): boolean {
  const users = rowsOf(passwd).map(([name, , id, first]) => ({name, id: Number(id), first: Number(first)}))
  const others = users.filter(({id}) => id !== 0 && id !== uid)
  const members = rowsOf(group)
    .filter(([, , id]) => Number(id) === gid)
    .flatMap(([, , , names = '']) => names.split(','))
  return others.some(({name = '', first}) => members.includes(name) || (gid !== 0 && first === gid))
}

function rowsOf(text: string): string[][] {
  return text.split('\n').map((line) => line.trim().split(':'))
}
