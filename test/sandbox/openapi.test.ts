import {readFileSync} from 'node:fs'

import {Ajv2020} from 'ajv/dist/2020.js'
import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest'

import {assembleSandbox, type Sandbox, startSandbox} from '../../src/sandbox/start.ts'
import {depositFields, type Fields, legacyHeaders, payoutFields, signed} from './acting-merchant.ts'
import {fillDisk} from './full-disk.ts'
import {openReceiver, type TestReceiver} from './receiver-server.ts'

interface Operation {
  readonly operationId: string
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, {$ref?: string; content?: object}>>
}

interface OpenApi {
  readonly paths: Readonly<Record<string, {servers: {url: string}[]; get?: Operation; post?: Operation}>>
  readonly components: {readonly responses: Readonly<Record<string, object>>}
}

const documentUrl = new URL('../../openapi.json', import.meta.url)
const openApi = JSON.parse(readFileSync(documentUrl, 'utf8')) as OpenApi
const ajv = new Ajv2020({strict: false, allErrors: true})
ajv.addSchema({...openApi, $id: 'service'})

const operations = Object.entries(openApi.paths).flatMap(([path, {servers, get, post}]) =>
  Object.entries({get, post}).flatMap(([method, operation]) =>
    operation
      ? [
          {
            path,
            method: method.toUpperCase(),
            port: Number(new URL(servers[0]?.url ?? '').port),
            ...operation,
          },
        ]
      : [],
  ),
)
const operationOf = (id: string) => {
  const found = operations.find(({operationId}) => operationId === id)
  if (!found) throw new Error(`no operation ${id}`)
  return found
}

let receiver: TestReceiver
let sandbox: Sandbox
let recordId: string
const seen = new Set<string>()

beforeAll(async () => {
  receiver = await openReceiver()
  sandbox = await startSandbox({port: 0, dataDir: null})
  await ask('createDeposit', signed(depositFields({returnUrl: receiver.url})))
  await ask('createPayout', signed(payoutFields({returnUrl: receiver.url})))
  recordId = (await sandbox.control.payDeposit('D-1001', 500_00n)).id
  await sandbox.control.rejectPayout('P-2001')
})

afterEach(() => sandbox.faults.set({chaos: [], seed: 0}))

afterAll(async () => {
  await sandbox.close()
  await receiver.close()
})

const tooLarge = {notes: 'x'.repeat(70_000)}

/** Asks as the document says, and holds the answer against it. */
async function ask(
  id: string,
  body?: unknown,
  {query = '', path = recordId, headers = {}} = {},
): Promise<number> {
  const {port, method, path: template, responses} = operationOf(id)
  const base = port === 4011 ? sandbox.applyUrl : template.startsWith('/pay') ? sandbox.baseUrl : sandbox.url
  const target = template.replace('{webhookId}', path)
  const isLegacy = template.startsWith('/api')
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(`${base}${target}${query}`, {
    method,
    headers: {
      ...(isLegacy
        ? legacyHeaders(method, target, text === undefined ? {} : {body: text})
        : {'content-type': 'application/json'}),
      ...headers,
    },
    ...(text === undefined ? {} : {body: text}),
  })
  const status = String(answer.status)
  expect(Object.keys(responses), id).toContain(status)
  expect(answer.headers.get('content-type'), id).toMatch(/^application\/json/)
  const reference =
    responses[status]?.$ref ??
    `#/paths/${escapePointer(template)}/${method.toLowerCase()}/responses/${status}`
  expectValid(`${reference}/content/application~1json/schema`, await answer.json(), `${id} ${status}`)
  seen.add(`${id} ${status}`)
  return answer.status
}

function expectValid(pointer: string, value: unknown, what: string): void {
  const isValid = ajv.validate(`service${pointer}`, value)
  expect(isValid, `${what}: ${ajv.errorsText()} in ${JSON.stringify(value)}`).toBe(true)
}

function escapePointer(path: string): string {
  return path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')
}

describe('openapi.json', () => {
  const signedOperations: [id: string, schema: string, fields: Fields][] = [
    ['createDeposit', 'DepositCreate', depositFields({orderNo: 'D-1'})],
    ['createPayout', 'PayoutCreate', payoutFields({outOrderNo: 'P-1'})],
    ['queryDeposit', 'DepositQuery', {orderNo: 'D-1001'}],
    ['queryPayout', 'PayoutQuery', {outOrderNo: 'P-2001'}],
  ]
  const oddities: Fields[string][] = [
    '',
    'x',
    'x'.repeat(65),
    '0',
    '0.00',
    '1.234',
    '-1',
    '01.00',
    true,
    null,
    '১',
    'http://a',
    'ftp://a',
    '019123456789',
  ]

  it.each(signedOperations)(
    '%s takes what its schema takes, and nothing else',
    async (id, schema, fields) => {
      const validate = ajv.getSchema(`service#/components/schemas/${schema}`)
      expect(await ask(id, signed(fields))).toBe(200)
      for (const name of Object.keys(fields)) {
        for (const value of [undefined, ...oddities]) {
          const body = signed({...fields, [name]: value})
          const status = await ask(id, body)
          expect([200, 404].includes(status), `${name}=${value} is answered ${status}`).toBe(
            validate?.(JSON.parse(JSON.stringify(body))),
          )
        }
      }
    },
  )

  it.each(signedOperations)('%s answers as the document says', async (id, _, fields) => {
    const body = signed(fields)
    await ask(id, {...body, signature: undefined})
    await ask(id, {...body, signature: '0'.repeat(32)})
    await ask(
      id,
      signed(fields, {
        merchantId: '5a9db0c5-0000-4000-8000-000000000077',
        apiSecret: 'other',
        apiKey: 'other',
      }),
    )
    await ask(id, '{"half')
    await ask(id, {...body, ...tooLarge})
    await ask(id, body, {headers: {'content-type': 'text/plain'}})
    if (id.startsWith('query')) await ask(id, signed({[Object.keys(fields)[0] ?? '']: 'none'}))
    await rateLimited(() => ask(id, body))
  })

  it('the legacy API answers as the document says', async () => {
    const none = '00000000-0000-4000-8000-000000000000'
    for (const query of ['', '?status=failed&page=1&limit=1', '?page=0', '?limit=101', '?order_id=x']) {
      await ask('listRecords', undefined, {query})
    }
    for (const id of ['listRecords', 'getRecord', 'resendWebhook']) {
      await ask(id)
      await ask(id, undefined, {headers: {'x-signature': '0'}})
      if (id !== 'listRecords') await ask(id, undefined, {path: none})
      await rateLimited(() => ask(id))
    }
    await ask('resendWebhook', 'x'.repeat(70_000))
    await ask('health')
    for (const {body} of receiver.received) expectValid('#/components/schemas/Webhook', body, 'a webhook')
  })

  it('each address answers to this machine alone', async () => {
    const {request} = await import('node:http')
    for (const {operationId, method, path, port} of operations) {
      const url = new URL(port === 4011 ? sandbox.applyUrl : sandbox.url)
      const prefix = /^\/(pay|apply)\//.test(path) ? '/v1' : ''
      const status = await new Promise((resolve) => {
        request(
          {
            port: url.port,
            host: '127.0.0.1',
            method,
            path: `${prefix}${path}`,
            headers: {host: 'evil.example'},
          },
          (answer) => {
            answer.resume()
            resolve(answer.statusCode)
          },
        ).end()
      })
      expect(status, operationId).toBe(403)
      seen.add(`${operationId} 403`)
    }
  })

  it('a full disk is answered as the document says', async () => {
    const disk = fillDisk()
    try {
      await ask('createDeposit', signed(depositFields({orderNo: 'D-2'})))
      await ask('createPayout', signed(payoutFields({outOrderNo: 'P-2'})))
      await ask('health')
      await ask('resendWebhook')
    } finally {
      disk.mockRestore()
    }
  })

  // The last: it needs what the others have seen.
  it('has every answer and every address there is, and no other', () => {
    const documented = operations.flatMap(({operationId, responses}) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    )
    expect([...seen].sort()).toEqual(documented.sort())
    const assembly = assembleSandbox({dataDir: null}, () => '')
    const {deposits, payouts} = assembly.apps
    assembly.close()
    const isService = (path: string) => !/^\/(\*|pay\/:|pay\/\*|assets|console|sandbox|$)/.test(path)
    const served = [...deposits.routes, ...payouts.routes]
      .filter(({method, path}) => method !== 'ALL' && isService(path))
      .map(({method, path}) => `${method} ${path.replace(/^\/v1/, '').replace(/:(\w+)/g, '{$1}')}`)
    expect([...new Set(served)].sort()).toEqual(
      operations.map(({method, path}) => `${method} ${path}`).sort(),
    )
  })

  async function rateLimited(work: () => Promise<number>): Promise<void> {
    sandbox.faults.set({chaos: ['rate-limited'], seed: 1})
    expect(await work()).toBe(429)
    sandbox.faults.set({chaos: [], seed: 0})
  }
})
