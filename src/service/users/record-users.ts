import * as E from 'fp-ts/lib/Either.js'
import type { ClockGuard } from '../../commands/clock/guard.ts'
import { BERTH } from '../../commands/listen-ports.ts'
import { makeEvents } from '../../commands/order.ts'
import type { DataOf } from '../../domain/event.ts'
import { EPOCH_BYTES, type Quota } from '../../domain/events/user.ts'
import type { SealedSecret } from '../../domain/sealed-secret.ts'
import { makeEventId, type RandomHex, USERS_STREAM } from '../../domain/values/ids.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import { type EventStore, NO_STREAM, StoreUnavailable } from '../../event-store/event-store.ts'
import type { Users } from '../../users/users.ts'
import type { UserRecord } from '../../users/users-file.ts'
import type { Vault } from '../../vault/vault.ts'
import type { Config } from '../config/config.ts'

export interface RecordOptions {
  readonly config: Config
  readonly world: {
    readonly clock: () => number
    readonly randomBytes: (size: number) => Uint8Array
    readonly log: Record<'info' | 'warn', (facts: object, sentence: string) => void>
  }
  readonly randomHex: RandomHex
  readonly store: EventStore
  readonly guard: ClockGuard
  readonly users: Users
  readonly vault: Pick<Vault, 'sealUser'>
}

/** Imported testers were never limited. */
const UNLIMITED: Quota = { hours_per_week: null, reservations_max: null, priority_max: null }

/** A clock that is ahead is not recorded: the time of the log's last event is. */
const timeOfRecord = async ({ world, guard, store }: RecordOptions): Promise<number> => {
  const now = world.clock()
  const last = guard.isAhead(now) ? await store.at(await store.head()) : undefined
  return last === undefined ? now : epochMillisecondsOf(last.metadata.time)
}

/**
 * Records the first users, all at once, unless another instance has. True if it was this one.
 *
 * @throws StoreUnavailable
 */
export const recordUsers = async (options: RecordOptions, records: readonly UserRecord[]): Promise<boolean> => {
  const { randomHex, store, users, vault } = options
  const secrets: SealedSecret[] = []
  const added: DataOf<'UserAdded'>[] = []
  for (const { _id, name, role, password } of records) {
    const sealed = vault.sealUser(_id, { name, password, epoch: randomHex(EPOCH_BYTES) })
    secrets.push(...sealed.secrets)
    added.push({ _id, role, credentials: sealed.credentials, ...(role === 'tester' && { quota: UNLIMITED }) })
  }
  const now = await timeOfRecord(options)
  const order = { command: undefined, actor: BERTH, requestId: makeEventId(now, randomHex(10)) }
  const events = makeEvents(
    added.map((data) => ({ type: 'UserAdded', data })),
    order,
    now,
    randomHex,
  )
  const appended = await store.append(USERS_STREAM, NO_STREAM, events, secrets)()
  if (E.isLeft(appended) && appended.left !== 'moved')
    throw new StoreUnavailable(
      `the first users cannot be recorded: ${appended.left === 'full' ? 'the event store is full' : appended.left}`,
    )
  await users.refresh()
  return E.isRight(appended)
}
