import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { SealedSecret } from '../../domain/sealed-secret.ts'
import { prepare, readRow } from '../../files/sqlite.ts'
import { runScript, truncateWal, type WalCheckpoints } from '../../files/wal-checkpoints.ts'
import { type SecretExchange, type SecretStore, StoreUnavailable } from '../event-store.ts'
import { type RunRead, withReadErrors } from './read.ts'
import type { Sync } from './sync.ts'
import type { Transactions } from './transaction.ts'

// The column of the owner is `sut_id`: at first only SUTs had secrets.

type SecretWriter = ReturnType<typeof makeSecretWriter>

/** Writes secrets, inside a transaction. */
export const makeSecretWriter = (database: DatabaseSync) => {
  const put = database.prepare(`
    INSERT INTO vault (sut_id, field, id, key_id, nonce, ciphertext) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (sut_id, field) DO UPDATE SET
      id = excluded.id, key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext
  `)
  const thisSecret = 'WHERE sut_id = ? AND field = ? AND id = ? AND key_id = ?'
  const replace = database.prepare(`UPDATE vault SET id = ?, key_id = ?, nonce = ?, ciphertext = ? ${thisSecret}`)
  const remove = database.prepare(`DELETE FROM vault ${thisSecret}`)
  const erase = database.prepare('DELETE FROM vault WHERE sut_id = ?')
  // Absent while the files may contain deleted secrets, also after a crash.
  const mark = database.prepare("INSERT OR REPLACE INTO meta VALUES ('scrubbed', '')")
  const unmark = database.prepare("DELETE FROM meta WHERE name = 'scrubbed'")
  return {
    put: (secrets: readonly SealedSecret[]): void => {
      for (const { owner, field, id, key_id, nonce, ciphertext } of secrets) {
        put.run(owner, field, id, key_id, nonce, ciphertext)
      }
    },
    exchange: (exchanges: readonly SecretExchange[]): void => {
      for (const { old, next } of exchanges) {
        const place = [old.owner, old.field, old.id, old.key_id] as const
        if (next === undefined) {
          remove.run(...place)
          unmark.run()
        } else replace.run(next.id, next.key_id, next.nonce, next.ciphertext, ...place)
      }
    },
    /** Whether there was anything to delete. */
    erase: (owner: string): boolean => {
      const hadAny = erase.run(owner).changes !== 0
      if (hadAny) unmark.run()
      return hadAny
    },
    /** Notes that the files contain no deleted secrets. */
    markScrubbed: (): void => void mark.run(),
  }
}

/** Between attempts to empty the WAL. */
const RETRY_DELAY_MS = 50

/**
 * Writes the table again into empty pages. SQLite overwrites a deleted row (`secure_delete`), but not the copies that
 * it leaves in the free space of a page when it moves rows to another one.
 */
const REWRITE = `
  PRAGMA secure_delete = 1;
  PRAGMA temp_store = MEMORY;
  BEGIN IMMEDIATE;
  CREATE TEMP TABLE kept AS SELECT * FROM vault;
  DELETE FROM vault;
  INSERT INTO vault SELECT * FROM temp.kept;
  DROP TABLE temp.kept;
  COMMIT`

/** Without a thread for WAL checkpoints, as in commands: waits for readers as long as `busyTimeout`. */
const onThisThread = (database: DatabaseSync): Pick<WalCheckpoints, 'run' | 'truncate'> => ({
  run: async (script) => runScript(database, script),
  truncate: async () => truncateWal(database),
})

interface SecretStoreOptions {
  readonly database: DatabaseSync
  readonly writer: SecretWriter
  readonly runRead: RunRead
  readonly transactions: Transactions
  readonly takesWrites: () => boolean
  readonly sync: Sync | undefined
  readonly checkpoints: WalCheckpoints | undefined
  /** Milliseconds to wait for readers of the WAL. */
  readonly eraseTimeout: number
}

type Write = (change: () => void) => Promise<void>

const makeSecretWrite =
  ({ transactions, takesWrites, sync, checkpoints }: SecretStoreOptions): Write =>
  async (change) => {
    for (let blocked = checkpoints?.inProgress(); blocked !== undefined; blocked = checkpoints?.inProgress())
      await blocked
    const written = takesWrites() ? transactions.run(change) : E.left('unavailable' as const)
    if (E.isLeft(written) && written.left instanceof Error) throw written.left
    if (E.isLeft(written)) throw new StoreUnavailable(`the secrets cannot be stored: ${written.left}`)
    await sync?.begin()
  }

const unscrubbed = (why: string): StoreUnavailable =>
  new StoreUnavailable(`the files may still contain deleted secrets: ${why}; try again`)

/** Deletes an owner's secrets, then removes what is left of them in the files, in the thread of the WAL checkpoints. */
const makeEraseSecrets = (options: SecretStoreOptions, write: Write): SecretStore['eraseSecrets'] => {
  const { database, writer, takesWrites, eraseTimeout, checkpoints = onThisThread(database) } = options
  const count = prepare<{ n: number }>(database, 'SELECT count(*) AS n FROM vault WHERE sut_id = ?')
  const marked = prepare<{ n: number }>(database, "SELECT count(*) AS n FROM meta WHERE name = 'scrubbed'")
  // The previous process may have ended between a deletion and its scrubbing.
  let deletions = withReadErrors(() => readRow(marked)).n === 0 ? 1 : 0
  let scrubbed = 0
  let inProgress: Promise<void> | undefined

  const persist = async (work: () => Promise<boolean>, obstacle: string): Promise<void> => {
    const until = performance.now() + eraseTimeout
    while (takesWrites()) {
      if (await work()) return
      if (performance.now() > until) throw unscrubbed(obstacle)
      await delay(RETRY_DELAY_MS)
    }
    throw unscrubbed('the log is closed')
  }

  const scrub = async (): Promise<void> => {
    const upTo = deletions
    await persist(() => checkpoints.run(REWRITE), 'another process writes the log, or the disk is full')
    await persist(checkpoints.truncate, 'another process reads the log, or the disk is full')
    scrubbed = upTo
    // If this fails, it is done once more after the next start.
    await write(() => {
      if (deletions === upTo) writer.markScrubbed()
    }).catch(() => undefined)
  }

  return async (owner) => {
    const { n } = withReadErrors(() => readRow(count, owner))
    if (n > 0) await write(() => void (writer.erase(owner) && deletions++))
    for (const wanted = deletions; scrubbed < wanted; ) {
      inProgress ??= scrub().finally(() => {
        inProgress = undefined
      })
      await inProgress
    }
  }
}

export const makeSecretStore = (options: SecretStoreOptions): SecretStore => {
  const { database, writer, runRead: run } = options
  const write = makeSecretWrite(options)
  const secret = 'SELECT sut_id AS owner, field, id, key_id, nonce, ciphertext FROM vault'
  const ofOwners = prepare<SealedSecret>(
    database,
    `${secret} WHERE sut_id IN (SELECT value FROM json_each(?)) ORDER BY sut_id, field`,
  )
  const sealedWith = prepare<SealedSecret>(
    database,
    `${secret} WHERE key_id = ? AND (sut_id, field) > (?, ?) ORDER BY sut_id, field LIMIT ?`,
  )
  const secretsIn = (rows: readonly SealedSecret[]): readonly SealedSecret[] => rows.map((row) => ({ ...row }))
  return {
    readSecrets: async (...owners) => secretsIn(run(() => ofOwners.all(JSON.stringify(owners)))),
    secretsSealedWith: async (keyId, after, limit) =>
      secretsIn(run(() => sealedWith.all(keyId, after?.owner ?? '', after?.field ?? '', limit))),
    writeSecrets: (secrets) => write(() => writer.put(secrets)),
    exchangeSecrets: (exchanges) => write(() => writer.exchange(exchanges)),
    eraseSecrets: makeEraseSecrets(options, write),
  }
}
