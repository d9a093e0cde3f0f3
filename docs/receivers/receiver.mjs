// A receiver of webhooks and a signer of requests, for Node 20 and later, without packages.
//   HISAB_API_SECRET=SECRET node receiver.mjs         receives at http://127.0.0.1:3000/webhook (PORT)
//   HISAB_API_SECRET=SECRET node receiver.mjs sign    reads a request's JSON on stdin, prints its signature
import {createHash, timingSafeEqual} from 'node:crypto'
import {closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync} from 'node:fs'
import {createServer} from 'node:http'
import {text} from 'node:stream/consumers'

// The service's words, matched exactly. Any other word is neither paid nor failed.
const COMPLETED = ['completed']
const FAILED = ['failed']

const secret = process.env.HISAB_API_SECRET ?? ''
if (secret.trim() === '') throw new Error('HISAB_API_SECRET is empty: an empty secret signs anything.')

/** The MD5 signature of fields by name; each is text, or null where it is left out. */
export function sign(fields) {
  const names = [...fields.keys()].filter((name) => name !== 'signature' && fields.get(name) !== null)
  // By code unit: A before _ before a.
  const pairs = names.sort().map((name) => `${name}=${fields.get(name)}`)
  return createHash('md5')
    .update(`${pairs.join('&')}&key=${secret}`)
    .digest('hex')
}

/** The fields of a webhook's raw bytes, or null: then answer 401, and act on nothing. */
export function verify(body) {
  const fields = readFlatJson(body)
  const given = Buffer.from(fields?.get('signature') ?? '')
  if (fields === null || given.length !== 32) return null
  if (!timingSafeEqual(given, Buffer.from(sign(fields)))) return null
  // "u7&status=completed" in one field signs like two fields.
  return [...fields].some(([name, value]) => /[=&]/.test(name) || /&[^&=]*=/.test(value ?? ''))
    ? null
    : fields
}

/** One flat JSON object, numbers by the text that stands there. Null for anything else, and for a name that comes twice. */
function readFlatJson(body) {
  const string = String.raw`"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`
  const value = String.raw`${string}|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null`
  const pair = new RegExp(
    String.raw`[ \t\r\n]*(${string})[ \t\r\n]*:[ \t\r\n]*(${value})[ \t\r\n]*([,}])`,
    'y',
  )
  let json
  try {
    json = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(body)
  } catch {
    return null
  }
  const fields = new Map()
  const start = /^[ \t\r\n]*\{/.exec(json)
  pair.lastIndex = start ? start[0].length : json.length
  for (let found = pair.exec(json); found; found = pair.exec(json)) {
    const [, nameText, valueText, next] = found
    const name = JSON.parse(nameText)
    const field = valueText === 'null' ? null : valueText.startsWith('"') ? JSON.parse(valueText) : valueText
    if (fields.has(name) || !name.isWellFormed() || !(field ?? '').isWellFormed()) return null
    fields.set(name, field)
    if (next === '}') return /^[ \t\r\n]*$/.test(json.slice(pair.lastIndex)) ? fields : null
  }
  return null
}

// Stands for your database. Each line is one fact: its kind, the order, what is booked of it, the order number.
const path = process.env.BOOKS ?? 'books.log'
let size = 0
let facts = []

function readFacts() {
  const stored = existsSync(path) ? readFileSync(path, 'utf8') : ''
  // A last line without its end was cut off by a crash, and means nothing.
  size = stored.lastIndexOf('\n') + 1
  const lines = stored.slice(0, size).split('\n')
  facts = lines.map((line) => line.split('\t').map(decodeURIComponent))
}

function write(...fact) {
  if (facts.some((known) => known.join('\t') === fact.join('\t'))) return
  const line = `${fact.map(encodeURIComponent).join('\t')}\n`
  const file = openSync(path, 'a', 0o600)
  try {
    // What a crash or a full disk left of a line goes first.
    ftruncateSync(file, size)
    if (writeSync(file, line) !== line.length) throw new Error('The disk is full.')
    // On the disk before the answer: an event answered with 200 never comes again.
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  size += line.length
  facts.push(fact)
}

const isSame = (one, other) => one.toLowerCase() === other.toLowerCase()

/** What is booked of an order. An event may lack one of the order's two numbers. */
function factsOf(kind, order, number) {
  return facts.filter(([found, known, ...rest]) => {
    const isOfNumber = number !== '' && [known, rest.at(-1)].includes(number)
    return (found === kind || found === `${kind}_again`) && (isSame(known, order) || isOfNumber)
  })
}

/** Books an order once. False if it is booked otherwise: that is for a person. */
function bookOnce(kind, order, number, ...what) {
  const known = factsOf(kind, order, number)
  for (const [, otherOrder, ...rest] of known) {
    const otherNumber = rest.pop()
    const haveOrders = order !== number && otherOrder !== otherNumber
    const haveNumbers = number !== '' && otherNumber !== ''
    if (haveOrders && !isSame(order, otherOrder)) return false
    if ((haveNumbers && number !== otherNumber) || rest.join('\t') !== what.join('\t')) return false
    if (order === otherOrder && number === otherNumber) return true
  }
  write(known.length === 0 ? kind : `${kind}_again`, order, ...what, number)
  return true
}

/** Books one genuine event. A second delivery of it changes nothing. */
export function book(fields) {
  // Another process may have written. Two that write at once need the transactions of a database.
  readFacts()
  const text = (name) => fields.get(name) ?? ''
  const number = text('orderNo').trim() || text('outOrderNo').trim()
  const order = text('platformOrderNo').trim() || number
  const [event, status, player, amount] = ['event', 'status', 'playerRef', 'amount'].map(text)
  const says = (name, words) =>
    (!event || event === name) && (!status || words.includes(status)) && (event || status)
  const state = says('order.completed', COMPLETED)
    ? 'completed'
    : says('order.failed', FAILED)
      ? 'failed'
      : ''
  const setAside = () => write('set_aside', order, number, event, status, amount)
  // Only a deposit has a playerRef. What has both marks, or blanks for a player, is neither for certain.
  const isPayout = player === '' || text('outOrderNo') !== ''
  if (state === '' || order === '' || (isPayout ? player !== '' : player.trim() === '')) return setAside()
  if (isPayout) return bookOnce('payout', order, number, state) || setAside()
  if (state === 'failed')
    return factsOf('credit', order, number).length > 0 ? setAside() : write('deposit_failed', order, number)
  if (!/^\d+(\.\d{1,2})?$/.test(amount) || Number(amount) === 0) return setAside()
  const [taka, paisa = ''] = amount.split('.')
  // Credited already: the same again is a retry, another amount or player is for a person.
  return bookOnce('credit', order, number, player, `${BigInt(taka)}.${paisa.padEnd(2, '0')}`) || setAside()
}

function receive(request, response) {
  const answer = (status) => void response.writeHead(status).end()
  if (request.method !== 'POST') return answer(405)
  const chunks = []
  let length = 0
  request.on('data', (chunk) => {
    length += chunk.length
    if (length <= 65_536) chunks.push(chunk)
  })
  request.on('end', () => {
    if (length > 65_536) return answer(413)
    const fields = verify(Buffer.concat(chunks))
    if (fields === null) return answer(401)
    try {
      book(fields)
      // Everything genuine, also what failed or is not understood: with 4xx it comes five times more, and then never.
      answer(200)
    } catch (error) {
      console.error(error)
      answer(500)
    }
  })
}

if (process.argv[2] === 'sign') {
  const fields = readFlatJson(Buffer.from(await text(process.stdin)))
  if (fields === null) throw new Error('Give one flat JSON object, each name once.')
  console.log(sign(fields))
} else {
  const port = Number(process.env.PORT ?? 3000)
  createServer(receive).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/webhook`))
}
