import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { startProtocolServer } from '../event-store/eventstoredb/protocol/protocol-server.ts'
import { openAt } from '../event-store/eventstoredb/subject.ts'
import { addressFor } from '../event-store/shared-store.ts'
import { dataWithPeople, type Running, start } from '../http/harness.ts'
import { aReservation, createSut, NOW, reserved } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { run } from '../process/harness.ts'
import { passwordOf, ringIn } from '../vault/setting.ts'
import { type } from './terminal.ts'

/** What the commands do where the log is in an EventStoreDB. */

const server = await startProtocolServer()
test.after.always(server.close)

const keyFile = (data: string): string => join(data, 'vault.key')

/** A service over the store with a SUT that has a secret, and a reservation; what its commands are given. */
const served = async (t: ExecutionContext) => {
  const data = await dataWithPeople(t)
  await writeFile(keyFile(data), `k1:${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 })
  await writeFile(join(data, 'audit.key'), `${Buffer.alloc(32, 2).toString('base64')}\n`, { mode: 0o600 })
  const address = addressFor(server.address, data)
  const service: Running = await start(t, { now: NOW, data, environment: { BERTH_EVENT_STORE: address } })
  await until('ready', async () => (await service.anyone.get('/health/ready')).status === 200, 20_000)
  const sut = await createSut(service.as('admin'), { password: 'kept', user_name: 'root' })
  await reserved(service.as('alice'), aReservation(sut))
  return { service, sut, data, address, env: { BERTH_DATA: data, BERTH_EVENT_STORE: address } }
}

test('replay compares the documents with the log, beside the service and without it', async (t) => {
  const { service, data, env } = await served(t)
  await until('the documents are written', async () => (await type(['replay'], env)).out.includes('4 events'), 10_000)
  await service.stop()
  const same = await type(['replay', '--json'], env)
  const { differences, documents, ...others } = JSON.parse(same.out)
  t.deepEqual([same.code, same.error, differences], [0, '', []])
  t.deepEqual(others, { same: true, position: 3, events: 4, behind: 0 })
  t.true(documents > 0)
  const views = new DatabaseSync(join(data, 'views.db'))
  views.exec(`UPDATE sut SET document = '{"altered":true}' WHERE position = 2`)
  views.close()
  const different = await type(['replay'], env)
  t.is(different.code, 1)
  t.regex(different.out, /"altered":true/)
})

test('vault status names the keys that the secrets in the store need', async (t) => {
  const { env } = await served(t)
  const { code, out, error } = await type(['vault', 'status'], env, { now: () => Date.parse(NOW) })
  t.deepEqual([code, error], [0, ''])
  t.is(out, 'k1\tcurrent\tneeded\tseals what comes; 2 secrets are sealed with it\n')
})

test('vault rotate seals the secrets in the store anew, without a service and beside one', async (t) => {
  const { service, data, env, sut, address } = await served(t)
  const beside = await run(t, { data, args: ['vault', 'rotate'], env })
  t.deepEqual([beside.code, beside.errors], [0, ''])
  t.regex(beside.output, /^new key \S+ in \S+vault\.key; the running service seals with it now/)
  const next = await createSut(service.as('admin'), { password: 'new' })
  const store = await openAt(t, address, { isReadOnly: true })
  const ring = await ringIn(keyFile(data))
  t.is((await store.readSecrets(next))[0]?.key_id, ring.current.id)
  const isSealedAnew = async () => (await store.readSecrets(sut))[0]?.key_id === ring.current.id
  await until('the old secret is sealed anew', isSealedAnew, 10_000)
  await service.stop()
  const later = () => Date.parse(NOW) + 3_600_000
  const alone = await type(['vault', 'rotate', '--json'], env, { now: later })
  const { key, service: running, resealed } = JSON.parse(alone.out)
  t.deepEqual([alone.code, running, resealed], [0, 'none', 3])
  const { current } = await ringIn(keyFile(data))
  t.is(current.id, key)
  t.is(await passwordOf(store, { current, keys: [current] }, sut), 'kept')
})

test('backup is refused, and says what backs up such a log', async (t) => {
  const { data, env } = await served(t)
  const { code, out, error } = await type(['backup', join(data, 'copy')], env)
  t.deepEqual([code, out], [1, ''])
  t.is(
    error,
    'berth: the log and the secrets are in an EventStoreDB: back them up with its tools, and the users file and the keys separately\n',
  )
})

/** Commands, and addresses where nobody answers: a node, some nodes, and a cluster by its name. */
const LINES = [
  { args: ['replay'], address: 'esdb://127.0.0.1:1?tls=false' },
  { args: ['vault', 'status'], address: 'esdb://127.0.0.1:1,127.0.0.1:2?tls=false' },
  { args: ['vault', 'rotate'], address: 'esdb+discover://berth:CaNaRy@localhost:1' },
]

test('where the store cannot be reached a command ends soon with 1 and one sentence, and has changed nothing', async (t) => {
  const data = await dataWithPeople(t)
  const key = `k1:${Buffer.alloc(32, 1).toString('base64')}\n`
  await writeFile(keyFile(data), key, { mode: 0o600 })
  const tell = async ({ args, address }: (typeof LINES)[number]): Promise<void> => {
    const began = performance.now()
    const { code, output, errors } = await run(t, { data, args, env: { BERTH_EVENT_STORE: address } })
    const told = `${args.join(' ')} ${address}: ${errors}`
    t.deepEqual([code, output], [1, ''], told)
    t.regex(errors, /^berth: berth-log cannot be read: .*\n$/, told)
    t.false(errors.includes('CaNaRy'))
    t.true(performance.now() - began < 30_000, told)
  }
  await Promise.all(LINES.map(tell))
  t.is(await readFile(keyFile(data), 'utf8'), key)
})
