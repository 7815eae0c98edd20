import test from 'ava'
import type { SealedSecret } from '../../src/domain/sealed-secret.ts'
import { rightOf } from '../users/builders.ts'
import { makeStore, readUser, vaultOver } from './memory-store.ts'
import { ringOf } from './setting.ts'

/** Ids of users are opaque: any printable character, `:` too. */
const USER_IDS = ['5ced2d0ea4e9c4b2c1a1b2c3', 'user:1', 'a:b', '-', 'straße 7']

test("a user's secrets are read with the id of their change, whatever the id of the user", async (t) => {
  for (const id of USER_IDS) {
    const store = makeStore()
    const vault = vaultOver(store, ringOf('a'))
    const added = vault.sealUser(id, { name: 'Ann', password: 'a hash', epoch: 'e1' })
    const changed = vault.sealUser(id, { password: 'another hash' })
    if (added === undefined || changed === undefined) return t.fail()
    t.deepEqual(added.credentials.changed, ['epoch', 'name', 'password'])
    t.true(added.secrets.every(({ owner }) => owner === `user:${id}`))
    await store.writeSecrets([...added.secrets, ...changed.secrets])
    t.deepEqual(await readUser(vault, id), {
      epoch: { id: added.credentials.id, clear: 'e1' },
      name: { id: added.credentials.id, clear: 'Ann' },
      password: { id: changed.credentials.id, clear: 'another hash' },
    })
    t.is(rightOf(await vault.passwordOf(id)), undefined, 'a SUT with this id has none')
  }
})

test('a secret of a SUT or another user, put in the place of a user, cannot be opened', async (t) => {
  const store = makeStore()
  const vault = vaultOver(store, ringOf('a'))
  const [other] = vault.sealUser('bob', { password: 'CaNaRy' })?.secrets ?? []
  const [ofSut] = vault.seal('ann', { password: 'CaNaRy' })?.secrets ?? []
  if (other === undefined || ofSut === undefined) return t.fail()
  for (const secret of [other, ofSut]) {
    await store.writeSecrets([{ ...secret, owner: 'user:ann' }])
    t.is((await readUser(vault, 'ann')).password?.clear, undefined)
  }
})

test('a secret that is incomplete or whose key is missing is not opened, and others are', async (t) => {
  const store = makeStore()
  const vault = vaultOver(store, ringOf('a'))
  const { credentials, secrets } = vault.sealUser('ann', { name: 'Ann', password: 'a hash' })
  const password = secrets[1] as SealedSecret
  await store.writeSecrets([...secrets, { ...password, ciphertext: password.ciphertext.subarray(1, 16) }])
  const closed = { id: credentials.id, clear: undefined }
  const incomplete = { ...closed, why: 'it is incomplete' }
  t.deepEqual(await readUser(vault, 'ann'), { name: { ...closed, clear: 'Ann' }, password: incomplete })
  const keyless = { ...closed, why: 'its key "a" is missing' }
  t.deepEqual(await readUser(vaultOver(store, ringOf('b')), 'ann'), { name: keyless, password: keyless })
})

const [ONE, TWO] = ['0f5b3c2a91d84e7766aa0001', '0f5b3c2a91d84e7766aa0002']

test('names of tokens are revealed by the ids of the tokens, whatever the id of the user', async (t) => {
  for (const id of USER_IDS) {
    const store = makeStore()
    const vault = vaultOver(store, ringOf('a'))
    const [one, two] = [vault.sealTokenName(id, ONE, 'nightly'), vault.sealTokenName(id, TWO, 'über 😀')]
    t.deepEqual(one.credentials.changed, [ONE])
    t.not(one.credentials.id, two.credentials.id)
    await store.writeSecrets([...one.secrets, ...two.secrets])
    t.true([...store.kept.values()].every(({ owner }) => owner === `tokens:${id}`))
    t.deepEqual(Object.fromEntries(await vault.revealTokenNames(id)), { [ONE]: 'nightly', [TWO]: 'über 😀' })
    t.deepEqual(await readUser(vault, id), {}, 'the user itself has none of them')
  }
})

test('a name of a token in the place of another, or of another user, is not revealed', async (t) => {
  const store = makeStore()
  const vault = vaultOver(store, ringOf('a'))
  const [secret] = vault.sealTokenName('ann', ONE, 'CaNaRy').secrets
  if (secret === undefined) return t.fail()
  await store.writeSecrets([
    { ...secret, field: TWO },
    { ...secret, owner: 'tokens:bob' },
  ])
  t.is((await vault.revealTokenNames('ann')).size, 0)
  t.is((await vault.revealTokenNames('bob')).size, 0)
  await store.writeSecrets([secret])
  t.deepEqual([...(await vault.revealTokenNames('ann'))], [[ONE, 'CaNaRy']])
})
