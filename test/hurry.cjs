// Node loads this before hisab: between two resends, two looks at a record and two tries it waits, and nothing happens then.
const timers = require('node:timers/promises')

const hurry = 50
const {setTimeout: sleep} = timers
timers.setTimeout = (ms, ...rest) => sleep((ms ?? 0) / hurry, ...rest)
