import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { type EventStore, StoreUnavailable } from '../../src/event-store/event-store.ts'
import { keepVault, reseal, type VaultKeeping } from '../../src/vault/keep-vault.ts'
import type { KeyRing } from '../../src/vault/keys.ts'
import { keyNeeds } from '../../src/vault/needs.ts'
import { makeVault } from '../../src/vault/vault.ts'
import { temporaryData } from '../http/harness.ts'
import { until } from '../http/until.ts'
import { leftOf, rightOf } from '../users/builders.ts'
import { aStore, before, givePassword, HOUR, NOW, passwordOf, resealing, ringOf, vaultOver } from './setting.ts'

/** Passwords of 25 SUTs under an old key, in a vault with a new one. */
const rotated = async (t: ExecutionContext) => {
  const store = await aStore(t)
  const old = ringOf('old')
  const earlier = await vaultOver(store, old, NOW - 30 * 24 * HOUR)
  const suts: string[] = []
  for (let i = 0; i < 25; i++) suts.push(await givePassword(store, earlier, `password ${i}`))
  const next = ringOf('new')
  const both = before(next, old)
  return { store, suts, old, next, both, vault: await vaultOver(store, both) }
}

test('after a rotation every secret opens with the new key alone and is unchanged, with the id of its event', async (t) => {
  const { store, suts, next, vault } = await rotated(t)
  const idsOf = async () => Promise.all(suts.map(async (sut) => (await store.readSecrets(sut)).map(({ id }) => id)))
  const ids = await idsOf()
  const { secrets, unreadable } = await reseal(resealing(store, vault))
  t.deepEqual([secrets, unreadable], [50, []])
  for (const [i, sut] of suts.entries()) t.is(await passwordOf(store, next, sut), `password ${i}`)
  t.deepEqual(await idsOf(), ids)
  t.deepEqual(await reseal(resealing(store, vault)), { secrets: 0, unreadable: [], freed: [] })
})

test('an old key is needed for its secrets, then a day for retries, then no longer', async (t) => {
  const { store, suts, old, next, both, vault } = await rotated(t)
  const until = NOW + 24 * HOUR + 60_000
  const needs = (now: number) => keyNeeds(store, 'new', now)
  t.deepEqual(await needs(until), [
    { id: 'new', secrets: 0, isNeeded: true },
    { id: 'old', secrets: 50, retriesUntil: until, isNeeded: true },
  ])
  t.deepEqual((await reseal(resealing(store, vault, until - 1))).freed, [])
  t.deepEqual(await needs(until - 1), [
    { id: 'new', secrets: 50, isNeeded: true },
    { id: 'old', secrets: 0, retriesUntil: until, isNeeded: true },
  ])
  const withoutOld = makeVault({ store, keys: next, clock: () => NOW, randomBytes: () => new Uint8Array(12) })
  t.regex(leftOf(await withoutOld.check()).join(), /the key "old" is missing/)
  t.deepEqual((await reseal(resealing(store, vault, until))).freed, ['old'])
  t.deepEqual(await needs(until), [{ id: 'new', secrets: 50, isNeeded: true }])
  rightOf(await withoutOld.check())
  t.is(await passwordOf(store, next, suts[0] as string), 'password 0')
  // Leaving it in the file does no harm.
  rightOf(await vault.take(both))
  t.is((await needs(until)).length, 1)
  t.is(old.current.id, 'old')
})

test('a key that becomes current again is needed from then on, and the one it replaces for another day', async (t) => {
  const { store, old, both, vault } = await rotated(t)
  const back = { current: old.current, keys: both.keys.toReversed() }
  const later = makeVault({ store, keys: back, clock: () => NOW + HOUR, randomBytes: (n) => new Uint8Array(n).fill(7) })
  rightOf(await later.check())
  t.is(vault.keys().current.id, 'new')
  t.deepEqual(await keyNeeds(store, 'old', NOW + 2 * HOUR), [
    { id: 'old', secrets: 50, isNeeded: true },
    { id: 'new', secrets: 0, retriesUntil: NOW + 25 * HOUR + 60_000, isNeeded: true },
  ])
})

test('with daily rotations only the last two keys are needed', async (t) => {
  const store = await aStore(t)
  let ring = ringOf('k0')
  let vault = await vaultOver(store, ring)
  await givePassword(store, vault, 'a password')
  for (let day = 1; day <= 5; day++) {
    const now = NOW + day * 24 * HOUR
    ring = before(ringOf(`k${day}`), ring)
    vault = await vaultOver(store, ring, now)
    await reseal(resealing(store, vault, now + HOUR))
  }
  const needs = await keyNeeds(store, 'k5', NOW + 5 * 24 * HOUR + HOUR)
  t.deepEqual(
    needs.map(({ id }) => id),
    ['k5', 'k4'],
  )
})

/** A store whose pages of secrets are stale when they arrive: `happens` runs after each read. */
const slowly = (store: EventStore, happens: () => Promise<void>): EventStore => ({
  ...store,
  secretsSealedWith: async (...args) => {
    const page = await store.secretsSealedWith(...args)
    await happens()
    return page
  },
})

/** Changes passwords during re-encryption, and counts the lost changes. */
const lostChanges = async (t: ExecutionContext): Promise<number> => {
  const { store, suts, both, vault } = await rotated(t)
  const passwords = new Map(suts.map((sut, i) => [sut, `password ${i}`]))
  let changes = 0
  const changing = slowly(store, async () => {
    // Another change would hide a lost one.
    if (changes === 3) return
    for (const sut of suts.filter((_, i) => i % 3 === changes % 3)) {
      passwords.set(sut, `changed ${changes}`)
      await givePassword(store, vault, `changed ${changes}`, sut)
    }
    changes++
  })
  await reseal(resealing(changing, vault))
  t.is(changes, 3)
  let lost = 0
  for (const [sut, password] of passwords) if ((await passwordOf(store, both, sut)) !== password) lost++
  return lost
}

test('a password changed during re-encryption keeps the change', async (t) => {
  t.is(await lostChanges(t), 0)
})

/** A store that fails after `last` calls. */
const dyingAt = (store: EventStore, last: number): EventStore => {
  let calls = 0
  const orDie =
    <P extends readonly unknown[], A>(call: (...given: P) => Promise<A>) =>
    async (...given: P): Promise<A> => {
      if (++calls > last) throw new StoreUnavailable('gone')
      return call(...given)
    }
  const { readSecrets, secretsSealedWith, exchangeSecrets } = store
  return {
    ...store,
    readSecrets: orDie(readSecrets),
    secretsSealedWith: orDie(secretsSealedWith),
    exchangeSecrets: orDie(exchangeSecrets),
  }
}

test('wherever a rotation is interrupted, every secret stays readable and the next run finishes it', async (t) => {
  const { store, suts, both, next, vault } = await rotated(t)
  const day = NOW + 25 * HOUR
  let breaks = 0
  for (let last = 0; ; last++) {
    try {
      await reseal(resealing(dyingAt(store, last), vault, day))
      break
    } catch (error) {
      t.true(error instanceof StoreUnavailable)
      breaks++
    }
    for (const [i, sut] of suts.entries()) t.is(await passwordOf(store, both, sut), `password ${i}`)
    rightOf(await makeVault({ store, keys: both, clock: () => day, randomBytes: () => new Uint8Array(12) }).check())
  }
  t.true(breaks > 5)
  for (const [i, sut] of suts.entries()) t.is(await passwordOf(store, next, sut), `password ${i}`)
  t.deepEqual(
    (await keyNeeds(store, 'new', day)).map(({ id }) => id),
    ['new'],
  )
})

test('an unreadable secret is reported without its contents, keeps its key needed and does not stop others', async (t) => {
  const { store, suts, vault } = await rotated(t)
  const [broken] = suts
  const [secret] = await store.readSecrets(broken as string)
  if (secret === undefined) return t.fail()
  const ciphertext = Uint8Array.from(secret.ciphertext, (byte) => byte ^ 1)
  await store.writeSecrets([{ ...secret, ciphertext }])
  const resealed = await reseal(resealing(store, vault, NOW + 48 * HOUR))
  t.is(resealed.secrets, 49)
  t.deepEqual(resealed.freed, [])
  t.deepEqual(resealed.unreadable, [
    `the password of the SUT ${broken}: it was not sealed here with the key "old", or it was altered`,
  ])
  t.is((await keyNeeds(store, 'new', NOW + 48 * HOUR)).find(({ id }) => id === 'old')?.secrets, 1)
})

/** The vault of a running service, over a store that fails at first. */
const inBackground = async (t: ExecutionContext, failures: number, times: VaultKeeping['times']) => {
  const { store, vault } = await rotated(t)
  const lines: string[] = []
  let looks = 0
  const failing: EventStore = {
    ...store,
    secretsSealedWith: async (...asked) => {
      if (asked[1] === undefined && ++looks <= failures) throw new StoreUnavailable('away')
      return store.secretsSealedWith(...asked)
    },
  }
  const write = (_: object, sentence: string): void => void lines.push(sentence)
  const end = keepVault({
    ...resealing(failing, vault),
    ...{ file: undefined, times: { poll: 1, reseal: 1e9, retry: 1e9, ...times } },
    ...{ log: { info: write, warn: write, error: write }, alarms: { raise: t.fail, clear: t.fail } },
  })
  t.teardown(end)
  return { lines, looks: () => looks }
}

const RESEALED = 'secrets re-encrypted with the current vault key'

test('a running service looks for secrets of old keys again and again', async (t) => {
  const { lines, looks } = await inBackground(t, 0, { reseal: 1 })
  await until('three looks', async () => looks() > 2, 5_000)
  t.deepEqual(lines, [RESEALED])
})

test('a re-encryption that failed is tried again', async (t) => {
  const { lines } = await inBackground(t, 2, { retry: 1 })
  await until('the re-encryption', async () => lines.includes(RESEALED), 5_000)
  const failed = 're-encrypting secrets failed; retrying'
  t.deepEqual(lines, [failed, failed, RESEALED])
})

test('a key file is read again, without an alarm, while the store cannot be read', async (t) => {
  const store = await aStore(t)
  const vault = await vaultOver(store, ringOf('a'))
  const file = join(await temporaryData(t), 'vault.key')
  await writeFile(file, `k1:${randomBytes(32).toString('base64')}\n`)
  let attempts = 0
  let keys = vault.keys()
  const take = async (ring: KeyRing) => {
    if (++attempts < 4) throw new StoreUnavailable('the store does not answer')
    keys = ring
    return E.right(undefined)
  }
  const end = keepVault({
    ...{ ...resealing(store, vault), file, vault: { keys: () => keys, take }, times: { poll: 1 } },
    ...{
      log: { info: () => undefined, warn: () => t.fail(), error: () => t.fail() },
      alarms: { raise: t.fail, clear: t.fail },
    },
  })
  await until('the keys are taken', async () => attempts > 3, 10_000)
  await end()
  t.is(attempts, 4)
})
