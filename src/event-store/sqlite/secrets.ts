import type { DatabaseSync } from 'node:sqlite'
import * as E from 'fp-ts/lib/Either.js'
import type { SealedSecret } from '../../domain/sealed-secret.ts'
import type { WalCheckpoints } from '../../files/wal-checkpoints.ts'
import { type EventStore, type SecretExchange, StoreUnavailable } from '../event-store.ts'
import { withReadErrors } from './read.ts'
import type { Sync } from './sync.ts'
import type { Transactions } from './transaction.ts'

// The column of the owner is `sut_id`: at first only SUTs had secrets.

/** Writes secrets, inside a transaction. */
export interface SecretWriter {
  readonly put: (secrets: readonly SealedSecret[]) => void
  readonly exchange: (exchanges: readonly SecretExchange[]) => void
}

export const makeSecretWriter = (database: DatabaseSync): SecretWriter => {
  const put = database.prepare(`
    INSERT INTO vault (sut_id, field, id, key_id, nonce, ciphertext) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (sut_id, field) DO UPDATE SET
      id = excluded.id, key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext
  `)
  const standing = 'WHERE sut_id = ? AND field = ? AND id = ? AND key_id = ?'
  const replace = database.prepare(`UPDATE vault SET id = ?, key_id = ?, nonce = ?, ciphertext = ? ${standing}`)
  const remove = database.prepare(`DELETE FROM vault ${standing}`)
  return {
    put: (secrets) => {
      for (const { owner, field, id, key_id, nonce, ciphertext } of secrets) {
        put.run(owner, field, id, key_id, nonce, ciphertext)
      }
    },
    exchange: (exchanges) => {
      for (const { old, next } of exchanges) {
        const place = [old.owner, old.field, old.id, old.key_id] as const
        if (next === undefined) remove.run(...place)
        else replace.run(next.id, next.key_id, next.nonce, next.ciphertext, ...place)
      }
    },
  }
}

/** Changes secrets outside of appends. */
export const makeSecretWrites =
  (
    { run, inSavepoint }: Transactions,
    takesWrites: () => boolean,
    sync: Sync | undefined,
    journal: WalCheckpoints | undefined,
  ) =>
  async (change: () => void): Promise<void> => {
    for (let blocked = journal?.inProgress(); blocked !== undefined; blocked = journal?.inProgress()) await blocked
    const written = takesWrites() ? run(() => inSavepoint(change)) : E.left('unavailable' as const)
    if (E.isLeft(written)) throw new StoreUnavailable(`the secrets cannot be stored: ${written.left}`)
    if (E.isLeft(written.right)) throw written.right.left
    await sync?.begin()
  }

/** Reads secrets. @throws StoreUnavailable */
export const makeSecretReader = (database: DatabaseSync): Pick<EventStore, 'readSecrets' | 'secretsSealedWith'> => {
  const secret = 'SELECT sut_id AS owner, field, id, key_id, nonce, ciphertext FROM vault'
  const secrets = database.prepare(`${secret} WHERE sut_id = ? ORDER BY field`)
  const sealedWith = database.prepare(
    `${secret} WHERE key_id = ? AND (sut_id, field) > (?, ?) ORDER BY sut_id, field LIMIT ?`,
  )
  const secretsIn = (rows: readonly object[]): readonly SealedSecret[] =>
    rows.map((row) => ({ ...row }) as unknown as SealedSecret)
  return {
    readSecrets: async (owner) => secretsIn(withReadErrors(() => secrets.all(owner))),
    secretsSealedWith: async (keyId, after, limit) =>
      secretsIn(withReadErrors(() => sealedWith.all(keyId, after?.owner ?? '', after?.field ?? '', limit))),
  }
}
