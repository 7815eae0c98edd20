import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { projections } from '../projections/index.ts'
import { makeInFlight } from './commands/in-flight.ts'
import { keepSwept, makeSweep } from './commands/listen-ports.ts'
import { makeRetryKeys } from './commands/retry-key.ts'
import { makeRunner } from './commands/runner.ts'
import type { Config } from './config.ts'
import { makeEventId, type RandomHex } from './domain/ids.ts'
import { BEGINNING, type EventStore } from './event-store/event-store.ts'
import { openSqliteStore } from './event-store/sqlite.ts'
import { makeApp } from './http/app.ts'
import { type Listening, listen, type Patience } from './http/listen.ts'
import { makeObjects } from './http/objects.ts'
import { makeRepeated } from './http/repeated.ts'
import { makeReservationHandlers } from './http/reservations.ts'
import { routes } from './http/routes.ts'
import { makeSutHandlers } from './http/suts.ts'
import { acquireLock, type Lock } from './lock.ts'
import { pooledHex } from './random.ts'
import { openViews, type Views } from './read-models/views.ts'
import { makeAuthenticator } from './users/authenticate.ts'
import { type FirstAdministrator, openOrMakeUsers } from './users/first-administrator.ts'
import type { Users } from './users/users.ts'
import type { KeyRing } from './vault/keys.ts'
import { openKeyRing } from './vault/open-key-ring.ts'
import { makeVault, type Vault } from './vault/vault.ts'

/** Milliseconds that requests under way are given when the service stops. */
const STOP_WITHIN = 10_000

/** What the service takes from the world around it: nothing else reads a clock or draws random bits. */
export interface World {
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomBytes: (size: number) => Uint8Array
  /** The random bits of ids; drawn from `randomBytes` unless given. */
  readonly randomHex?: RandomHex
  readonly log: Log
  /** The service cannot go on and is no longer ready; the process had better end. */
  readonly onFatal: (error: unknown) => void
  /** Opens the store that the configuration names, unless another is given. */
  readonly openStore?: (randomHex: RandomHex, onFatal: (error: unknown) => void) => EventStore
  /** How long clients are waited for, unless as http/listen.ts has it. */
  readonly patience?: Patience
}

/** As pino logs: facts first, then a sentence. */
export type Log = Record<'info' | 'warn' | 'error', (facts: object, sentence: string) => void>

export interface Service {
  readonly host: string
  readonly port: number
  /** The administrator made at this start, if it was the first. */
  readonly firstAdministrator: FirstAdministrator | undefined
  /** Answers requests under way, writes what is pending and closes every file. */
  readonly stop: () => Promise<void>
}

/** Why the service cannot start with this configuration; every problem at once. */
export class Misconfigured extends Error {
  override name = 'Misconfigured'
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}

const orMisconfigured = <A>(read: E.Either<readonly string[], A>): A => {
  if (E.isLeft(read)) throw new Misconfigured(read.left)
  return read.right
}

interface Parts {
  readonly store: EventStore
  readonly views: Views
  readonly users: Users
  readonly vault: Vault
  readonly keys: KeyRing
  readonly isFailed: () => boolean
  readonly isStopping: () => boolean
  /** What has been opened, to be closed in the opposite order. */
  readonly opened: (() => Promise<void> | void)[]
}

/** Puts the parts together and listens. */
const serve = async (config: Config, world: World, randomHex: RandomHex, parts: Parts): Promise<Listening> => {
  const { store, views, users, vault, keys, isFailed, isStopping, opened } = parts
  const { clock, randomBytes, log } = world
  const snapshots = { read: views.readSnapshot, keep: views.keepSnapshot }
  const runner = makeRunner({ store, clock, randomHex, snapshots })
  const objects = makeObjects(views, store)
  const isOpen = (): boolean => views.caughtUp() && !isFailed()
  const handlers = {
    reservations: makeReservationHandlers({ runner, objects, users, limits: config.limits, randomHex }),
    suts: makeSutHandlers({ runner, objects, vault, range: config.listenPorts, randomHex }),
    isReady: () => isOpen() && !isStopping(),
  }
  const app = makeApp({
    routes: routes(handlers),
    authenticator: makeAuthenticator({ users, randomBytes }),
    retryKeys: makeRetryKeys(keys),
    inFlight: makeInFlight(),
    repeated: makeRepeated(views),
    views,
    isOpen,
    clock,
    randomHex,
    onError: (error, requestId) => log.error({ err: error, request_id: requestId }, 'a request failed'),
  })
  const sweep = makeSweep({
    runner,
    clock,
    standingOf: (id) => {
      const version = views.newest('sut', id)
      return version && (version.ended === 'retired' ? 'retired' : 'standing')
    },
    makeRequestId: () => makeEventId(clock(), randomHex(10)),
  })
  const swept = keepSwept(sweep, isOpen, (error) => log.error({ err: error }, 'a sweep failed'))
  opened.push(swept.stop)
  return listen(app.callback(), { host: config.host, port: config.port, clock, randomHex, patience: world.patience })
}

/**
 * Starts the service: the only place that picks an adapter, a clock and randomness.
 *
 * @throws Misconfigured naming every problem; LockTaken when another process has the data or the log
 */
export const startService = async (config: Config, world: World): Promise<Service> => {
  const { log } = world
  const randomHex = world.randomHex ?? pooledHex(world.randomBytes)
  /** What has been opened, to be closed in the opposite order. */
  const opened: (() => Promise<void> | void)[] = []
  const closeAll = async (): Promise<void> => {
    for (let close = opened.pop(); close !== undefined; close = opened.pop()) await close()
  }
  let failed = false
  let stopping = false
  const onFatal = (error: unknown): void => {
    if (failed) return
    failed = true
    world.onFatal(error)
  }
  try {
    await mkdir(config.data, { recursive: true, mode: 0o700 })
    const lock: Lock = acquireLock(join(config.data, 'berth.lock'))
    opened.push(lock.release)
    const openStore = world.openStore ?? (() => openSqliteStore({ path: config.eventStore.path, randomHex, onFatal }))
    const store = openStore(randomHex, onFatal)
    opened.push(store.close)
    const isNew = (await store.head()) === BEGINNING
    const keys = orMisconfigured(await openKeyRing(config, world, store, isNew))
    const vault = makeVault({ store, keys, randomBytes: world.randomBytes })
    orMisconfigured(await vault.check())
    const { users, firstAdministrator } = orMisconfigured(await openOrMakeUsers(config, world, isNew))
    opened.push(users.close)
    const views = await openViews({
      path: join(config.data, 'views.db'),
      store,
      projections,
      onAlarm: (what, error) => log.error({ err: error, alarm: what }, what),
      onRecovery: (what) => log.info({}, what),
      onFatal,
    })
    opened.push(views.close)
    const listening = await serve(config, world, randomHex, {
      store,
      views,
      users,
      vault,
      keys,
      isFailed: () => failed,
      isStopping: () => stopping,
      opened,
    })
    opened.push(() => listening.close(STOP_WITHIN))
    const stop = (): Promise<void> => {
      stopping = true
      return closeAll()
    }
    return { host: listening.host, port: listening.port, firstAdministrator, stop }
  } catch (error) {
    await closeAll()
    throw error
  }
}
