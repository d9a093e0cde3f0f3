import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect} from 'vitest'

import {PostgresServer, whyNoPostgres} from '../journal/postgres/server.ts'
import {hasOpenssl, makeCertificate} from './certificates.ts'
import {OwnHome} from './own-home.ts'
import {it as dayIt} from './played-day.ts'
import type {PlayedService} from './played-service.ts'

const password = 'pa55-of-the-journal'
const payouts = `out_order_no,amount,bank_type,user_name,account
P-1,500.00,BKASH,Rahim Uddin,01812345678
`

let server: PostgresServer

interface Desk {
  readonly service: PlayedService
  readonly home: OwnHome
}

const it = dayIt.extend<{desk: Desk}>({
  desk: async ({openDay}, use) => {
    const {service} = await openDay([])
    const home = new OwnHome({...service.env, HISAB_PROFILE: 'shop'})
    home.writeShop(service.env.HISAB_BASE_URL)
    home.write('payouts.csv', payouts)
    await use({service, home})
    home.remove()
  },
})

/** What the built program says of a payout whose journal is at `url`. */
async function pay({home, service}: Desk, url: string) {
  home.env.HISAB_JOURNAL = url
  const {status, stdout, stderr} = await home.run(['payout', 'create', '--from', 'payouts.csv', '--yes'])
  expect(stdout + stderr).not.toContain(password)
  expect(stderr).not.toMatch(/^ +at .*\.(?:js|ts)/m)
  expect(service.door.count('/apply/create')).toBe(0)
  const [, what = ''] = /^error: (.*)$/m.exec(stderr) ?? []
  const [, next = ''] = /^ +try: (.*)$/m.exec(stderr) ?? []
  return {status, what, next}
}

describe.skipIf(whyNoPostgres !== null || !hasOpenssl)('a database that the built program cannot use', () => {
  let ca: string
  let otherCa: string
  const url = (user: string, database = 'hisab', query = '') =>
    `postgres://${user}:${password}@127.0.0.1:${server.port}/${database}${query}`

  beforeAll(async () => {
    server = await PostgresServer.start()
    const {dir} = server
    const made = makeCertificate(join(dir, 'one'), {host: 'IP:127.0.0.1', days: 30})
    ca = made.certPath
    otherCa = makeCertificate(join(dir, 'other'), {host: 'IP:127.0.0.1', days: 30}).certPath
    await server.migrate()
    server.sql(`ALTER ROLE hisab PASSWORD '${password}'`)
    server.sql(`CREATE ROLE bare LOGIN PASSWORD '${password}'`)
    for (const [name, version] of [
      ['older', 0],
      ['newer', 99],
    ] as const) {
      server.sql(`CREATE DATABASE ${name}`)
      server.sql(
        `CREATE SCHEMA hisab; CREATE TABLE hisab.schema_version AS SELECT ${version} AS version;
         GRANT USAGE ON SCHEMA hisab TO hisab; GRANT SELECT ON hisab.schema_version TO hisab`,
        name,
      )
    }
    server.sql('CREATE DATABASE empty')
    server.secure(made, ['hisab', 'bare'])
  }, 60_000)
  afterAll(() => server?.stop())

  it('each case says what, where and what next, sends nothing, and tells no password', async ({desk}) => {
    const secure = (path: string) => `?sslmode=verify-full&sslrootcert=${path}`
    const wrong = url('hisab').replace(password, `${password}-typo`)
    const cases: readonly (readonly [string, string, number, RegExp, RegExp])[] = [
      ['a wrong password', wrong, 2, /refused the user or the password/, /Correct the user and the password/],
      [
        'another authority',
        url('hisab', 'hisab', secure(otherCa)),
        2,
        /certificate that is not trusted/,
        /sslrootcert/,
      ],
      [
        'another name',
        url('hisab', 'hisab', secure(ca)).replace('127.0.0.1', 'localhost'),
        2,
        /certificate/,
        /host/,
      ],
      ['no such database', url('hisab', 'nothing'), 2, /no such database/, /database name/],
      ['no journal', url('hisab', 'empty'), 2, /no journal of this version/, /hisab journal migrate/],
      ['an older schema', url('hisab', 'older'), 2, /schema 0; this hisab knows \d/, /hisab journal migrate/],
      [
        'a newer schema',
        url('hisab', 'newer'),
        2,
        /schema 99; this hisab knows \d/,
        /Install the newer hisab/,
      ],
      ['no privileges', url('bare'), 2, /does not let this user/, /migrate --grant/],
      [
        'an unknown host',
        url('hisab', 'hisab', '?sslmode=verify-full').replace('127.0.0.1', 'nowhere.invalid'),
        8,
        /host name that is not known/,
        /Correct the host/,
      ],
    ]
    // The same with nothing wrong.
    const right = {HISAB_JOURNAL: url('hisab', 'hisab', secure(ca))}
    expect((await desk.home.runHere(['journal', 'status'], right)).stdout).toContain('in doubt  0')
    for (const [name, given, status, what, next] of cases) {
      const said = await pay(desk, given)
      expect([name, said]).toEqual([
        name,
        {status, what: expect.stringMatching(what), next: expect.stringMatching(next)},
      ])
      const place = new URL(given)
      expect([name, said.what]).toEqual([
        name,
        expect.stringContaining(`${place.hostname}:${place.port || 5432}`),
      ])
    }
  })

  it('a replica, and a server that offers no TLS', async ({desk}) => {
    const standby = await server.standby()
    try {
      const replica = url('hisab').replace(`:${server.port}/`, `:${standby.port}/`)
      expect(await pay(desk, replica)).toEqual({
        status: 8,
        what: expect.stringMatching(/is a replica, which takes no writes\. Nothing was sent/),
        next: 'Give the address of the primary.',
      })
    } finally {
      standby.stop()
    }
    server.sql('ALTER SYSTEM SET ssl = off')
    server.sql('SELECT pg_reload_conf()')
    const said = await pay(desk, url('hisab', 'hisab', `?sslmode=verify-full&sslrootcert=${ca}`))
    expect(said).toEqual({
      status: 2,
      what: expect.stringMatching(/offers no TLS\. Nothing was sent/),
      next: expect.stringContaining('ssl = on'),
    })
  })
})
