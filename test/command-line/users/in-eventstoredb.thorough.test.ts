import { readdir } from 'node:fs/promises'
import test, { type ExecutionContext } from 'ava'
import { startProtocolServer } from '../../event-store/eventstoredb/protocol/protocol-server.ts'
import { AUDIT_KEY, addressOf, aVaultKey, startInstance } from '../../event-store/eventstoredb/service/instances.ts'
import { basic } from '../../http/client.ts'
import { temporaryData } from '../../http/harness.ts'
import { until } from '../../http/until.ts'
import { run } from '../../process/harness.ts'

/** Commands on the users of a log in an EventStoreDB, in a data directory of their own. */

const given = async (t: ExecutionContext) => {
  const server = await startProtocolServer()
  t.teardown(server.close)
  const environment = { BERTH_VAULT_KEY: aVaultKey() }
  const data = await temporaryData(t)
  const env = { ...environment, BERTH_EVENT_STORE: addressOf(server, 50) }
  const user = (args: readonly string[], more = {}) => run({ data, args: ['user', ...args], env: { ...env, ...more } })
  return { server, environment, data, user }
}

test('users are changed in a shared store without a service, and services elsewhere know it within 2 s', async (t) => {
  const { server, environment, user } = await given(t)
  const service = await startInstance(t, server, 0, { environment })
  const added = await user(['add', 'carol', '--role', 'administrator'])
  t.deepEqual([added.code, added.errors], [0, ''])
  const [id, password = ''] = added.output.split('\n')
  const headers = { Authorization: basic('Carol', password) }
  const isKnown = async (): Promise<boolean> => (await service.anyone.get('/api/user/me', headers)).json._id === id
  await until('carol is known', isKnown, 2_000)
})

test('thorough: an empty shared log gets the user that is added, and no administrator', async (t) => {
  const { server, environment, data, user } = await given(t)
  const added = await user(['add', 'carol', '--role', 'administrator', '--id', 'c'])
  t.is(added.code, 0, added.errors)
  const [, password = ''] = added.output.split('\n')
  const files = await readdir(data)
  t.deepEqual(
    ['events.db', 'vault.key', 'audit.key', 'instance'].filter((name) => files.includes(name)),
    [],
  )
  const service = await startInstance(t, server, 0, { data: await temporaryData(t), environment })
  t.is((await service.anyone.get('/api/user/me', { Authorization: basic('carol', 'none') })).status, 401)
  t.is((await service.anyone.get('/api/user/me', { Authorization: basic('carol', password) })).json._id, 'c')
})

test('with a mistyped prefix a new password is refused, and no log begins', async (t) => {
  const { server, environment, user } = await given(t)
  await startInstance(t, server, 0, { environment })
  const recorded = server.log.all().length
  const mistyped = { BERTH_EVENT_STORE: `${addressOf(server, 50)}&streamPrefix=typo-` }
  const { code, output, errors } = await user(['passwd', 'admin'], mistyped)
  t.deepEqual([code, output], [1, ''], errors)
  t.regex(errors, /there is no log in the event store under the streamPrefix typo-: start the service once/)
  t.is(server.log.all().length, recorded)
})

test('without the vault key of the log, or with another one, such a command ends with 2', async (t) => {
  const { user } = await given(t)
  t.is((await user(['add', 'carol', '--role', 'administrator'])).code, 0)
  const none = await user(['passwd', 'carol'], { BERTH_VAULT_KEY: undefined })
  t.deepEqual([none.code, none.output], [2, ''])
  t.regex(none.errors, /vault\.key[\s\S]*were sealed with the key "k1"/)
  const other = await user(['passwd', 'carol'], { BERTH_VAULT_KEY: aVaultKey() })
  t.is(other.code, 2)
  t.regex(other.errors, /the key "k1" is not the one the store knows/)
})

test('a store that cannot be reached is reported at once', async (t) => {
  const { user } = await given(t)
  const { code, output, errors } = await user(['passwd', 'admin'], {
    ...AUDIT_KEY,
    BERTH_EVENT_STORE: 'esdb://127.0.0.1:1?tls=false',
  })
  t.deepEqual([code, output], [1, ''], errors)
  t.regex(errors, /^berth: berth-log cannot be read: [^\n]+\n$/)
})
