import {execFileSync, spawnSync} from 'node:child_process'
import {readFileSync} from 'node:fs'
import {join} from 'node:path'

/** A key and a certificate for a TLS listener on loopback. */
export interface Identity {
  readonly key: string
  readonly cert: string
}

export const identityNames = ['good', 'wrong name', 'expired', 'self-signed'] as const
export type IdentityName = (typeof identityNames)[number]

export interface Certificates {
  /** The authority that signed all but the self-signed one: what a client must trust. */
  readonly authorityPath: string
  readonly identities: Readonly<Record<IdentityName, Identity>>
}

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-sha256']
/** A host that only a proxy can reach, and `localhost`. */
export const proxiedHost = 'pay.hisab-test.invalid'
const goodNames = `subjectAltName=DNS:localhost,IP:127.0.0.1,DNS:${proxiedHost}`

/** Makes them afresh in `dir`: a certificate in the repository would expire there. */
export function makeCertificates(dir: string): Certificates {
  const path = (name: string) => join(dir, name)
  const run = (...args: string[]) =>
    execFileSync('openssl', args, {cwd: dir, stdio: ['ignore', 'ignore', 'pipe']})
  const selfSign = (name: string, subject: string, names: string) =>
    run(
      ...['req', '-x509', ...newKey, '-days', '2', '-subj', subject, '-addext', names],
      ...['-keyout', `${name}.key`, '-out', `${name}.pem`],
    )
  const issue = (name: string, names: string, days: string) => {
    run(
      'req',
      ...newKey,
      '-subj',
      '/CN=hisab test',
      '-addext',
      names,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
    )
    run(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-copy_extensions', 'copy', '-days', days, '-out', `${name}.pem`],
    )
  }
  selfSign('ca', '/CN=hisab test authority', 'keyUsage=keyCertSign')
  selfSign('self', '/CN=localhost', goodNames)
  issue('good', goodNames, '2')
  issue('other', 'subjectAltName=DNS:other.example', '2')
  issue('old', goodNames, '-1')
  const read = (name: string): Identity => ({
    key: readFileSync(path(`${name}.key`), 'utf8'),
    cert: readFileSync(path(`${name}.pem`), 'utf8'),
  })
  return {
    authorityPath: path('ca.pem'),
    identities: {
      good: read('good'),
      'wrong name': read('other'),
      expired: read('old'),
      'self-signed': read('self'),
    },
  }
}
