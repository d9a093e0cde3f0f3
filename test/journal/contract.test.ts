import {onTestFinished} from 'vitest'

import {openJournal} from '../../src/journal/journal.ts'
import {tempDir} from '../temp-dir.ts'
import {contractOf} from './contract.ts'
import {live} from './sample.ts'

contractOf('a file on this machine', async () => {
  const dir = tempDir()
  const both = [openJournal(dir, live), openJournal(dir, live)] as const
  for (const journal of both) onTestFinished(() => journal.close())
  return both
})
