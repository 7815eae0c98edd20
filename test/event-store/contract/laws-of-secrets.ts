import assert from 'node:assert/strict'
import type { SealedSecret } from '../../../src/domain/sealed-secret.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { append, aSecret, aStream, done, someEvents } from '../new-events.ts'
import type { Law } from './contract.ts'

const sutOf = (stream: string): string => stream.slice('sut-'.length)

/** A stream whose SUT has both a password and a user name. */
const withSecrets = async (store: EventStore): Promise<readonly [string, SealedSecret, SealedSecret]> => {
  const stream = aStream()
  const [password, name] = [aSecret(stream, 'password'), aSecret(stream, 'user_name')]
  done(await append(store, stream, -1, someEvents(stream, 1), [password, name]))
  return [stream, password, name]
}

/** The same secret encrypted with another key. */
const reencrypted = (secret: SealedSecret, key_id: string): SealedSecret => ({
  ...aSecret(`sut-${secret.owner}`, secret.field),
  id: secret.id,
  key_id,
})

const exchanging: Law = {
  title: 'a secret is replaced or removed only if it is unchanged, never if a newer one exists',
  check: async ({ store, reopen }) => {
    const [stream, password, name] = await withSecrets(store)
    const next = reencrypted(password, 'k2')
    await store.exchangeSecrets([{ old: password, next }, { old: name }])
    assert.deepEqual(await store.readSecrets(sutOf(stream)), [next])
    const newer = aSecret(stream, 'password')
    done(await append(store, stream, 0, someEvents(stream, 1), [newer]))
    await store.exchangeSecrets([
      { old: next, next: reencrypted(next, 'k3') },
      { old: name, next: name },
    ])
    assert.deepEqual(await store.readSecrets(sutOf(stream)), [newer], 'changed by an append in the meantime')
    const again = reencrypted(newer, 'k2')
    await store.exchangeSecrets([{ old: newer, next: again }])
    await store.exchangeSecrets([{ old: newer, next: reencrypted(newer, 'k3') }])
    await store.exchangeSecrets([{ old: newer }])
    assert.deepEqual(await store.readSecrets(sutOf(stream)), [again], 'replaced by another exchange in the meantime')
    assert.deepEqual(await (await reopen()).readSecrets(sutOf(stream)), [again])
  },
}

const listing: Law = {
  title: 'the secrets encrypted with a key are listed once each, by SUT and field, in pages',
  check: async ({ store }) => {
    const key_id = `k${aStream().slice(-12)}`
    const made: SealedSecret[] = []
    for (let i = 0; i < 4; i++) {
      const [, password, name] = await withSecrets(store)
      const next = [password, name].slice(0, 1 + (i % 2)).map((secret) => reencrypted(secret, key_id))
      await store.exchangeSecrets([password, name].flatMap((old, k) => (next[k] ? [{ old, next: next[k] }] : [])))
      made.push(...next)
    }
    const inOrder = made.toSorted((a, b) => (a.owner + a.field < b.owner + b.field ? -1 : 1))
    for (const limit of [1, 2, 5, 100]) {
      const listed: SealedSecret[] = []
      for (let i = 0; i < 10; i++) {
        const page = await store.secretsSealedWith(key_id, listed.at(-1), limit)
        assert.ok(page.length <= limit)
        listed.push(...page)
      }
      assert.deepEqual(listed, inOrder)
    }
    assert.deepEqual(await store.secretsSealedWith(`${key_id}x`, undefined, 10), [])
  },
}

const severalOwners: Law = {
  title: 'the secrets of several owners are read at once, by owner and field, and those of no others',
  check: async ({ store }) => {
    const made = [await withSecrets(store), await withSecrets(store), await withSecrets(store)]
    const asked = made.slice(0, 2).toSorted(([one], [other]) => (one < other ? 1 : -1))
    const owners = asked.map(([stream]) => sutOf(stream))
    const secrets = asked.toReversed().flatMap(([, ...own]) => own)
    assert.deepEqual(await store.readSecrets(...owners, 'nobody'), secrets)
    assert.deepEqual(await store.readSecrets(), [])
  },
}

export const lawsOfSecrets: readonly Law[] = [exchanging, listing, severalOwners]
