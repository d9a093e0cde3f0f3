// A sandbox in a process of its own, to be killed: `node sandbox-process.ts DATA_DIR [PORT]` prints its address.
import {startSandbox} from '../../../src/sandbox/start.ts'

const {url} = await startSandbox({port: Number(process.argv[3] ?? 0), dataDir: process.argv[2] ?? null})
process.stdout.write(`${url}\n`)
