import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { areInstalled } from '../gateway/rfb/xvnc.ts'
import { temporaryData } from '../http/harness.ts'
import { historyOf, reserving, runFile, startLab } from './lab.ts'
import { startSecureProxy } from './proxy.ts'

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

/** An authority of a lab's own, and a certificate of it for the address 127.0.0.1. */
const makeCertificate = async (folder: string) => {
  const at = (name: string): string => join(folder, name)
  const openssl = (...args: readonly string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' })
  await writeFile(at('leaf.ext'), 'subjectAltName=IP:127.0.0.1\n')
  openssl('req', '-x509', ...KEY, '-subj', '/CN=lab', '-days', '2', '-keyout', at('ca.key'), '-out', at('ca.pem'))
  openssl('req', ...KEY, '-subj', '/CN=berth', '-keyout', at('leaf.key'), '-out', at('leaf.csr'))
  const signer = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', at('leaf.ext')]
  openssl('x509', '-req', '-in', at('leaf.csr'), ...signer, '-days', '2', '-out', at('leaf.pem'))
  return {
    authority: at('ca.pem'),
    pair: { cert: await readFile(at('leaf.pem')), key: await readFile(at('leaf.key')) },
  }
}

test('over https the client trusts the authority of NODE_EXTRA_CA_CERTS, for the names that it has signed', async (t) => {
  if (!areInstalled(t, 'openssl')) return
  const lab = await startLab(t)
  const { authority, pair } = await makeCertificate(await temporaryData(t))
  const { port } = await startSecureProxy(t, lab.service.port, pair)
  const run = (host: string, NODE_EXTRA_CA_CERTS?: string) => {
    const env = { ...lab.env, BERTH_URL: `https://${host}:${port}`, NODE_EXTRA_CA_CERTS }
    return runFile(t, { file: lab.file, env }, reserving(1, '--wait', '1h', '--', 'true')).ended
  }
  const trusted = await run('127.0.0.1', authority)
  t.is(trusted.code, 0, trusted.errors)
  const unknown = await run('127.0.0.1')
  t.is(unknown.code, 69)
  t.regex(
    unknown.errors,
    /^berth: the service at https:\/\/127\.0\.0\.1:\d+ cannot be reached: .*; set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority\n$/,
  )
  const other = await run('localhost', authority)
  t.is(other.code, 69)
  t.regex(other.errors, /^berth: [^\n]*does not match certificate's altnames[^\n]*\n$/)
  t.deepEqual(await historyOf(lab, 1), ['ReservationCreated', 'ReservationReleased'])
})
