import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { openStore } from '../event-store/sqlite/subject.ts'
import { type Running, SECRETS_OF_PEOPLE, start } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { run } from '../process/harness.ts'
import { passwordOf, ringIn } from '../vault/setting.ts'
import { type } from './terminal.ts'

const keyFile = (data: string): string => join(data, 'vault.key')

/** The data of a stopped service with a SUT with secrets. */
const stopped = async (t: ExecutionContext, now = '2030-05-02T06:00:00Z'): Promise<{ data: string; sut: string }> => {
  const service = await start(t, { now })
  const sut = await createSut(service.as('admin'), { password: 'kept', user_name: 'root' })
  await service.stop()
  return { data: service.data, sut }
}

const status = async (data: string, now: string) => {
  const { code, out } = await type(['vault', 'status', '--json'], { BERTH_DATA: data }, { now: () => Date.parse(now) })
  return { code, keys: JSON.parse(out).keys as Readonly<Record<string, unknown>>[] }
}

test('what "vault rotate" did without a service, the next start re-encrypts, and "vault status" shows what each key is for', async (t) => {
  const { data, sut } = await stopped(t)
  const before = await status(data, '2030-05-02T06:00:01Z')
  const old = String(before.keys[0]?.id)
  t.like(before.keys, [{ place: 'current', is_needed: true, secrets: 2 + SECRETS_OF_PEOPLE }])
  const now = () => Date.parse('2030-05-02T07:00:00Z')
  const rotated = await type(['vault', 'rotate', '--json'], { BERTH_DATA: data }, { now })
  const { key, ...others } = JSON.parse(rotated.out)
  t.deepEqual(others, { file: keyFile(data), service: 'none' })
  const ring = await ringIn(keyFile(data))
  t.deepEqual(
    ring.keys.map(({ id }) => id),
    [key, old],
  )
  const store = openStore(t, join(data, 'events.db'), { readOnly: true })
  const service = await start(t, { data, now: '2030-05-02T07:00:00Z' })
  const current = async () => (await status(data, '2030-05-02T07:00:00Z')).keys[0]
  await until('it is re-encrypted', async () => (await current())?.secrets === 2 + SECRETS_OF_PEOPLE, 60_000)
  await service.stop()
  t.is(await passwordOf(store, { current: ring.current, keys: [ring.current] }, sut), 'kept')
  const needed = '2030-05-03T07:01:00.000Z'
  const why = 'encrypts new secrets; 14 secrets are encrypted with it'
  t.deepEqual((await status(data, '2030-05-03T07:00:00Z')).keys, [
    { id: key, place: 'current', is_needed: true, secrets: 2 + SECRETS_OF_PEOPLE, retries_until: null, why },
    { id: old, place: 'old', is_needed: true, secrets: 0, retries_until: needed, why: `retries until ${needed}` },
  ])
  const later = await status(data, '2030-05-03T07:02:00Z')
  t.is(later.code, 0)
  t.like(later.keys[1], { is_needed: false, why: 'no longer needed' })
  const text = await readFile(keyFile(data), 'utf8')
  await writeFile(keyFile(data), text.split('\n').slice(0, -2).join('\n'))
  const deleted = await status(data, '2030-05-03T07:00:00Z')
  t.deepEqual([deleted.code, deleted.keys[1]?.place], [1, 'missing'], 'deleted too early')
  t.is((await status(data, '2030-05-03T07:02:00Z')).code, 0)
})

test('"vault status" without readable keys names the missing ones', async (t) => {
  const { data } = await stopped(t)
  const [key] = (await ringIn(keyFile(data))).keys
  await writeFile(keyFile(data), 'CaNaRy')
  const { code, out, error } = await type(['vault', 'status'], { BERTH_DATA: data })
  t.is(code, 1)
  t.regex(error, /vault\.key: key 1 must be/)
  t.true(out.startsWith(`${key?.id}\tmissing\tneeded\t14 secrets are encrypted with it`))
  t.false(`${out}${error}`.includes('CaNaRy'))
})

test('"vault rotate" ends once the running service uses the new key', async (t) => {
  const service: Running = await start(t)
  const admin = service.as('admin')
  const sut = await createSut(admin, { password: 'kept' })
  const { code, output, errors } = await run({ data: service.data, args: ['vault', 'rotate'] })
  t.deepEqual([code, errors], [0, ''])
  t.regex(output, /^new key \S+ in \S+vault\.key; the running service uses it now/)
  const ring = await ringIn(keyFile(service.data))
  const store = openStore(t, join(service.data, 'events.db'), { readOnly: true })
  const next = await createSut(admin, { password: 'new' })
  t.is((await store.readSecrets(next))[0]?.key_id, ring.current.id)
  const isReencrypted = async () => (await store.readSecrets(sut))[0]?.key_id === ring.current.id
  await until('the old secret is re-encrypted', isReencrypted, 60_000)
  t.is(await passwordOf(store, { current: ring.current, keys: [ring.current] }, sut), 'kept')
})

test('a rotation of keys in the variable, or without a key that the log needs, is refused and changes nothing', async (t) => {
  const { data } = await stopped(t)
  const other = `other:${randomBytes(32).toString('base64')}`
  const refused = async (variables: object, why: RegExp) => {
    const file = await readFile(keyFile(data), 'utf8')
    const { code, out, error } = await type(['vault', 'rotate'], { BERTH_DATA: data, ...variables })
    t.deepEqual([code, out], [1, ''])
    t.regex(error, why)
    t.false(error.includes(other))
    t.is(await readFile(keyFile(data), 'utf8'), file)
  }
  await refused({ BERTH_VAULT_KEY: other }, /the keys are in BERTH_VAULT_KEY: put a new one before them/)
  await writeFile(keyFile(data), `${other}\n`)
  await refused({}, /the key "[^"]+" is missing/)
})

test('a new key before the old one in the variable re-encrypts everything at startup', async (t) => {
  const [old, next] = ['old', 'new'].map((id) => `${id}:${randomBytes(32).toString('base64')}`) as [string, string]
  const first = await start(t, { environment: { BERTH_VAULT_KEY: old } })
  const sut = await createSut(first.as('admin'), { password: 'kept' })
  await first.stop()
  const again = await start(t, { data: first.data, environment: { BERTH_VAULT_KEY: `${next},${old}` } })
  const store = openStore(t, join(first.data, 'events.db'), { readOnly: true })
  const keyOf = async () => (await store.readSecrets(sut))[0]?.key_id
  await until('it is re-encrypted', async () => (await keyOf()) === 'new', 60_000)
  await again.stop()
  t.is(await keyOf(), 'new')
})
