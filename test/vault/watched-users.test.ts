import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { toPublicPosition } from '../../src/domain/values/position.ts'
import { BEGINNING, type EventStore } from '../../src/event-store/event-store.ts'
import { makeVault, type Vault } from '../../src/vault/vault.ts'
import { watchSecrets } from '../../src/vault/watch-secrets.ts'
import { type } from '../command-line/terminal.ts'
import { recordsOf } from '../event-store/new-events.ts'
import { openStore } from '../event-store/sqlite/subject.ts'
import { start } from '../http/harness.ts'
import { until } from '../http/until.ts'
import { aStore, NOW, ringIn, ringOf, vaultOver } from './setting.ts'
import { addToken, addUser, changeUser, recordErasure } from './users.ts'

/** A watch over a log that does not change. */
const watchOver = async (
  store: EventStore,
  keys: ReturnType<typeof ringOf>,
  options: Pick<Parameters<typeof watchSecrets>[0], 'onFound' | 'onRecovered' | 'onFailure'>,
) => {
  const storePositions = (await recordsOf(store, BEGINNING)).map(({ storePosition }) => storePosition)
  return watchSecrets({
    store,
    keys: () => keys,
    ownerEvents: (after, limit) =>
      storePositions
        .map((storePosition, position) => ({ position: toPublicPosition(position), storePosition }))
        .slice(after + 1)
        .slice(0, limit),
    limits: { checkEvery: 1, recheckAfter: 1 },
    ...options,
  })
}

/** What a watch finds first, if anything. */
const firstFound = async (store: EventStore, keys: ReturnType<typeof ringOf>) => {
  const found = Promise.withResolvers<readonly string[]>()
  const watch = await watchOver(store, keys, {
    onFound: (findings) => found.resolve(findings.map(({ what }) => what)),
    onRecovered: () => undefined,
    onFailure: found.reject,
  })
  return found.promise.finally(watch.stop)
}

test('a watch looks again at what it has found, and reports once that it can be used again', async (t) => {
  const store = await aStore(t)
  const keys = ringOf('k1')
  const vault = await vaultOver(store, keys)
  await addUser(store, vault, 'bob', { name: 'bob' })
  const [old] = await store.readSecrets('user:bob')
  if (old === undefined) return t.fail('nothing is sealed')
  const broken = { ...old, key_id: 'k0' }
  await store.exchangeSecrets([{ old, next: broken }])
  const reports: string[] = []
  const recovered = Promise.withResolvers<void>()
  const watch = await watchOver(store, keys, {
    onFound: () => {
      reports.push('found')
      store.exchangeSecrets([{ old: broken, next: old }]).catch(recovered.reject)
    },
    onRecovered: () => {
      reports.push('recovered')
      recovered.resolve()
    },
    onFailure: recovered.reject,
  })
  await recovered.promise.finally(watch.stop)
  t.deepEqual(reports, ['found', 'recovered'])
})

test('a watch finds missing secrets of users, and left ones of erased users, and nothing else', async (t) => {
  const store = await aStore(t)
  const keys = ringOf('k1')
  const vault = await vaultOver(store, keys)
  for (const id of ['ann', 'bob', 'gone', 'left']) await addUser(store, vault, id, { name: id })
  await changeUser(store, vault, 'ann', { name: 'Ann' })
  for (const id of ['gone', 'left']) await recordErasure(store, id)
  await store.eraseSecrets('user:gone')
  await store.exchangeSecrets((await store.readSecrets('user:bob')).map((old) => ({ old })))
  t.deepEqual(await firstFound(store, keys), [
    'the name of the user bob is missing in the vault',
    'the vault has the name of the user left, which was erased',
  ])
})

test('a watch finds a secret whose key this log has never used, and none whose key is only missing', async (t) => {
  const store = await aStore(t)
  const keys = ringOf('k1')
  const vault = await vaultOver(store, keys)
  for (const id of ['ann', 'bob']) await addUser(store, vault, id, { name: id })
  const [old] = await store.readSecrets('user:bob')
  if (old === undefined) return t.fail('nothing is sealed')
  await store.exchangeSecrets([{ old, next: { ...old, key_id: 'k0' } }])
  const finding = 'the name of the user bob in the vault names a key that this log has never used'
  t.deepEqual(await firstFound(store, keys), [finding])
  t.deepEqual(await firstFound(store, ringOf('k2')), [finding])
})

test('a watch finds missing names of tokens, and left ones of erased users', async (t) => {
  const store = await aStore(t)
  const keys = ringOf('k1')
  const vault = await vaultOver(store, keys)
  const [one, two] = ['0f5b3c2a91d84e7766aa0001', '0f5b3c2a91d84e7766aa0002']
  for (const id of ['ann', 'bob', 'gone', 'left']) await addUser(store, vault, id, { name: id })
  for (const id of ['ann', 'gone', 'left'])
    await addToken(store, vault, id, id === 'ann' ? one : `${two.slice(0, -2)}${id === 'gone' ? 'a0' : 'b0'}`)
  await addToken(store, vault, 'ann', two)
  for (const id of ['gone', 'left']) {
    await recordErasure(store, id)
    await store.eraseSecrets(`user:${id}`)
  }
  await store.eraseSecrets('tokens:gone')
  const kept = await store.readSecrets('tokens:ann')
  t.deepEqual(
    kept.map(({ field }) => field),
    [one, two],
  )
  await store.exchangeSecrets(kept.slice(0, 1).map((old) => ({ old })))
  t.deepEqual(await firstFound(store, keys), [
    `the name of the token ${one} of the user ann is missing in the vault`,
    'the vault has the name of the token 0f5b3c2a91d84e7766aa00b0 of the user left, which was erased',
  ])
})

/** The data of a stopped service with a user whose secrets are in the vault, as `change` leaves them. */
const aLab = async (t: ExecutionContext, change: (store: EventStore, vault: Vault) => Promise<void>) => {
  const service = await start(t)
  await service.stop()
  const store = openStore(t, join(service.data, 'events.db'))
  const keys = await ringIn(join(service.data, 'vault.key'))
  const vault = makeVault({ store, keys, clock: () => NOW, randomBytes })
  await addUser(store, vault, 'ann:1')
  await change(store, vault)
  await store.close()
  return { data: service.data, key: keys.current.id, env: { BERTH_DATA: service.data } }
}

test('at start a missing secret of a user is logged as an alarm, by the id of the user', async (t) => {
  const { data } = await aLab(t, async (store) => {
    const [epoch] = await store.readSecrets('user:ann:1')
    if (epoch !== undefined) await store.exchangeSecrets([{ old: epoch }])
  })
  const service = await start(t, { data })
  const alarm = () => service.log.find(({ sentence }) => sentence.startsWith('secrets cannot be used: '))
  await until('the alarm', async () => alarm() !== undefined, 60_000)
  t.is(
    alarm()?.sentence,
    'secrets cannot be used: the epoch of the user ann:1 is missing in the vault; "verify --vault" lists all',
  )
})

test('at start a missing name of a token is logged as an alarm, by the ids of the token and the user', async (t) => {
  const { data } = await aLab(t, async (store, vault) => {
    await addToken(store, vault, 'ann:1', '0f5b3c2a91d84e7766aa0001')
    await store.eraseSecrets('tokens:ann:1')
  })
  const service = await start(t, { data })
  const alarm = () => service.log.find(({ sentence }) => sentence.startsWith('secrets cannot be used: '))
  await until('the alarm', async () => alarm() !== undefined, 60_000)
  t.regex(String(alarm()?.sentence), /: the name of the token 0f5b3c2a91d84e7766aa0001 of the user ann:1 is missing/)
})

test('secrets of users are counted among those that need a key, and listed when it is forgotten', async (t) => {
  const { key, env } = await aLab(t, async () => undefined)
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
  const { key, env } = await aLab(t, async () => undefined)
  const without = { ...env, BERTH_VAULT_KEY_FILE: join(env.BERTH_DATA, 'absent.key') }
  const { out } = await type(['vault', 'forget', key], without)
  t.regex(out, /^lost with the key \S+: \d+ secrets of the users .*ann:1.*; set them again\. Retries/)
})
