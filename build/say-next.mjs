// The last thing that `npm ci` shows; on stderr, because `npm pack --json` has a result on stdout.
console.error('hisab is built. Next: `npm run demo`, or `npm run hisab -- --help`.')
