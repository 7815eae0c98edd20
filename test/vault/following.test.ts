import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import type { KeyRing } from '../../src/vault/keys.ts'
import { rotateKeyFile } from '../../src/vault/keys.ts'
import { openStore } from '../event-store/sqlite/subject.ts'
import { type Running, start } from '../http/harness.ts'
import { aSut, createSut } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { rightOf } from '../users/builders.ts'
import { passwordOf, ringIn } from './setting.ts'

/** Milliseconds within which a running service takes up another key. */
const TAKEN_WITHIN = 2_000

const keyFileOf = ({ data }: Running): string => join(data, 'vault.key')

const hasLogged = (service: Running, sentence: RegExp): boolean =>
  service.log.some((line) => sentence.test(line.sentence))

const untilLogged = (service: Running, sentence: RegExp, within = 10_000): Promise<void> =>
  until(String(sentence), async () => hasLogged(service, sentence), within)

const readOnly = { readOnly: true }

test('a running service uses a rotated key within 2 s, re-encrypts all secrets and matches retries', async (t) => {
  const service = await start(t)
  const admin = service.as('admin')
  const key = { 'Idempotency-Key': 'before' }
  const first = await admin.post('/api/sut/create', aSut({ password: 'the first' }), key)
  const sut = String(first.json._id)
  const id = rightOf(await rotateKeyFile(keyFileOf(service), { now: Date.now(), randomBytes }))
  await untilLogged(service, /^sealing with a new vault key/, TAKEN_WITHIN)
  const after = await createSut(admin, { password: 'the second' })
  const store = openStore(t, join(service.data, 'events.db'), readOnly)
  t.deepEqual(new Set((await store.readSecrets(after)).map(({ key_id }) => key_id)), new Set([id]))
  await untilLogged(service, /^secrets re-encrypted with the current vault key/)
  const ring = await ringIn(keyFileOf(service))
  const alone: KeyRing = { current: ring.current, keys: [ring.current] }
  t.is(await passwordOf(store, alone, sut), 'the first')
  t.is(await passwordOf(store, alone, after), 'the second')
  const again = await admin.post('/api/sut/create', aSut({ password: 'the first' }), key)
  t.is(again.text, first.text)
  const reused = await admin.post('/api/sut/create', aSut({ password: 'another' }), key)
  t.is(reused.json.code, 'idempotency_key_reused')
})

for (const [what, damage] of [
  ['that is broken', (text: string) => `${text}CaNaRy\n`],
  ['that lacks a needed key', () => `other:${randomBytes(32).toString('base64')}\n`],
  [
    'that has another key under a known id',
    (text: string) => text.replace(/^([^#\n]+):.*$/m, `$1:${Buffer.alloc(32, 1).toString('base64')}`),
  ],
] as const) {
  test(`a key file ${what} raises an alarm, and the last known good keys stay in use`, async (t) => {
    const service = await start(t)
    const admin = service.as('admin')
    const path = keyFileOf(service)
    const [good, ring] = [await readFile(path, 'utf8'), await ringIn(path)]
    await writeFile(path, damage(good))
    await untilLogged(service, /vault\.key: .*the previous keys stay in use/)
    t.true((await admin.get('/metrics')).text.includes('berth_alarm{part="vault"} 1'))
    const sut = await createSut(admin, { password: 'all the same' })
    t.is(await passwordOf(openStore(t, join(service.data, 'events.db'), readOnly), ring, sut), 'all the same')
    await writeFile(path, good)
    await untilLogged(service, /^the vault keys can be read again/)
    t.true((await admin.get('/metrics')).text.includes('berth_alarm{part="vault"} 0'))
    t.false(JSON.stringify(service.log).includes('CaNaRy'))
  })
}
