import { X509Certificate } from 'node:crypto'
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { openCertificate } from '../../../src/http/server/certificate.ts'
import { leftOf, rightOf } from '../../users/builders.ts'
import { temporaryData } from '../harness.ts'
import { until } from '../until.ts'

const HERE = fileURLToPath(new URL('certificates/', import.meta.url))
const NOW = Date.parse('2030-05-02T05:58:11.400Z')

/** Copies of the first pair, and recorders of log lines and alarms. */
const given = async (t: ExecutionContext) => {
  const home = await temporaryData(t)
  const files = { certificate: join(home, 'cert.pem'), key: join(home, 'key.pem') }
  await copyFile(join(HERE, 'first.cert.pem'), files.certificate)
  await copyFile(join(HERE, 'first.key.pem'), files.key)
  const clock = { now: NOW }
  const lines: string[] = []
  const note =
    (what: string) =>
    (_: unknown, sentence: string): void => {
      lines.push(`${what}: ${sentence}`)
    }
  const open = (interval = 10) =>
    openCertificate(files, {
      clock: () => clock.now,
      log: { info: note('info') },
      alarms: { raise: note('alarm'), clear: note('cleared') },
      interval,
    })
  /** Replaces a file atomically by renaming another. */
  const put = async (file: string, text: string | Uint8Array): Promise<void> => {
    await writeFile(`${file}.new`, text)
    await rename(`${file}.new`, file)
  }
  return { files, clock, lines, open, put, fixture: (name: string) => readFile(join(HERE, name)) }
}

type Given = Awaited<ReturnType<typeof given>>

type Damage = (given: Given) => Promise<void> | void

const remove =
  (file: 'certificate' | 'key'): Damage =>
  ({ files }) =>
    rm(files[file])
/** Puts the text of a fixture, if need be changed, in place of a file. */
const replace =
  (file: 'certificate' | 'key', name: string, change = (text: string): string => text): Damage =>
  async ({ files, put, fixture }) =>
    put(files[file], change(String(await fixture(name))))
const at =
  (now: string): Damage =>
  ({ clock }) => {
    clock.now = Date.parse(now)
  }

const CERTIFICATE = 'first.cert.pem'
const GARBAGE = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const NO_CERTIFICATE = /^BERTH_TLS_CERT: .* contains no PEM certificate/
const NO_KEY = /^BERTH_TLS_KEY: .* contains no PEM private key/
const NOT_ITS_KEY = /^BERTH_TLS_KEY: the key in .*key\.pem does not belong to the certificate in .*cert\.pem$/
const EXPIRED = /^BERTH_TLS_CERT: the certificate in .* expired at 9999-12-31T23:59:59\.000Z$/
const NOT_YET = /^BERTH_TLS_CERT: the certificate in .* is not valid before 2000-01-01T00:00:00\.000Z$/

const broken: readonly (readonly [what: string, damage: Damage, problem: RegExp])[] = [
  ['no certificate file', remove('certificate'), /^BERTH_TLS_CERT: .*cert\.pem cannot be read: ENOENT: no/],
  ['no key file', remove('key'), /^BERTH_TLS_KEY: .*key\.pem cannot be read: ENOENT: no/],
  ['an empty certificate', replace('certificate', CERTIFICATE, () => ''), NO_CERTIFICATE],
  ['an empty key', replace('key', CERTIFICATE, () => ''), NO_KEY],
  ['half a certificate', replace('certificate', CERTIFICATE, (text) => text.slice(0, 300)), NO_CERTIFICATE],
  ['the key in place of the certificate', replace('certificate', 'first.key.pem'), NO_CERTIFICATE],
  ['the certificate in place of the key', replace('key', CERTIFICATE), NO_KEY],
  ['an encrypted key', replace('key', 'locked.key.pem'), /^BERTH_TLS_KEY: .* contains an encrypted key/],
  ['the key of another certificate', replace('key', 'second.key.pem'), NOT_ITS_KEY],
  [
    'garbage after the certificate',
    replace('certificate', CERTIFICATE, (text) => `${text}${GARBAGE}`),
    /^BERTH_TLS_CERT: .* cannot be used: /,
  ],
  ['an expired certificate', at('+010000-01-01T00:00:00Z'), EXPIRED],
  ['a certificate not valid yet', at('1999-12-31T23:59:59.999Z'), NOT_YET],
]

/** Lines of the key. */
const linesOf = (key: Buffer): readonly string[] =>
  String(key)
    .split('\n')
    .filter((text) => text !== '' && !text.startsWith('-----'))

test('what cannot be used is reported at start without showing the key', async (t) => {
  for (const [what, damage, problem] of broken) {
    const world = await given(t)
    await damage(world)
    const problems = leftOf(await world.open())
    t.is(problems.length, 1, what)
    t.regex(problems[0] as string, problem, what)
    t.false(linesOf(await world.fixture('first.key.pem')).some((line) => problems.join().includes(line)))
  }
})

const ALARM = 'alarm: the new certificate cannot be used; keeping the current one: '

test('what cannot be used on reload keeps the current pair and raises one alarm', async (t) => {
  for (const [what, damage, problem] of broken) {
    const world = await given(t)
    const certificate = rightOf(await world.open())
    const before = certificate.current()
    let changes = 0
    certificate.onChange(() => changes++)
    await damage(world)
    const alarms = () => world.lines.filter((line) => line.startsWith(ALARM))
    await until('the alarm', async () => alarms().length > 0, 5000)
    t.regex(String(alarms()[0]?.slice(ALARM.length)), problem, what)
    t.is(certificate.current(), before)
    world.clock.now = NOW
    await world.put(world.files.certificate, await world.fixture('second.cert.pem'))
    await world.put(world.files.key, await world.fixture('second.key.pem'))
    await until('the change', async () => changes > 0, 5000)
    certificate.close()
    t.is(alarms().length, 1, what)
    t.deepEqual(world.lines.slice(1), ['cleared: the certificate can be used again', 'info: new certificate in use'])
    t.is(changes, 1)
    t.not(certificate.current().certificate, before.certificate)
  }
})

test('problems of both files are reported at once', async (t) => {
  const { files, open } = await given(t)
  await rm(files.certificate)
  await rm(files.key)
  t.deepEqual(
    leftOf(await open()).map((problem) => problem.split(':')[0]),
    ['BERTH_TLS_CERT', 'BERTH_TLS_KEY'],
  )
})

test('a valid pair is read without a log line', async (t) => {
  const { open, lines, fixture } = await given(t)
  const read = await open()
  t.true(E.isRight(read))
  const certificate = rightOf(read)
  certificate.close()
  t.is(certificate.current().certificate, String(await fixture('first.cert.pem')))
  t.is(certificate.current().key, String(await fixture('first.key.pem')))
  const { validTo } = new X509Certificate(certificate.current().certificate)
  t.is(certificate.expiry(), Date.parse(validTo))
  t.deepEqual(lines, [])
})
