import { createDecipheriv, randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type { SealedSecret } from '../../src/domain/sealed-secret.ts'
import { openSecret, sealSecret } from '../../src/vault/cipher.ts'
import { type KeyRing, parseVaultKeys } from '../../src/vault/keys.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { anyCharacter } from '../characters.ts'
import { leftOf, rightOf } from '../users/builders.ts'
import { makeStore, vaultOver } from './memory-store.ts'

const ringOf = (...ids: readonly string[]): KeyRing =>
  rightOf(parseVaultKeys(ids.map((id) => `${id}:${randomBytes(32).toString('base64')}`).join()))

const ringWith = (current: KeyRing, ...others: readonly KeyRing[]): KeyRing => ({
  current: current.current,
  keys: [current, ...others].flatMap(({ keys }) => keys),
})

const seal = (vault: Vault, sutId: string, secrets: { password?: string; user_name?: string }) => {
  const sealed = vault.seal(sutId, secrets)
  if (sealed === undefined) throw new Error('nothing was sealed')
  return sealed
}

test('any sealed secret is revealed unchanged', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: anyCharacter }), fc.option(fc.string()), async (password, name) => {
      const store = makeStore()
      const vault = vaultOver(store, ringOf('a'))
      const secrets = { password, ...(name !== null && { user_name: name }) }
      await store.writeSecrets(seal(vault, 'sut', secrets).secrets)
      t.deepEqual(rightOf(await vault.reveal('sut')), secrets)
    }),
  )
})

test('sealing returns a random id and the changed fields for the event', (t) => {
  const vault = vaultOver(makeStore(), ringOf('a'))
  const { credentials, secrets } = seal(vault, 'sut', { user_name: 'root', password: '' })
  t.regex(credentials.id, /^[0-9a-f]{24}$/)
  t.deepEqual(credentials.changed, ['password', 'user_name'])
  t.deepEqual(
    secrets.map(({ owner, field, id, key_id }) => ({ owner, field, id, key_id })),
    [
      { owner: 'sut', field: 'password', id: credentials.id, key_id: 'a' },
      { owner: 'sut', field: 'user_name', id: credentials.id, key_id: 'a' },
    ],
  )
  t.deepEqual(seal(vault, 'sut', { user_name: 'root' }).credentials.changed, ['user_name'])
  t.is(vault.seal('sut', {}), undefined)
  t.is(vault.seal('sut', { password: undefined, user_name: undefined }), undefined)
})

test('a SUT has the secrets that are not empty, and those that cannot be opened', async (t) => {
  const [store, ring] = [makeStore(), ringOf('a')]
  const vault = vaultOver(store, ring)
  t.deepEqual(await vault.has('sut'), { password: false, user_name: false })
  await store.writeSecrets(seal(vault, 'sut', { password: '', user_name: 'root' }).secrets)
  t.deepEqual(await vault.has('sut'), { password: false, user_name: true })
  const withoutKey = vaultOver(store, ringOf('b'))
  t.deepEqual(await withoutKey.has('sut'), { password: true, user_name: true })
})

test('the same secret sealed twice shares only its length', (t) => {
  const vault = vaultOver(makeStore(), ringOf('a'))
  const [first, second] = [1, 2].map(
    () => seal(vault, 'sut', { password: 'CaNaRy0123456789' }).secrets[0] as SealedSecret,
  )
  t.notDeepEqual(first?.nonce, second?.nonce)
  t.notDeepEqual(first?.ciphertext, second?.ciphertext)
  t.not(first?.id, second?.id)
  t.is(first?.nonce.length, 12)
  t.is(first?.ciphertext.length, 'CaNaRy0123456789'.length + 16)
})

test('sealed secrets do not contain the plaintext', (t) => {
  const canary = 'CaNaRy0123456789'
  const sealed = seal(vaultOver(makeStore(), ringOf('a')), 'sut', { password: canary, user_name: canary })
  const shown = sealed.secrets.map(({ nonce, ciphertext, ...rest }) =>
    [JSON.stringify(rest), Buffer.from(nonce).toString('latin1'), Buffer.from(ciphertext).toString('latin1')].join(),
  )
  t.false(shown.join().includes(canary))
  t.false(JSON.stringify(sealed.credentials).includes(canary))
})

const sealedOnce = (): { ring: KeyRing; sealed: SealedSecret } => {
  const ring = ringOf('a', 'b')
  return { ring, sealed: seal(vaultOver(makeStore(), ring), 'sut', { password: 'CaNaRy' }).secrets[0] as SealedSecret }
}

const flipped = (bytes: Uint8Array, bit: number): Uint8Array =>
  Uint8Array.from(bytes, (byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))

test('a ciphertext or nonce with any bit flipped does not open', (t) => {
  const { ring, sealed } = sealedOnce()
  t.deepEqual(openSecret(ring, sealed), E.right('CaNaRy'))
  for (let bit = 0; bit < sealed.ciphertext.length * 8; bit++) {
    t.true(E.isLeft(openSecret(ring, { ...sealed, ciphertext: flipped(sealed.ciphertext, bit) })))
  }
  for (let bit = 0; bit < 96; bit++)
    t.true(E.isLeft(openSecret(ring, { ...sealed, nonce: flipped(sealed.nonce, bit) })))
})

const firstRing = rightOf(parseVaultKeys(`a:${Buffer.alloc(32, 7).toString('base64')}`))
const sealedByTheFirst: SealedSecret = {
  owner: '5ced2d0ea4e9c4b2c1a1b2c3',
  field: 'password',
  id: '0123456789abcdef01234567',
  key_id: 'a',
  nonce: Buffer.alloc(12, 9),
  ciphertext: Buffer.from('SuTn_NeepFBVAxXiM3cLwFCXDglrkkvs', 'base64url'),
}

test('what the first version sealed opens', (t) => {
  t.deepEqual(openSecret(firstRing, sealedByTheFirst), E.right('machine1'))
})

test('what the first version sealed does not open for another SUT', (t) => {
  const sealed = { ...sealedByTheFirst, owner: `${sealedByTheFirst.owner.slice(0, -1)}0` }
  t.true(E.isLeft(openSecret(firstRing, sealed)))
})

test('a secret is bound to its owner as sut:<id> or user:<id>, and opens for no other', (t) => {
  const ring = ringOf('a')
  const [id, nonce] = ['5ced2d0ea4e9c4b2c1a1b2c3', randomBytes(12)]
  const place = { field: 'password', id: '0123456789abcdef01234567' }
  const ofSut = sealSecret(ring.current, { ...place, owner: id }, 'CaNaRy', nonce)
  const ofUser = sealSecret(ring.current, { ...place, owner: `user:${id}` }, 'CaNaRy', nonce)
  for (const [sealed, owner] of [
    [ofSut, `sut:${id}`],
    [ofUser, `user:${id}`],
  ] as const) {
    const decipher = createDecipheriv('aes-256-gcm', ring.current.key, nonce)
      .setAAD(Buffer.from(JSON.stringify([owner, place.field, place.id, 'a'])))
      .setAuthTag(sealed.ciphertext.subarray(-16))
    t.is(decipher.update(sealed.ciphertext.subarray(0, -16), undefined, 'utf8') + decipher.final('utf8'), 'CaNaRy')
    t.deepEqual(openSecret(ring, sealed), E.right('CaNaRy'))
  }
  t.true(E.isLeft(openSecret(ring, { ...ofUser, owner: id })))
  t.true(E.isLeft(openSecret(ring, { ...ofSut, owner: `user:${id}` })))
})

test('a truncated ciphertext or nonce does not open', (t) => {
  const { ring, sealed } = sealedOnce()
  for (let length = 0; length < sealed.ciphertext.length; length++) {
    t.true(E.isLeft(openSecret(ring, { ...sealed, ciphertext: sealed.ciphertext.subarray(0, length) })))
  }
  t.true(E.isLeft(openSecret(ring, { ...sealed, nonce: sealed.nonce.subarray(0, 11) })))
})

test('a secret moved to another owner, field, id or key does not open', (t) => {
  const { ring, sealed } = sealedOnce()
  const moves = [{ owner: 'other' }, { field: 'user_name' }, { id: 'other' }, { key_id: 'b' }, { key_id: 'c' }]
  for (const move of moves) t.true(E.isLeft(openSecret(ring, { ...sealed, ...move })))
  t.true(E.isRight(openSecret(ring, { ...sealed })))
})

test('secrets swapped in the store are not revealed, and the error does not show them', async (t) => {
  const store = makeStore()
  const vault = vaultOver(store, ringOf('a'))
  const [password, name] = seal(vault, 'sut', { password: 'CaNaRy-one', user_name: 'CaNaRy-two' }).secrets
  if (password === undefined || name === undefined) return t.fail()
  await store.writeSecrets([
    { ...password, field: 'user_name' },
    { ...name, field: 'password' },
  ])
  const refusal = leftOf(await vault.reveal('sut'))
  t.regex(refusal, /^the (user_name|password) cannot be read: it was not sealed here/)
  t.false(refusal.includes('CaNaRy'))
})

test('secrets of another SUT from the store are refused', async (t) => {
  const store = makeStore()
  const vault = vaultOver(store, ringOf('a'))
  const other = seal(vault, 'other', { password: 'CaNaRy' }).secrets
  const lying = vaultOver({ ...store, readSecrets: async () => other }, ringOf('a'))
  t.regex(leftOf(await lying.reveal('sut')), /not of this SUT/)
})

test('a SUT without secrets reveals none', async (t) => {
  t.deepEqual(rightOf(await vaultOver(makeStore(), ringOf('a')).reveal('sut')), {})
})

test('the first check writes a key check value for the current key, later ones write nothing', async (t) => {
  const store = makeStore()
  const vault = vaultOver(store, ringOf('a', 'b'))
  t.deepEqual(await vault.check(), E.right(undefined))
  t.deepEqual(
    [...store.kept.values()].map(({ owner, field, key_id }) => ({ owner, field, key_id })),
    [{ owner: '-', field: 'a', key_id: 'a' }],
  )
  const [before] = store.kept.values()
  t.deepEqual(await vault.check(), E.right(undefined))
  t.is(store.kept.values().next().value, before)
})

test('a rotated key ring passes, reveals secrets of the old key and seals with the new one', async (t) => {
  const store = makeStore()
  const [old, next] = [ringOf('old'), ringOf('new')]
  const before = vaultOver(store, old)
  await before.check()
  await store.writeSecrets(seal(before, 'sut', { password: 'correct horse' }).secrets)
  const after = vaultOver(store, ringWith(next, old))
  t.deepEqual(await after.check(), E.right(undefined))
  t.deepEqual(rightOf(await after.reveal('sut')), { password: 'correct horse' })
  t.is(seal(after, 'sut', { password: 'x' }).secrets[0]?.key_id, 'new')
  t.deepEqual(
    [...store.kept.keys()].filter((place) => place.startsWith('-')),
    ['- old', '- new'],
  )
})

test('a missing key is refused by its id, and nothing is written', async (t) => {
  const store = makeStore()
  await vaultOver(store, ringOf('old')).check()
  const problems = leftOf(await vaultOver(store, ringOf('new')).check())
  t.deepEqual(problems, ['the key "old" is missing: secrets in the store were sealed with it'])
  t.deepEqual([...store.kept.keys()], ['- old'])
})

test('another key under a known id is refused by that id', async (t) => {
  const store = makeStore()
  await vaultOver(store, ringOf('a')).check()
  await vaultOver(store, ringWith(ringOf('a'))).check()
  const other = ringOf('a')
  const problems = leftOf(await vaultOver(store, other).check())
  t.deepEqual(problems, ['the key "a" is not the one the store knows by this id'])
  t.false(problems.join().includes(other.current.key.export().toString('base64')))
})

test('all wrong keys are reported at once', async (t) => {
  const store = makeStore()
  const [a, b] = [ringOf('a'), ringOf('b')]
  await vaultOver(store, a).check()
  await vaultOver(store, ringWith(b, a)).check()
  t.is(leftOf(await vaultOver(store, ringWith(ringOf('c'), ringOf('b'))).check()).length, 2)
})

test('a key check value renamed in the store to match another key does not pass', async (t) => {
  const store = makeStore()
  const ring = ringOf('a')
  await vaultOver(store, ring).check()
  const [value] = store.kept.values()
  if (value === undefined) return t.fail()
  store.kept.set('- a', { ...value, field: 'b', key_id: 'a' })
  t.is(leftOf(await vaultOver(store, ring).check()).length, 1)
})

test('two instances that start together with different keys both fail their check', async (t) => {
  const store = makeStore()
  const [one, other] = [vaultOver(store, ringOf('one')), vaultOver(store, ringOf('other'))]
  const [first, second] = await Promise.all([one.check(), other.check()])
  t.regex(leftOf(first).join(), /the key "other" is missing/)
  t.regex(leftOf(second).join(), /the key "one" is missing/)
})
