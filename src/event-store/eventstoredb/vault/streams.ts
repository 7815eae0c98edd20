import { randomUUID } from 'node:crypto'
import { type AppendExpectedRevision, jsonEvent } from '@eventstore/db-client'
import * as E from 'fp-ts/lib/Either.js'
import { StoreUnavailable } from '../../event-store.ts'
import type { StoreConnection } from '../server/connection.ts'
import { faultOf } from '../server/faults.ts'
import type { ReadPage } from '../server/read.ts'
import { makeCauses } from './causes.ts'
import { VAULT_PREFIX, VaultEntries, type VaultEntry } from './entry.ts'

const TYPE = 'SecretsSealed'
const PAGE = 256
/** How long a write is retried, and the timeout of one attempt. */
const WRITE_TIMEOUT_MS = 8_000
const ATTEMPT_TIMEOUT_MS = 3_000
/** Attempts at a deletion under concurrent changes. */
const ATTEMPTS_MAX = 8

/** The content of an owner's vault stream. */
export interface VaultStream {
  readonly revision: number
  /** The current entry of each field: that of the latest event, and among those the last written. */
  readonly current: ReadonlyMap<string, VaultEntry>
}

export const makeReadVaultStream = (readPage: ReadPage) => {
  const isInLog = makeCauses(readPage)
  return async (owner: string): Promise<VaultStream> => {
    const entries: VaultEntry[] = []
    let revision = -1
    for (let isEnd = false; !isEnd; ) {
      const page = (await readPage(VAULT_PREFIX + owner, revision + 1, PAGE)) ?? []
      for (const event of page) {
        const decoded = VaultEntries.decode(event.data)
        if (E.isLeft(decoded)) throw new StoreUnavailable(`${VAULT_PREFIX}${owner}@${event.revision} cannot be read`)
        entries.push(...decoded.right.secrets)
        revision = Number(event.revision)
      }
      isEnd = page.length < PAGE
    }
    const current = new Map<string, VaultEntry>()
    for (const [field, own] of Map.groupBy(entries, (entry) => entry.field)) {
      const latestFirst = own.toReversed().toSorted((a, b) => (b.cause?.revision ?? -1) - (a.cause?.revision ?? -1))
      for (const entry of latestFirst) {
        if (!(await isInLog(owner, entry.cause))) continue
        current.set(field, entry)
        break
      }
    }
    return { revision, current }
  }
}

export const makeVaultWrites = (connection: StoreConnection, readPage: ReadPage) => {
  const { prefix } = connection

  const append = (
    owner: string,
    entries: readonly VaultEntry[],
    expectedRevision: AppendExpectedRevision,
    id: string,
  ) => {
    const event = jsonEvent({ id, type: TYPE, data: { secrets: entries } })
    return connection.persist(WRITE_TIMEOUT_MS, (client) =>
      client.append(prefix + VAULT_PREFIX + owner, event, expectedRevision, ATTEMPT_TIMEOUT_MS),
    )
  }

  return {
    append,
    /**
     * Deletes the stream. A scavenge keeps the last event of a deleted stream, so that one has no secrets. A tombstone
     * would refuse all later appends.
     */
    erase: async (owner: string): Promise<void> => {
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        if ((await readPage(VAULT_PREFIX + owner, 0, 1)) === undefined) return
        const { nextExpectedRevision: expectedRevision } = await append(owner, [], 'any', randomUUID())
        const options = { expectedRevision, deadline: ATTEMPT_TIMEOUT_MS, requiresLeader: true }
        try {
          await connection.persist(WRITE_TIMEOUT_MS, (client) =>
            client.deleteStream(prefix + VAULT_PREFIX + owner, options),
          )
          return
        } catch (error) {
          if (faultOf(error) !== 'moved') throw error
        }
      }
      throw new StoreUnavailable('the secrets cannot be deleted: too many concurrent changes')
    },
  }
}
