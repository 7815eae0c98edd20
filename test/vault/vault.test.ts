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
import { before, ringOf } from './setting.ts'

const CANARY = 'CaNaRy0123456789'

const seal = (vault: Vault, sutId: string, secrets: { password?: string; user_name?: string }) => {
  const sealed = vault.seal(sutId, secrets)
  if (sealed === undefined) throw new Error('nothing was sealed')
  return sealed
}

test('any sealed secret is revealed unchanged', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: anyCharacter, minLength: 1 }), fc.string(), async (password, user_name) => {
      const store = makeStore()
      const vault = vaultOver(store, ringOf('a'))
      const { secrets } = seal(vault, 'sut', { password, user_name })
      await store.writeSecrets(secrets)
      t.is(rightOf(await vault.passwordOf('sut')), password)
      t.deepEqual(openSecret(vault.keys(), secrets[1] as SealedSecret), E.right(user_name))
    }),
  )
})

test('sealing returns a random id and the changed fields for the event', (t) => {
  const vault = vaultOver(makeStore(), ringOf('a'))
  const { credentials, secrets } = seal(vault, 'sut', { user_name: 'root', password: '' })
  t.regex(credentials.id, /^[0-9a-f]{24}$/)
  t.deepEqual(credentials.changed, ['password', 'user_name'])
  const place = { owner: 'sut', id: credentials.id, key_id: 'a' }
  t.deepEqual(
    secrets.map(({ owner, field, id, key_id }) => ({ owner, field, id, key_id })),
    [
      { ...place, field: 'password' },
      { ...place, field: 'user_name' },
    ],
  )
  t.deepEqual(seal(vault, 'sut', { user_name: 'root' }).credentials.changed, ['user_name'])
  t.is(vault.seal('sut', { password: undefined, user_name: undefined }), undefined)
})

test('a SUT has the secrets that are not empty, and those that cannot be opened', async (t) => {
  const store = makeStore()
  const vault = vaultOver(store, ringOf('a'))
  t.deepEqual(await vault.has('sut'), { password: false, user_name: false })
  await store.writeSecrets(seal(vault, 'sut', { password: '', user_name: 'root' }).secrets)
  t.deepEqual(await vault.has('sut'), { password: false, user_name: true })
  t.deepEqual(await vaultOver(store, ringOf('b')).has('sut'), { password: true, user_name: true })
})

test('sealed secrets do not contain the plaintext, and those of one text share only its length', (t) => {
  const vault = vaultOver(makeStore(), ringOf('a'))
  const sealed = seal(vault, 'sut', { password: CANARY, user_name: CANARY })
  const [one, other] = sealed.secrets
  const shown = sealed.secrets.map(({ nonce, ciphertext, ...rest }) =>
    [JSON.stringify(rest), Buffer.from(nonce).toString('latin1'), Buffer.from(ciphertext).toString('latin1')].join(),
  )
  t.false(`${shown}${JSON.stringify(sealed.credentials)}`.includes(CANARY))
  t.notDeepEqual(one?.nonce, other?.nonce)
  t.notDeepEqual(one?.ciphertext, other?.ciphertext)
  t.deepEqual([one?.nonce.length, one?.ciphertext.length], [12, CANARY.length + 16])
})

const sealedOnce = (): { ring: KeyRing; sealed: SealedSecret } => {
  const ring = ringOf('a', 'b')
  return { ring, sealed: seal(vaultOver(makeStore(), ring), 'sut', { password: 'CaNaRy' }).secrets[0] as SealedSecret }
}

const flipped = (bytes: Uint8Array, bit: number): Uint8Array =>
  Uint8Array.from(bytes, (byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))

test('a ciphertext or nonce with any bit flipped, or cut off, does not open', (t) => {
  const { ring, sealed } = sealedOnce()
  const { ciphertext, nonce } = sealed
  t.deepEqual(openSecret(ring, sealed), E.right('CaNaRy'))
  const opens = (change: Partial<SealedSecret>): boolean => E.isRight(openSecret(ring, { ...sealed, ...change }))
  for (let bit = 0; bit < ciphertext.length * 8; bit++) t.false(opens({ ciphertext: flipped(ciphertext, bit) }))
  for (let bit = 0; bit < 96; bit++) t.false(opens({ nonce: flipped(nonce, bit) }))
  for (let n = 0; n < ciphertext.length; n++) t.false(opens({ ciphertext: ciphertext.subarray(0, n) }))
  t.false(opens({ nonce: nonce.subarray(0, 11) }))
})

test('what the first version sealed opens, for its SUT alone', (t) => {
  const ring = rightOf(parseVaultKeys(`a:${Buffer.alloc(32, 7).toString('base64')}`))
  const sealed: SealedSecret = {
    ...{ owner: '5ced2d0ea4e9c4b2c1a1b2c3', field: 'password', id: '0123456789abcdef01234567', key_id: 'a' },
    nonce: Buffer.alloc(12, 9),
    ciphertext: Buffer.from('SuTn_NeepFBVAxXiM3cLwFCXDglrkkvs', 'base64url'),
  }
  t.deepEqual(openSecret(ring, sealed), E.right('machine1'))
  t.true(E.isLeft(openSecret(ring, { ...sealed, owner: '5ced2d0ea4e9c4b2c1a1b2c0' })))
})

test('a secret is bound to its owner as sut:<id> or user:<id>, and opens for no other', (t) => {
  const ring = ringOf('a')
  const [id, nonce] = ['5ced2d0ea4e9c4b2c1a1b2c3', randomBytes(12)]
  const place = { field: 'password', id: '0123456789abcdef01234567' }
  for (const [owner, bound, other] of [
    [id, `sut:${id}`, `user:${id}`],
    [`user:${id}`, `user:${id}`, id],
  ] as const) {
    const sealed = sealSecret(ring.current, { ...place, owner }, 'CaNaRy', nonce)
    const decipher = createDecipheriv('aes-256-gcm', ring.current.key, nonce)
      .setAAD(Buffer.from(JSON.stringify([bound, place.field, place.id, 'a'])))
      .setAuthTag(sealed.ciphertext.subarray(-16))
    t.is(decipher.update(sealed.ciphertext.subarray(0, -16), undefined, 'utf8') + decipher.final('utf8'), 'CaNaRy')
    t.deepEqual(openSecret(ring, sealed), E.right('CaNaRy'))
    t.true(E.isLeft(openSecret(ring, { ...sealed, owner: other })))
  }
})

test('a secret moved to another owner, field, id or key does not open', (t) => {
  const { ring, sealed } = sealedOnce()
  const moves = [{ owner: 'other' }, { field: 'user_name' }, { id: 'other' }, { key_id: 'b' }, { key_id: 'c' }]
  for (const move of moves) t.true(E.isLeft(openSecret(ring, { ...sealed, ...move })))
  t.true(E.isRight(openSecret(ring, { ...sealed })))
})

test('secrets swapped in the store, or of another SUT, are not revealed, and the error does not show them', async (t) => {
  const store = makeStore()
  const vault = vaultOver(store, ringOf('a'))
  t.is(rightOf(await vault.passwordOf('sut')), undefined)
  const [password, name] = seal(vault, 'sut', { password: 'CaNaRy-one', user_name: 'CaNaRy-two' }).secrets
  if (password === undefined || name === undefined) return t.fail()
  await store.writeSecrets([{ ...name, field: 'password' }])
  const refusal = leftOf(await vault.passwordOf('sut'))
  t.regex(refusal, /^the password cannot be read: it was not sealed here/)
  t.false(refusal.includes('CaNaRy'))
  const lying = vaultOver({ ...store, readSecrets: async () => [password] }, ringOf('a'))
  t.is(rightOf(await lying.passwordOf('other')), undefined)
})

test('the first check writes a key check value for the current key, later ones write nothing', async (t) => {
  const store = makeStore()
  const vault = vaultOver(store, ringOf('a', 'b'))
  t.deepEqual(await vault.check(), E.right(undefined))
  const [value, ...others] = store.kept.values()
  t.like(value, { owner: '-', field: 'a', key_id: 'a' })
  t.deepEqual(others, [])
  t.deepEqual(await vault.check(), E.right(undefined))
  t.is(store.kept.values().next().value, value)
})

test('keys of the store that are missing or are others are refused by their ids, all at once, and nothing is written', async (t) => {
  const [store, a, b, c] = [makeStore(), ringOf('a'), ringOf('b'), ringOf('c')]
  await vaultOver(store, a).check()
  await vaultOver(store, before(b, a)).check()
  const kept = [...store.kept]
  const missing = 'the key "a" is missing: secrets in the store were sealed with it'
  const other = 'the key "b" is not the one the store knows by this id'
  for (const [ring, problems] of [
    [b, [missing]],
    [before(ringOf('b'), a), [other]],
    [before(c, ringOf('b')), [missing, other]],
  ] as const)
    t.deepEqual(leftOf(await vaultOver(store, ring).check()), problems)
  t.deepEqual([...store.kept], kept)
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
