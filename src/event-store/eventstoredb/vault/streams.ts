import { type AppendExpectedRevision, jsonEvent } from '@eventstore/db-client'
import * as E from 'fp-ts/lib/Either.js'
import { sutStream } from '../../../domain/values/ids.ts'
import { StoreUnavailable } from '../../event-store.ts'
import type { Connection } from '../server/connection.ts'
import type { ReadPage } from '../server/read.ts'
import { type Cause, Entries, type Entry, VAULT_PREFIX } from './entry.ts'

const TYPE = 'SecretsSealed'
const PAGE = 256
/** Milliseconds to retry a write, and the timeout of one attempt. */
const WRITE_WITHIN = 8_000
const ATTEMPT_WITHIN = 3_000

/** The content of a SUT's vault stream. */
export interface VaultStream {
  readonly revision: number
  /** The current entry of each field: that of the latest event, and among those the last written. */
  readonly current: ReadonlyMap<string, Entry>
}

export const makeVaultStreams = (connection: Connection, readPage: ReadPage) => {
  const read = async (owner: string): Promise<{ revision: number; entries: readonly Entry[] }> => {
    const entries: Entry[] = []
    let revision = -1
    for (;;) {
      const page = (await readPage(VAULT_PREFIX + owner, revision + 1, PAGE)) ?? []
      for (const event of page) {
        const decoded = Entries.decode(event.data)
        if (E.isLeft(decoded)) throw new StoreUnavailable(`${VAULT_PREFIX}${owner}@${event.revision} cannot be read`)
        entries.push(...decoded.right.secrets)
        revision = Number(event.revision)
      }
      if (page.length < PAGE) return { revision, entries }
    }
  }

  const isInLog = async (owner: string, cause: Cause): Promise<boolean> => {
    if (cause === null) return true
    const [event] = (await readPage(sutStream(owner), cause.revision, 1)) ?? []
    return event?.id === cause.id
  }

  const append = (owner: string, entries: readonly Entry[], expectedRevision: AppendExpectedRevision, id: string) =>
    connection.persist(WRITE_WITHIN, (client) =>
      client.appendToStream(
        connection.prefix + VAULT_PREFIX + owner,
        jsonEvent({ id, type: TYPE, data: { secrets: entries } }),
        {
          expectedRevision,
          credentials: connection.credentials,
          deadline: ATTEMPT_WITHIN,
          requiresLeader: true,
        },
      ),
    )

  return {
    append,
    readVaultStream: async (owner: string): Promise<VaultStream> => {
      const { revision, entries } = await read(owner)
      const current = new Map<string, Entry>()
      for (const field of new Set(entries.map((entry) => entry.field))) {
        const latestFirst = entries
          .filter((entry) => entry.field === field)
          .reverse()
          .toSorted((a, b) => (b.cause?.revision ?? -1) - (a.cause?.revision ?? -1))
        for (const entry of latestFirst) {
          if (!(await isInLog(owner, entry.cause))) continue
          current.set(field, entry)
          break
        }
      }
      return { revision, current }
    },
  }
}
