import { execFileSync } from 'node:child_process'
import { hash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import { type SealedSecret, userOwner } from '../../../src/domain/sealed-secret.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { append, aStream, outcomeOf, randomHex, someEvents } from '../new-events.ts'
import { aPath, openStore } from './subject.ts'

const FIELDS = ['epoch', 'name', 'password']
const OWNERS = 200
/** Owners erased. */
const GONE = 40

const number = (seed: string): number => Number.parseInt(hash('sha256', seed).slice(0, 8), 16)

/** The secrets of one owner. Sizes depend on the seed alone, so that rows are moved between pages in the same way. */
const secretsOf = (owner: string, seed: string): readonly SealedSecret[] =>
  FIELDS.map((field) => ({
    owner,
    field,
    id: randomHex(12),
    key_id: 'k1',
    nonce: randomBytes(12),
    ciphertext: randomBytes(32 + (number(`${seed} ${field}`) % (field === 'password' ? 120 : 40))),
  }))

/** Not read by this process: closing a file drops the locks that SQLite has on it. */
const bytesOf = (path: string, ...suffixes: readonly string[]): Buffer => {
  const files = suffixes.map((suffix) => path + suffix).filter((file) => existsSync(file))
  return execFileSync('cat', files, { maxBuffer: 2 ** 26 })
}

/** How many of the secrets have their beginning or their end in the files. */
const countIn = (path: string, secrets: readonly SealedSecret[]): number => {
  const bytes = bytesOf(path, '', '-wal', '-shm')
  const parts = ({ nonce, ciphertext }: SealedSecret) => [nonce, ciphertext.subarray(0, 16), ciphertext.subarray(-16)]
  return secrets.filter((secret) => parts(secret).some((part) => bytes.includes(part))).length
}

/** A log in which secrets come, change and go, one owner after the other. Returns those that are gone. */
const liveOn = async (store: EventStore, seed: string, erase: (owner: string) => Promise<void>) => {
  const ever = new Map<string, SealedSecret[]>()
  const write = async (owner: string, n: number): Promise<void> => {
    const secrets = secretsOf(owner, `${seed} ${owner} ${n}`)
    ever.set(owner, [...(ever.get(owner) ?? []), ...secrets])
    await store.writeSecrets(secrets)
  }
  const ownerOf = (n: number): string => userOwner(hash('sha256', `${seed} ${n}`).slice(0, 12))
  for (let n = 0; n < OWNERS; n++) await write(ownerOf(n), 0)
  for (let n = 0; n < OWNERS; n++) await write(ownerOf(number(`${seed} change ${n}`) % OWNERS), 1)
  const gone = new Set<string>()
  for (let n = 0; gone.size < GONE; n++) {
    const owner = ownerOf(number(`${seed} end ${n}`) % OWNERS)
    if (gone.has(owner)) continue
    gone.add(owner)
    await erase(owner)
    await write(ownerOf(OWNERS + n), 0)
  }
  return {
    gone: [...gone].flatMap((owner) => ever.get(owner) ?? []),
    kept: [...ever].filter(([owner]) => !gone.has(owner)),
  }
}

const removeEach = (store: EventStore) => async (owner: string) =>
  store.exchangeSecrets((await store.readSecrets(owner)).map((old) => ({ old })))

/** With this one SQLite leaves a copy of a deleted row in the free space of a page. */
const SEED = 14

for (const isSyncDeferred of [true, false]) {
  const how = isSyncDeferred ? 'in a running service' : 'without deferred fsync'
  test(`${how}, erased secrets are in no file of the log; the others are as they were`, async (t) => {
    const path = await aPath(t)
    const store = openStore(t, path, { isSyncDeferred })
    const { gone, kept } = await liveOn(store, `seed ${SEED}`, store.eraseSecrets)
    t.true(gone.length >= GONE * FIELDS.length)
    t.is(countIn(path, gone), 0)
    for (const [owner, secrets] of kept) {
      const current = secrets.slice(-FIELDS.length)
      t.deepEqual(
        await store.readSecrets(owner),
        current.map((secret) => ({
          ...secret,
          nonce: new Uint8Array(secret.nonce),
          ciphertext: new Uint8Array(secret.ciphertext),
        })),
      )
    }
  })
}

test('secrets deleted by a process that died before it was done are removed by the next erasure', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path)
  const { gone } = await liveOn(store, `seed ${SEED}`, removeEach(store))
  await store.close()
  t.true(countIn(path, gone) > 0)
  const next = openStore(t, path, { isSyncDeferred: true })
  await next.eraseSecrets('user:nobody')
  t.is(countIn(path, gone), 0)
})

test('after a restart an erasure with nothing to delete writes nothing, unless one was not finished', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path, { isSyncDeferred: true })
  await store.writeSecrets(secretsOf('user:ann', 'a'))
  await store.eraseSecrets('user:ann')
  await store.close()
  const next = openStore(t, path, { isSyncDeferred: true })
  const written = () => bytesOf(path, '', '-wal')
  const before = written()
  await next.eraseSecrets('user:ann')
  t.true(written().equals(before))
  const secrets = secretsOf('user:bob', 'b')
  await next.writeSecrets(secrets)
  await removeEach(next)('user:bob')
  await next.close()
  const last = openStore(t, path, { isSyncDeferred: true })
  await last.eraseSecrets('user:nobody')
  t.is(countIn(path, secrets), 0)
})

test('appends and reads go on while secrets are erased, and many erasures share their work', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path, { isSyncDeferred: true })
  const owners = Array.from({ length: 300 }, (_, n) => userOwner(`${n}`))
  const all = owners.flatMap((owner) => secretsOf(owner, owner))
  await store.writeSecrets(all)
  let [isOver, turns] = [false, 0]
  const erased = Promise.all(owners.slice(1).map(store.eraseSecrets)).finally(() => {
    isOver = true
  })
  const appended = Array.from({ length: 20 }, () => {
    const stream = aStream()
    return append(store, stream, -1, someEvents(stream, 1))
  })
  while (!isOver) {
    t.is((await store.readSecrets('user:0')).length, FIELDS.length)
    turns++
    await turn()
  }
  await erased
  t.true(turns > 1, 'this thread was not blocked')
  t.deepEqual((await Promise.all(appended)).map(outcomeOf), Array(20).fill('done'))
  t.is(countIn(path, all), FIELDS.length)
})

test('an erasure waits for readers of the log in other processes', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path, { isSyncDeferred: true })
  const secrets = secretsOf('user:ann', 'a')
  await store.writeSecrets(secrets)
  const reader = new DatabaseSync(path, { readOnly: true })
  reader.exec('BEGIN')
  t.is(reader.prepare('SELECT count(*) AS n FROM vault').get()?.n, FIELDS.length)
  let isErased = false
  const erased = store.eraseSecrets('user:ann').then(() => {
    isErased = true
  })
  while ((await store.readSecrets('user:ann')).length > 0) await turn()
  const stream = aStream()
  t.is(outcomeOf(await append(store, stream, -1, someEvents(stream, 1))), 'done')
  t.false(isErased)
  reader.close()
  await erased
  t.is(countIn(path, secrets), 0)
})

test('an erasure that a reader or a writer holds up for too long fails, and succeeds when repeated', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path, { isSyncDeferred: true, limits: { eraseTimeout: 100 } })
  const secrets = secretsOf('user:ann', 'a')
  await store.writeSecrets(secrets)
  const reader = new DatabaseSync(path, { readOnly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM vault').get()
  const erase = () => store.eraseSecrets('user:ann')
  await t.throwsAsync(erase, { name: 'StoreUnavailable', message: /reads the log/ })
  reader.close()
  const writer = new DatabaseSync(path)
  writer.exec('BEGIN IMMEDIATE')
  await t.throwsAsync(erase, { name: 'StoreUnavailable', message: /another process writes the log/ })
  writer.close()
  await erase()
  t.is(countIn(path, secrets), 0)
})

test('a store that is closed or read-only erases nothing', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path, { isSyncDeferred: true })
  const secrets = secretsOf('user:ann', 'a')
  await store.writeSecrets(secrets)
  const reader = openStore(t, path, { readOnly: true })
  await t.throwsAsync(reader.eraseSecrets('user:ann'), { name: 'StoreUnavailable' })
  t.is((await reader.readSecrets('user:ann')).length, FIELDS.length)
  const [erasing] = await Promise.allSettled([store.eraseSecrets('user:ann'), store.close()])
  await t.throwsAsync(store.eraseSecrets('user:ann'))
  await reader.close()
  const again = openStore(t, path, { isSyncDeferred: true })
  if (erasing.status === 'rejected') await again.eraseSecrets('user:ann')
  t.is(countIn(path, secrets), 0)
})
