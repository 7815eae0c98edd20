/** Commands on a log in an EventStoreDB. */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { startProtocolServer } from '../event-store/eventstoredb/protocol/protocol-server.ts'
import { openAt } from '../event-store/eventstoredb/subject.ts'
import { addressFor } from '../event-store/shared-store.ts'
import { EVENTS_OF_START, type Running, start, temporaryData } from '../http/harness.ts'
import { aReservation, createSut, NOW, reserved } from '../http/requests.ts'
import { stopwatch, until } from '../http/until.ts'
import { launch, run } from '../process/harness.ts'
import { passwordOf, ringIn } from '../vault/setting.ts'
import { type } from './terminal.ts'

const server = await startProtocolServer()
test.after.always(server.close)

const keyFile = (data: string): string => join(data, 'vault.key')

/** A service on the store with a SUT with secrets and a reservation, and the environment of its commands. */
const served = async (t: ExecutionContext) => {
  const data = await temporaryData(t)
  await writeFile(keyFile(data), `k1:${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 })
  await writeFile(join(data, 'audit.key'), `${Buffer.alloc(32, 2).toString('base64')}\n`, { mode: 0o600 })
  const address = addressFor(server.address, data)
  const service: Running = await start(t, { now: NOW, data, environment: { BERTH_EVENT_STORE: address } })
  await until('ready', async () => (await service.anyone.get('/health/ready')).status === 200, 60_000)
  const sut = await createSut(service.as('admin'), { password: 'kept', user_name: 'root' })
  await reserved(service.as('alice'), aReservation(sut))
  return { service, sut, data, address, env: { BERTH_DATA: data, BERTH_EVENT_STORE: address } }
}

test('"replay", "vault status" and "vault rotate" work on the store, with a running service and without', async (t) => {
  const events = EVENTS_OF_START + 3
  const { service, data, env, sut, address } = await served(t)
  const now = () => Date.parse(NOW)
  const isWritten = async () => (await type(['replay'], env)).out.includes(`${events} events`)
  await until('the documents are written', isWritten, 10_000)
  const status = await type(['vault', 'status'], env, { now })
  t.is(status.out, 'k1\tcurrent\tneeded\tencrypts new secrets; 14 secrets are encrypted with it\n')
  const backup = await type(['backup', join(data, 'copy')], env)
  t.is(backup.code, 1)
  t.regex(backup.error, /^berth: the log and the secrets are in an EventStoreDB: back them up with its tools/)
  t.regex(
    (await type(['vault', 'rotate'], env, { now })).out,
    /^new key \S+ in \S+vault\.key; the running service uses it/,
  )
  const store = await openAt(t, address, { isReadOnly: true })
  const ring = await ringIn(keyFile(data))
  const isReencrypted = async () => (await store.readSecrets(sut))[0]?.key_id === ring.current.id
  await until('the old secret is re-encrypted', isReencrypted, 60_000)
  await service.stop()
  const alone = await type(['vault', 'rotate', '--json'], env, { now: () => now() + 3_600_000 })
  const { key, ...others } = JSON.parse(alone.out)
  t.like(others, { service: 'none' })
  t.is((await ringIn(keyFile(data))).current.id, key)
  t.is(await passwordOf(store, ring, sut), 'kept')
  const same = JSON.parse((await type(['replay', '--json'], env)).out)
  t.like(same, { same: true, position: events - 1, events, behind: 0, differences: [] })
  const views = new DatabaseSync(join(data, 'views.db'))
  views.exec(`UPDATE sut SET document = '{"altered":true}' WHERE position = ${EVENTS_OF_START + 1}`)
  views.close()
  const different = await type(['replay'], env)
  t.is(different.code, 1)
  t.regex(different.out, /altered: in use true, the log gives nothing/)
})

test('commands check the tlsCAFile, and exit with 2 where it cannot be used', async (t) => {
  const data = await temporaryData(t)
  const caFile = join(data, 'none.pem')
  const env = { BERTH_EVENT_STORE: `esdb://a:b@localhost:1?tlsCAFile=${encodeURIComponent(caFile)}` }
  for (const args of [['verify'], ['replay']]) {
    const { code, errors } = await run({ data, args, env })
    t.is(code, 2, errors)
    t.true(errors.startsWith(`berth: BERTH_EVENT_STORE: the tlsCAFile ${caFile} cannot be read`), errors)
  }
})

/** Commands, with the addresses of an unreachable node, of several, and of a cluster by name. */
const LINES = [
  { args: ['replay'], address: 'esdb://127.0.0.1:1?tls=false' },
  { args: ['vault', 'status'], address: 'esdb://127.0.0.1:1,127.0.0.1:2?tls=false' },
  { args: ['vault', 'rotate'], address: 'esdb+discover://berth:CaNaRy@localhost:1' },
]

test('thorough: a command with an unreachable store soon exits with 1 and one message, without changes', async (t) => {
  const data = await temporaryData(t)
  const key = `k1:${Buffer.alloc(32, 1).toString('base64')}\n`
  await writeFile(keyFile(data), key, { mode: 0o600 })
  const check = async ({ args, address }: (typeof LINES)[number]): Promise<void> => {
    const command = launch(t, { data, args, env: { BERTH_EVENT_STORE: address } })
    const taken = stopwatch(command.pid)
    const { code } = await command.exited
    const milliseconds = taken()
    const errors = command.errors()
    const context = `${args.join(' ')} ${address}, ${milliseconds} ms: ${errors}`
    t.deepEqual([code, command.output()], [1, ''], context)
    t.regex(errors, /^berth: berth-log cannot be read: .*\n$/, context)
    t.false(errors.includes('CaNaRy'))
    t.true(milliseconds < 30_000, context)
  }
  await Promise.all(LINES.map(check))
  t.is(await readFile(keyFile(data), 'utf8'), key)
})
