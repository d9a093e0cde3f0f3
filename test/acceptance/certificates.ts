import {execFileSync, spawnSync} from 'node:child_process'
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'

const program = 'openssl'

/** Node cannot make a certificate; where there is no openssl the tests that need one are left out. */
export const hasOpenssl = spawnSync(program, ['version']).status === 0

export interface Certificate {
  readonly key: string
  readonly cert: string
  /** Path of the certificate, for NODE_EXTRA_CA_CERTS. */
  readonly certPath: string
}

export interface CertificateWish {
  /** `IP:127.0.0.1` or `DNS:pay.example`. */
  readonly host: string
  /** Days from now; a day that is past makes an expired one. */
  readonly days: number
}

/** Makes a certificate that is signed by itself, in a folder of the caller's. */
export function makeCertificate(dir: string, {host, days}: CertificateWish): Certificate {
  mkdirSync(join(dir, 'ca'), {recursive: true})
  const at = (name: string) => join(dir, 'ca', name)
  const run = (...args: string[]) => execFileSync(program, args, {stdio: 'ignore'})
  const day = (offset: number) =>
    `${new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`
  writeFileSync(
    at('openssl.cnf'),
    `[ca]\ndefault_ca = own\n[own]\ndatabase = ${at('index')}\nserial = ${at('serial')}\nnew_certs_dir = ${at('')}
default_md = sha256\npolicy = any\nx509_extensions = ext\n[any]\norganizationName = optional\ncommonName = optional
[ext]\nsubjectAltName = ${host}\nbasicConstraints = CA:true\n`,
  )
  writeFileSync(at('index'), '')
  writeFileSync(at('serial'), '01')
  const subject = ['-subj', '/O=Example Pay/CN=example']
  run(
    'req',
    '-new',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    at('key.pem'),
    '-out',
    at('csr.pem'),
    ...subject,
  )
  const span = ['-startdate', day(Math.min(-1, days - 30)), '-enddate', day(days)]
  const files = ['-keyfile', at('key.pem'), '-in', at('csr.pem'), '-out', at('cert.pem')]
  run('ca', '-batch', '-selfsign', '-notext', '-config', at('openssl.cnf'), ...span, ...files)
  return {
    key: readFileSync(at('key.pem'), 'utf8'),
    cert: readFileSync(at('cert.pem'), 'utf8'),
    certPath: at('cert.pem'),
  }
}
