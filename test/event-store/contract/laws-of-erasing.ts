import assert from 'node:assert/strict'
import { userOwner } from '../../../src/domain/sealed-secret.ts'
import { USERS_STREAM } from '../../../src/domain/values/ids.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { anEvent, append, aSecret, aStream, done, outcomeOf, randomHex, readAll } from '../new-events.ts'
import { added, addUser, ofUser } from '../secrets-of-users.ts'
import type { Law } from './contract.ts'

/** Opaque ids: any printable character. */
const OPAQUE = ['b', 'a:b', 'user:b', 'straße 7', '$ü-漢']

const users: Law = {
  title: 'the secrets of a user, whatever its id, are there once the stream of users has their event, and not before',
  check: async ({ store, reopen }) => {
    const tag = randomHex(4)
    const all = OPAQUE.map((id) => `${id}${tag}`)
    const secrets = all.map((id) => ofUser(id))
    for (const [n, secret] of secrets.entries()) {
      const [id, other] = [all[n] as string, ofUser(all[n] as string)]
      const at = (await readAll(store, USERS_STREAM)).length
      const refused = await append(store, USERS_STREAM, at, [added(id, other)], [other])
      assert.equal(outcomeOf(refused), 'moved')
      assert.deepEqual(await store.readSecrets(secret.owner), [], 'its event was refused')
      await addUser(store, id, secret)
      assert.deepEqual(await store.readSecrets(secret.owner), [secret])
    }
    const again = await reopen()
    assert.deepEqual(
      await Promise.all(secrets.map(({ owner }) => again.readSecrets(owner))),
      secrets.map((one) => [one]),
    )
  },
}

const erasing: Law = {
  title:
    'erased secrets are neither read nor listed nor exchanged again, also after reopening; other owners keep theirs',
  check: async ({ store, reopen }) => {
    const [id, key] = [`u:${randomHex(4)}`, `k${randomHex(6)}`]
    const [name, password] = [ofUser(id, 'name', key), ofUser(id, 'password', key)]
    const other = ofUser(`${id}2`, 'name', key)
    const { expected, event } = await addUser(store, id, name, password)
    await addUser(store, `${id}2`, other)
    await store.eraseSecrets(name.owner)
    const isGone = async (from: EventStore): Promise<void> => {
      assert.deepEqual(await from.readSecrets(name.owner), [])
      assert.deepEqual(await from.secretsSealedWith(key, undefined, 10), [other])
      assert.deepEqual(await from.readSecrets(other.owner), [other])
    }
    await isGone(store)
    await store.exchangeSecrets([{ old: name, next: { ...name, ciphertext: password.ciphertext } }, { old: password }])
    await isGone(store)
    done(await append(store, USERS_STREAM, expected, [event], [name, password]))
    await isGone(store)
    await isGone(await reopen())
  },
}

const erasingAgain: Law = {
  title: 'an owner without secrets can be erased, and secrets that come later are kept and are the only ones',
  check: async ({ store, reopen }) => {
    const stream = aStream()
    const ofSut = aSecret(stream, 'password')
    done(await append(store, stream, -1, [anEvent(stream, 'a SUT')], [ofSut]))
    await store.eraseSecrets(ofSut.owner)
    assert.deepEqual(await store.readSecrets(ofSut.owner), [], 'a SUT is an owner too')
    const id = randomHex(6)
    const owner = userOwner(id)
    await assert.doesNotReject(store.eraseSecrets(owner))
    await addUser(store, id, ofUser(id), ofUser(id, 'password'))
    await store.eraseSecrets(owner)
    await assert.doesNotReject(store.eraseSecrets(owner))
    const later = ofUser(id)
    await addUser(store, id, later)
    assert.deepEqual(await store.readSecrets(owner), [later])
    const written = ofUser(id, 'epoch')
    await store.writeSecrets([written])
    assert.deepEqual(await store.readSecrets(owner), [written, later])
    assert.deepEqual(await (await reopen()).readSecrets(owner), [written, later])
  },
}

export const lawsOfErasing: readonly Law[] = [users, erasing, erasingAgain]
