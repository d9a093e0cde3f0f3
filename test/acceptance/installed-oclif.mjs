// hisab's commands under the oclif that npm installed, for same-oclif.test.ts.
import {fileURLToPath} from 'node:url'
import {execute} from '@oclif/core'

void execute({loadOptions: {root: fileURLToPath(new URL('../..', import.meta.url))}})
