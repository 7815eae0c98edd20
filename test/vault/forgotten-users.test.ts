import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { makeVault } from '../../src/vault/vault.ts'
import { type } from '../command-line/terminal.ts'
import { openStore } from '../event-store/sqlite/subject.ts'
import { start } from '../http/harness.ts'
import { NOW, ringIn } from './setting.ts'
import { addUser } from './users.ts'

/** The data of a stopped service with a user whose secrets are in the vault. */
const aLab = async (t: ExecutionContext) => {
  const service = await start(t)
  await service.stop()
  const store = openStore(t, join(service.data, 'events.db'))
  const keys = await ringIn(join(service.data, 'vault.key'))
  await addUser(store, makeVault({ store, keys, clock: () => NOW, randomBytes }), 'ann:1')
  await store.close()
  return { key: keys.current.id, env: { BERTH_DATA: service.data } }
}

test('secrets of users are counted among those that need a key, and listed when it is forgotten', async (t) => {
  const { key, env } = await aLab(t)
  const status = JSON.parse((await type(['vault', 'status', '--json'], env)).out)
  t.true(status.keys[0].secrets >= 3)
  const without = { ...env, BERTH_VAULT_KEY_FILE: join(env.BERTH_DATA, 'absent.key') }
  const { code, out } = await type(['vault', 'forget', key, '--json'], without)
  t.is(code, 0)
  const lost = JSON.parse(out)
  t.like(lost, { key, secrets: status.keys[0].secrets, suts: [] })
  t.true(lost.users.includes('ann:1'), out)
})

test('the report on a forgotten key names users by their ids', async (t) => {
  const { key, env } = await aLab(t)
  const without = { ...env, BERTH_VAULT_KEY_FILE: join(env.BERTH_DATA, 'absent.key') }
  const { out } = await type(['vault', 'forget', key], without)
  t.regex(out, /^lost with the key \S+: \d+ secrets of the users .*ann:1.*; set them again\. Retries/)
})
