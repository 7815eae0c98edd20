import { generateKeyPairSync, randomBytes } from 'node:crypto'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { isSameKey, readKnownKey, saveKnownKey } from '../../src/audit/known-audit-key.ts'
import { verifierOf } from '../../src/audit/signed-note.ts'
import type { SealedSecret } from '../../src/domain/sealed-secret.ts'
import { rightOf } from '../users/builders.ts'
import { makeStore } from '../vault/memory-store.ts'

const signer = { name: 'berth', privateKey: generateKeyPairSync('ed25519').privateKey }

/** The row of a remembered key. */
const remembered = async (): Promise<SealedSecret> => {
  const store = makeStore()
  await saveKnownKey(store, signer, 0, randomBytes)
  return [...store.kept.values()][0] as SealedSecret
}

const read = (...rows: readonly SealedSecret[]) => readKnownKey({ readSecrets: async () => rows })

test('a remembered audit key is read, and none is none', async (t) => {
  const known = rightOf(await read(await remembered()))
  t.true(known !== undefined && isSameKey(known, verifierOf(signer)))
  t.is(rightOf(await read()), undefined)
})

test('a row of the audit key that was changed anywhere is damaged, and never "none"', async (t) => {
  const row = await remembered()
  for (let bit = 0; bit < row.ciphertext.length * 8; bit++) {
    const ciphertext = Uint8Array.from(row.ciphertext)
    ciphertext[bit >> 3] = (ciphertext[bit >> 3] as number) ^ (1 << (bit & 7))
    const found = await read({ ...row, ciphertext })
    t.true(E.isLeft(found), `bit ${bit}`)
  }
  const others = [{ field: 'signet' }, { key_id: 'audit kez' }, { nonce: new Uint8Array(12) }]
  for (const other of others) t.true(E.isLeft(await read({ ...row, ...other })), Object.keys(other).join())
  t.true(E.isLeft(await read(row, { ...row, field: 'other' })), 'two rows')
})
