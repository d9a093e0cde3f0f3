import {DatabaseSync} from 'node:sqlite'

import {vi} from 'vitest'

/** Every commit of this process fails as on a full disk, until `mockRestore`. */
export function fillDisk() {
  const {exec} = DatabaseSync.prototype
  return vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    if (sql === 'COMMIT') throw Object.assign(new Error('database or disk is full'), {errcode: 13})
    exec.call(this, sql)
  })
}
