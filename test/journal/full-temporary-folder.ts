import {DatabaseSync} from 'node:sqlite'

/**
 * Lets SQLite find its temporary folder full, and nothing else, as soon as something is put there; what it gives back
 * makes room again.
 */
export function fillTemporaryFolder(): () => void {
  const {exec} = DatabaseSync.prototype
  DatabaseSync.prototype.exec = function (sql) {
    if (!sql.includes('CREATE TEMP TABLE')) return exec.call(this, sql)
    exec.call(this, 'PRAGMA temp.max_page_count = 1')
    try {
      exec.call(this, sql)
    } finally {
      exec.call(this, 'PRAGMA temp.max_page_count = 1000000')
    }
  }
  return () => {
    DatabaseSync.prototype.exec = exec
  }
}

/** The environment in which a process of ours finds it so. */
export const fullTemporaryFolder = {
  NODE_OPTIONS: `--import "data:text/javascript,import {fillTemporaryFolder} from '${import.meta.url}'; fillTemporaryFolder()"`,
}
