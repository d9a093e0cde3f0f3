// Files of one worker share modules, and so what they cover: each file reports its own, else the report of the last
// holds all, the one before it all but one, and the measurement of a large suite never ends.
const covered = (globalThis as {__stryker__?: {mutantCoverage?: {static: object; perTest: object}}})
  .__stryker__?.mutantCoverage
if (covered) Object.assign(covered, {static: {}, perTest: {}})
