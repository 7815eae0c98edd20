import assert from 'node:assert/strict'
import type { SealedSecret } from '../../../src/domain/sealed-secret.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { append, aSecret, aStream, done, someEvents } from '../new-events.ts'
import * as broken from './broken-secrets.ts'
import type { Law } from './contract.ts'

const sutOf = (stream: string): string => stream.slice('sut-'.length)

/** A stream whose SUT has both secrets. */
const withSecrets = async (store: EventStore): Promise<readonly [string, SealedSecret, SealedSecret]> => {
  const stream = aStream()
  const [password, name] = [aSecret(stream, 'password'), aSecret(stream, 'user_name')]
  done(await append(store, stream, -1, someEvents(stream, 1), [password, name]))
  return [stream, password, name]
}

/** The same secret sealed with another key. */
const sealedAnew = (secret: SealedSecret, key_id: string): SealedSecret => ({
  ...aSecret(`sut-${secret.sut_id}`, secret.field),
  id: secret.id,
  key_id,
})

const exchanging: Law = {
  title: 'a secret is exchanged or removed where it still stands, and never in the place of a newer one',
  check: async ({ store, reopen }) => {
    const [stream, password, name] = await withSecrets(store)
    const next = sealedAnew(password, 'k2')
    await store.exchangeSecrets([{ old: password, next }, { old: name }])
    assert.deepEqual(await store.readSecrets(sutOf(stream)), [next])
    const newer = aSecret(stream, 'password')
    done(await append(store, stream, 0, someEvents(stream, 1), [newer]))
    await store.exchangeSecrets([
      { old: next, next: sealedAnew(next, 'k3') },
      { old: name, next: name },
    ])
    assert.deepEqual(await store.readSecrets(sutOf(stream)), [newer], 'changed by an append meanwhile')
    const again = sealedAnew(newer, 'k2')
    await store.exchangeSecrets([{ old: newer, next: again }])
    await store.exchangeSecrets([{ old: newer, next: sealedAnew(newer, 'k3') }])
    await store.exchangeSecrets([{ old: newer }])
    assert.deepEqual(await store.readSecrets(sutOf(stream)), [again], 'exchanged by another meanwhile')
    assert.deepEqual(await (await reopen()).readSecrets(sutOf(stream)), [again])
  },
  brokenBy: {
    'overwrites a newer secret': broken.exchangesWhatHasChanged,
    'does not look at the key': broken.exchangesByPlaceAndId,
    'removes nothing': broken.keepsWhatIsToGo,
    'does half of it': broken.exchangesOnlyTheFirst,
  },
}

const listing: Law = {
  title: 'the secrets sealed with a key are given once each, by SUT and field, page by page',
  check: async ({ store }) => {
    const key_id = `k${aStream().slice(-12)}`
    const made: SealedSecret[] = []
    for (let i = 0; i < 4; i++) {
      const [, password, name] = await withSecrets(store)
      const next = [password, name].slice(0, 1 + (i % 2)).map((secret) => sealedAnew(secret, key_id))
      await store.exchangeSecrets([password, name].flatMap((old, k) => (next[k] ? [{ old, next: next[k] }] : [])))
      made.push(...next)
    }
    const inOrder = made.toSorted((a, b) => (a.sut_id + a.field < b.sut_id + b.field ? -1 : 1))
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
  brokenBy: {
    'lists those of other keys': broken.listsSecretsOfEveryKey,
    'always begins at the beginning': broken.listsSecretsFromTheFirstOn,
    'gives more than was asked for': broken.listsMoreSecretsThanAsked,
  },
}

export const lawsOfSecrets: readonly Law[] = [exchanging, listing]
