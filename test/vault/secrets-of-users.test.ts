import test, { type ExecutionContext } from 'ava'
import type { NewEvent } from '../../src/domain/event.ts'
import type { SealedSecret } from '../../src/domain/sealed-secret.ts'
import { tokenStream, USERS_STREAM } from '../../src/domain/values/ids.ts'
import { BEGINNING, type EventStore } from '../../src/event-store/event-store.ts'
import { followSecrets, verifyVault } from '../../src/vault/check-secrets.ts'
import { reseal } from '../../src/vault/keep-vault.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { tokenIssued } from '../domain/builders.ts'
import { anEvent, append, aStream, done, readAll } from '../event-store/new-events.ts'
import { rightOf } from '../users/builders.ts'
import { aStore, before, HOUR, NOW, passwordOf, resealing, ringOf, vaultOver } from './setting.ts'

type UserSecrets = Parameters<Vault['sealUser']>[1]

const record = async (
  store: EventStore,
  event: Pick<NewEvent, 'type' | 'data'>,
  secrets?: Parameters<typeof append>[4],
): Promise<void> => {
  const expected = (await readAll(store, USERS_STREAM)).length - 1
  rightOf(await append(store, USERS_STREAM, expected, [{ ...anEvent('sut-', ''), ...event } as NewEvent], secrets))
}

const sealed = (vault: Vault, id: string, secrets: UserSecrets) => {
  const made = vault.sealUser(id, secrets)
  if (made === undefined) throw new Error('nothing was sealed')
  return { credentials: { ...made.credentials, changed: [...made.credentials.changed] }, secrets: made.secrets }
}

const ALL = { name: 'Ann', password: 'a hash', epoch: 'an epoch' }

/** Records a new user and its secrets. */
const addUser = async (store: EventStore, vault: Vault, _id: string, given: UserSecrets = ALL): Promise<void> => {
  const { credentials, secrets } = sealed(vault, _id, given)
  await record(store, { type: 'UserAdded', data: { _id, role: 'tester', credentials } }, secrets)
}

const changeUser = async (store: EventStore, vault: Vault, _id: string, given: UserSecrets): Promise<void> => {
  const { credentials, secrets } = sealed(vault, _id, given)
  await record(store, { type: 'UserChanged', data: { _id, credentials } }, secrets)
}

/** Records a new token of a user, whose name is a secret. */
const addToken = async (store: EventStore, vault: Vault, user_id: string, _id: string, name = 'nightly') => {
  const { credentials, secrets } = vault.sealTokenName(user_id, _id, name)
  const { data } = tokenIssued({ _id, user_id, credentials: { ...credentials, changed: [_id] } })
  const stream = tokenStream(user_id)
  const expected = (await readAll(store, stream)).length - 1
  const event = { ...anEvent('sut-', ''), type: 'TokenIssued', data } as NewEvent
  rightOf(await append(store, stream, expected, [event], secrets))
}

/** Records that a user was removed and erased. Its secrets are still there. */
const recordErasure = async (store: EventStore, _id: string): Promise<void> => {
  await record(store, { type: 'UserRemoved', data: { _id, reservations: 'keep' } })
  await record(store, { type: 'UserErased', data: { _id } })
}

const verified = async (store: EventStore, ring: ReturnType<typeof ringOf>) => {
  const followed = followSecrets(store, BEGINNING, false)
  for await (const _ of followed.records);
  const { secrets, opened, findings } = await verifyVault(store, ring, followed, { keyId: '', owner: '' })
  return { secrets, opened, findings: findings.map(({ what }) => what) }
}

/** Records a SUT with two secrets. Returns its id. */
const addSut = async (store: EventStore, vault: Vault): Promise<string> => {
  const stream = aStream()
  const _id = stream.slice('sut-'.length)
  const sealed = vault.seal(_id, { password: 'of a SUT', user_name: 'root' })
  if (sealed === undefined) throw new Error('nothing was sealed')
  const credentials = { ...sealed.credentials, changed: [...sealed.credentials.changed] }
  const event = { ...anEvent(stream, ''), data: { _id, credentials } } as NewEvent
  done(await append(store, stream, -1, [event], sealed.secrets))
  return _id
}

/** A SUT with two secrets, and the users `ann`, whose password was changed once, and `a:b`. */
const aLab = async (t: ExecutionContext) => {
  const store = await aStore(t)
  const ring = ringOf('k1')
  const vault = await vaultOver(store, ring)
  const sut = await addSut(store, vault)
  await addUser(store, vault, 'ann')
  await addUser(store, vault, 'a:b', { name: 'Bob', epoch: 'e' })
  await changeUser(store, vault, 'ann', { password: 'another hash' })
  return { store, ring, vault, sut }
}

const secretOf = async (store: EventStore, owner: string, field: string) =>
  (await store.readSecrets(owner)).find((each) => each.field === field) as SealedSecret

test('the vault of SUTs and users is sound, also with removed users and after an erasure', async (t) => {
  const { store, ring } = await aLab(t)
  t.deepEqual(await verified(store, ring), { secrets: 7, opened: 7, findings: [] })
  await recordErasure(store, 'ann')
  await store.eraseSecrets('user:ann')
  t.deepEqual(await verified(store, ring), { secrets: 4, opened: 4, findings: [] })
})

test("a secret of a user that is missing, restored, swapped or left over is found, by the user's id", async (t) => {
  const { store, ring, sut } = await aLab(t)
  await store.exchangeSecrets([{ old: await secretOf(store, 'user:a:b', 'epoch') }])
  const password = await secretOf(store, 'user:ann', 'password')
  await store.exchangeSecrets([{ old: password, next: { ...password, id: 'f'.repeat(24) } }])
  const [name, ofSut] = [await secretOf(store, 'user:ann', 'name'), await secretOf(store, sut, 'password')]
  const { nonce, ciphertext } = ofSut
  await store.exchangeSecrets([{ old: name, next: { ...name, nonce, ciphertext } }])
  await store.writeSecrets([{ ...name, owner: 'user:nobody' }])
  t.deepEqual((await verified(store, ring)).findings.toSorted(), [
    'the epoch of the user a:b is missing in the vault',
    'the name of the user ann cannot be opened: it was not sealed here with the key "k1", or it was altered',
    'the password of the user ann in the vault belongs to a different change than this event',
    'the vault has the name of the user nobody, which no event has set',
  ])
})

test('secrets of an erased user that are still there are found', async (t) => {
  const { store, ring } = await aLab(t)
  await recordErasure(store, 'ann')
  const left = ['epoch', 'name', 'password'].map(
    (field) => `the vault has the ${field} of the user ann, which was erased`,
  )
  t.deepEqual((await verified(store, ring)).findings, left)
})

test('missing names of tokens, and left ones of erased users, are found', async (t) => {
  const { store, ring, vault } = await aLab(t)
  const [kept, lost, left] = ['aa01', 'aa02', 'aa03'].map((end) => `0f5b3c2a91d84e776611${end}`) as [
    string,
    string,
    string,
  ]
  await addToken(store, vault, 'a:b', kept)
  await addToken(store, vault, 'a:b', lost)
  await addToken(store, vault, 'ann', left)
  await store.exchangeSecrets([{ old: await secretOf(store, 'tokens:a:b', lost) }])
  await recordErasure(store, 'ann')
  await store.eraseSecrets('user:ann')
  t.deepEqual((await verified(store, ring)).findings, [
    `the name of the token ${lost} of the user a:b is missing in the vault`,
    `the vault has the name of the token ${left} of the user ann, which was erased`,
  ])
})

test('a rotation re-encrypts secrets of users, names a damaged one, and keeps erased ones erased', async (t) => {
  const { store, ring, sut } = await aLab(t)
  const both = before(ringOf('k2'), ring)
  const vault = await vaultOver(store, both, NOW + HOUR)
  await store.eraseSecrets('user:ann')
  const name = await secretOf(store, 'user:a:b', 'name')
  const ciphertext = Uint8Array.from(name.ciphertext, (byte) => byte ^ 1)
  await store.exchangeSecrets([{ old: name, next: { ...name, ciphertext } }])
  const { secrets, unreadable } = await reseal(resealing(store, vault, NOW + HOUR))
  t.is(secrets, 3)
  t.deepEqual(unreadable, ['the name of the user a:b: it was not sealed here with the key "k1", or it was altered'])
  t.is((await secretOf(store, 'user:a:b', 'epoch')).key_id, 'k2')
  t.is(await passwordOf(store, both, sut), 'of a SUT')
  t.deepEqual(await store.readSecrets('user:ann'), [])
})
