import {execFileSync, spawn, spawnSync} from 'node:child_process'
import {chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {createServer} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import {migrateJournal} from '../../../src/journal/postgres/schema.ts'
import {readAddress} from '../../../src/journal/postgres/settings.ts'

const root = '/usr/lib/postgresql'
const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
const bin = versions[0] === undefined ? null : join(root, versions[0], 'bin')

/** Why no server can be started here, or null. In CI that is a failure (`.ci/run`). */
export const whyNoPostgres: string | null =
  bin === null ? 'PostgreSQL is not installed: apt-get install -y postgresql' : null
if (whyNoPostgres !== null) {
  if (process.env.POSTGRES_TESTS === 'required') throw new Error(whyNoPostgres)
  process.stderr.write(`skipped, the tests of the shared journal: ${whyNoPostgres}\n`)
}

export const whereIsPooler = '/usr/sbin/pgbouncer'

/** PostgreSQL refuses to run as root. */
const isRoot = process.getuid?.() === 0
const postgresId = isRoot ? Number(execFileSync('id', ['-u', 'postgres'], {encoding: 'utf8'}).trim() || 0) : 0

/** A PostgreSQL on loopback, in a folder of its own, with an owner, an application role and a database. */
export class PostgresServer {
  readonly port: number
  readonly dir: string

  private readonly settings: readonly string[]

  private constructor(port: number, dir: string, settings: readonly string[] = []) {
    this.port = port
    this.dir = dir
    this.settings = settings
  }

  /** `settings`: as `name=value`. */
  static async start(under = tmpdir(), settings: readonly string[] = []): Promise<PostgresServer> {
    const dir = mkdtempSync(join(under, 'pg-'))
    if (isRoot) chownSync(dir, postgresId, -1)
    const server = new PostgresServer(await freePort(), dir, settings)
    server.run('initdb', '-D', join(dir, 'data'), '-U', 'owner', '-A', 'trust', '--no-sync', '-E', 'UTF8')
    server.up()
    server.sql(`CREATE ROLE hisab LOGIN PASSWORD 'secret'`)
    server.sql('CREATE DATABASE hisab')
    // What a database administrator may set, and no claim may rest on.
    server.sql(`ALTER ROLE hisab SET default_transaction_isolation TO 'repeatable read'`)
    server.sql('ALTER ROLE hisab SET synchronous_commit TO off')
    return server
  }

  /** As its owner where no other is named. */
  url(user = 'owner', port = this.port, database = 'hisab'): string {
    return `postgres://${user}@127.0.0.1:${port}/${database}`
  }

  /** Another database with the tables of a journal. */
  async database(name: string): Promise<void> {
    this.sql(`CREATE DATABASE ${name}`)
    await migrateJournal(readAddress(this.url('owner', this.port, name), 'the URL'), 'hisab')
  }

  /** Returns what puts the database back as it was: another one of its name, or the same with tables made again. */
  dump(name: string, isInPlace = false): () => void {
    const file = join(this.dir, `${name}.dump`)
    const at = ['-h', '127.0.0.1', '-p', `${this.port}`, '-U', 'owner']
    this.run('pg_dump', ...at, '-Fc', '-f', file, name)
    return () => {
      if (!isInPlace) {
        this.sql(`DROP DATABASE ${name} WITH (FORCE)`)
        this.sql(`CREATE DATABASE ${name}`)
      }
      this.run('pg_restore', ...at, ...(isInPlace ? ['--clean'] : []), '-d', name, file)
    }
  }

  /** The files of a server that stands still. Returns what puts them back. */
  snapshot(): () => void {
    const [data, copy] = [join(this.dir, 'data'), join(this.dir, `copy-${Date.now()}`)]
    const copyTo = (from: string, to: string) => this.run('cp', '-a', from, to)
    this.down('fast')
    copyTo(data, copy)
    this.up()
    return () => {
      this.down('fast')
      rmSync(data, {recursive: true})
      copyTo(copy, data)
      this.up()
    }
  }

  /** A copy that follows this one, and does not take part in its COMMITs. */
  async standby(): Promise<PostgresServer> {
    const copy = new PostgresServer(await freePort(), mkdtempSync(join(tmpdir(), 'pg-')))
    if (isRoot) chownSync(copy.dir, postgresId, -1)
    copy.run(
      ...['pg_basebackup', '-h', '127.0.0.1', '-p', `${this.port}`, '-U', 'owner'],
      ...['-D', join(copy.dir, 'data'), '-R', '-c', 'fast', '--no-sync'],
    )
    copy.up()
    return copy
  }

  /** A pooler that gives each transaction any of two connections. Returns its port. */
  async pooler(): Promise<{port: number; stop(): void}> {
    const port = await freePort()
    const [config, users] = [join(this.dir, 'pooler.ini'), join(this.dir, 'users.txt')]
    writeFileSync(users, '"hisab" ""\n')
    writeFileSync(
      config,
      `[databases]\nhisab = host=127.0.0.1 port=${this.port} dbname=hisab\n[pgbouncer]\nlisten_addr = 127.0.0.1
listen_port = ${port}\nauth_type = trust\nauth_file = ${users}\npool_mode = transaction\ndefault_pool_size = 2
unix_socket_dir =\n`,
    )
    const [program, args] = this.command('pgbouncer', config)
    const pooler = spawn(program, [...args], {stdio: 'ignore'})
    return {port, stop: () => void pooler.kill()}
  }

  /** Offers TLS with this certificate, and asks these roles for their passwords. */
  secure({key, cert}: {readonly key: string; readonly cert: string}, roles: readonly string[]): void {
    const data = join(this.dir, 'data')
    for (const [name, text] of Object.entries({'server.key': key, 'server.crt': cert})) {
      writeFileSync(join(data, name), text, {mode: 0o600})
      if (isRoot) chownSync(join(data, name), postgresId, -1)
    }
    const hba = join(data, 'pg_hba.conf')
    const asked = roles.map((role) => `host all ${role} 127.0.0.1/32 scram-sha-256\n`).join('')
    writeFileSync(hba, asked + readFileSync(hba, 'utf8'))
    this.sql('ALTER SYSTEM SET ssl = on')
    this.sql('SELECT pg_reload_conf()')
  }

  promote(): void {
    this.run('pg_ctl', '-D', join(this.dir, 'data'), '-w', 'promote')
  }

  up(): void {
    const options = `-p ${this.port} -k ${this.dir} ${['listen_addresses=127.0.0.1', 'max_connections=200', ...this.settings].map((one) => `-c ${one}`).join(' ')}`
    this.run(
      'pg_ctl',
      '-D',
      join(this.dir, 'data'),
      '-w',
      '-l',
      join(this.dir, 'log'),
      '-o',
      options,
      'start',
    )
  }

  /** `immediate` is what SIGKILL of all its processes leaves. */
  down(how: 'fast' | 'immediate'): void {
    this.run('pg_ctl', '-D', join(this.dir, 'data'), '-w', '-m', how, 'stop')
  }

  /** SIGKILL of the server itself: its other processes end as they notice. */
  async kill(): Promise<void> {
    const all = this.processes()
    for (const each of all) process.kill(each, 'SIGKILL')
    const isGone = (each: number) => !existsSync(`/proc/${each}/exe`)
    while (!all.every(isGone)) await new Promise((resolve) => setTimeout(resolve, 10))
  }

  /** Of the processor, since it is up: its own, its processes', and those that ended. */
  cpuSeconds(): number {
    const ticksOf = (pid: number, until: number) => {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return fields.slice(11, until).reduce((sum, ticks) => sum + Number(ticks), 0)
    }
    const [pid = 0, ...children] = this.processes()
    return (ticksOf(pid, 15) + children.reduce((sum, child) => sum + ticksOf(child, 13), 0)) / 100
  }

  private processes(): number[] {
    const pid = Number(readFileSync(join(this.dir, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
    return [pid, ...children]
  }

  /** After a SIGKILL: what the server shared between its processes goes a little later. */
  async upAgain(): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        return this.up()
      } catch (error) {
        if (tries === 20) throw error
        await new Promise((resolve) => setTimeout(resolve, 250))
      }
    }
  }

  sql(text: string, database = 'postgres'): string {
    return this.run(
      'psql',
      '-h',
      '127.0.0.1',
      '-p',
      `${this.port}`,
      '-U',
      'owner',
      '-d',
      database,
      '-Atc',
      text,
    )
  }

  async migrate(): Promise<void> {
    await migrateJournal(readAddress(this.url(), 'the URL'), 'hisab')
  }

  stop(): void {
    spawnSync(...this.command('pg_ctl', '-D', join(this.dir, 'data'), '-m', 'immediate', 'stop'))
    rmSync(this.dir, {recursive: true, force: true})
  }

  private run(program: string, ...args: readonly string[]): string {
    const {status, stdout, stderr} = spawnSync(...this.command(program, ...args))
    if (status !== 0) throw new Error(`${program}: ${stdout}${stderr}`)
    return stdout?.trim() ?? ''
  }

  private command(program: string, ...args: readonly string[]) {
    const others: Readonly<Record<string, string>> = {pgbouncer: whereIsPooler, cp: '/bin/cp'}
    const path = others[program] ?? join(bin ?? '', program)
    const as = ['--reuid', `${postgresId}`, '--clear-groups', path, ...args]
    // What the server inherits of pipes would keep the call open.
    const options = {encoding: 'utf8', cwd: '/', stdio: program === 'pg_ctl' ? 'ignore' : 'pipe'} as const
    return isRoot ? (['setpriv', as, options] as const) : ([path, [...args], options] as const)
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
