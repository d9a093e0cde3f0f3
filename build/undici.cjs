// All that hisab imports of undici. The rest of it, fetch and mocks and caches, is half of what there is to read.
Object.assign(require('undici/lib/dispatcher/dispatcher').prototype, require('undici/lib/api'))
exports.Agent = require('undici/lib/dispatcher/agent')
exports.Pool = require('undici/lib/dispatcher/pool')
exports.ProxyAgent = require('undici/lib/dispatcher/proxy-agent')
