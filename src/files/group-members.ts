/** The system's own lists, in the format of `/etc/passwd` and `/etc/group`. */
export interface Accounts {
  readonly passwd: string
  readonly group: string
}

/**
 * Whether the lists name anybody in a group but root and this user: as a member, or as a user whose first group it is.
 * Root's group is that of some accounts of the system.
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
