import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openAllUsers } from '../accounts/open-users.ts'
import type { Runner } from '../commands/command-envelope.ts'
import { makeIdempotencyKeys } from '../commands/idempotency-key.ts'
import { makeRunner } from '../commands/runner.ts'
import { makeInFlight } from '../commands/turns/in-flight.ts'
import { type EndBindings, makeEndBindings } from '../commands/users/end-reservations.ts'
import { eraseUser } from '../commands/users/removal-in-force.ts'
import type { Config } from '../config/config.ts'
import { CONTROL_SOCKET, openControlSocket, socketPathProblem } from '../control/socket.ts'
import { ExpectedError } from '../files/expected-error.ts'
import { makeApp } from '../http/app.ts'
import { usersQuery } from '../http/codecs/lists.ts'
import { newPasswordBody, userCreationBody } from '../http/codecs/users.ts'
import { getWithQuery, post, type Route } from '../http/protocol/route.ts'
import { makeObjects, type Objects } from '../http/response/objects.ts'
import { makeUserNames } from '../http/response/user-names.ts'
import { canServe } from '../http/routes/health.ts'
import { makeUserChanges } from '../http/routes/users/user-changes.ts'
import { makeUserReads } from '../http/routes/users/user-reads.ts'
import { makeReadUnfinished } from '../read-models/unfinished-reservations.ts'
import type { Views } from '../read-models/views.ts'
import { waitForHead } from '../read-models/wait-for-head.ts'
import type { Users } from '../users/users.ts'
import { conditionOf } from './condition.ts'
import { AS_COMMAND_LINE } from './control-handlers.ts'
import { type Core, makeOpening, type Opening, openCore, upgrade } from './open-core.ts'
import { openAllViews } from './open-views.ts'
import { makeLogUnavailable } from './reports.ts'
import type { Runtime } from './runtime.ts'

/** How long a new password waits for views that are behind, to end bindings which only they can find. */
const VIEWS_TIMEOUT_MS = 2_000

/** The views may be missing, old or of another log. Nothing is decided on their snapshots. */
const NO_SNAPSHOTS = {
  read: () => undefined,
  keep: () => undefined,
  readPage: () => undefined,
  dropUnwritten: () => undefined,
}

interface People {
  readonly views: Views
  readonly runner: Runner
  readonly users: Users
}

/** Opens the views, the command loop and the users. No administrator is made. */
const openPeople = async (config: Config, runtime: Runtime, opening: Opening, core: Core): Promise<People> => {
  const { alarms, randomHex, opened } = opening
  const { store, vault, guard, isShared } = core
  const views = await openAllViews(config, runtime, opening, core)
  opened.defer(views.close)
  const { clock } = runtime
  const runner = makeRunner({ store, clock, randomHex, snapshots: NO_SNAPSHOTS, log: views, guard, isShared })
  const { users, close } = await openAllUsers({ runner, store, views, vault, alarms, isShared })
  opened.defer(close)
  return { views, runner, users }
}

/** Users are shown from the log, so that no command on them waits for the views. */
const fromLogAlone = (views: Views, objects: Objects): Objects => ({
  ...objects,
  asOf: () => undefined,
  after: async (kind, id, stream, { kind: outcome, revision }) =>
    (await views.fromLog(kind, id, revision, stream, outcome === 'already')).version,
})

/** Ends bindings once the views are at the end of the log. A lost password does not wait long for them. */
const makeEndBindingsOrWarn = (runtime: Runtime, core: Core, { views, runner }: People, isReady: () => boolean) => {
  const endBindings = makeEndBindings({
    runner,
    unfinished: makeReadUnfinished({ views, store: core.store, clock: runtime.clock }),
  })
  let isLate = false
  return async (...args: Parameters<EndBindings>): Promise<void> => {
    if (!isLate && !isReady()) {
      // A store that does not answer is late too.
      await waitForHead(views, core.store, VIEWS_TIMEOUT_MS).catch(() => false)
      isLate = !isReady()
      if (isLate) runtime.log.warn({}, 'bindings of running reservations were not ended: the views are behind the log')
    }
    if (isReady()) await endBindings(...args)
  }
}

/** The routes of `user add` and `user passwd`. */
const makeRoutes = (
  { quotaDefault }: Config,
  runtime: Runtime,
  { randomHex, alarms, stage }: Opening,
  core: Core,
  people: People,
): readonly Route[] => {
  const { store, vault } = core
  const { views, runner, users } = people
  const { clock, randomBytes } = runtime
  const objects = fromLogAlone(views, makeObjects(views, store))
  const isReady = () => canServe(conditionOf({ alarms, views, isUpToDate: () => true, stage }))
  const roles = ['administrator'] as const
  const changes = makeUserChanges({
    ...{ runner, objects, users, quotaDefault, vault, clock, randomHex, randomBytes },
    endBindings: makeEndBindingsOrWarn(runtime, core, people, isReady),
    eraseSecrets: (id) => eraseUser(store, id),
  })
  const reads = makeUserReads({ objects, users, quotaDefault, clock })
  return [
    post({ path: '/api/user/create', roles, body: userCreationBody, handle: changes.create }),
    post({ path: '/api/user/:id/password', roles, body: newPasswordBody, handle: changes.setPassword }),
    getWithQuery({ path: '/api/user', roles, query: usersQuery, handle: reads.list }),
  ]
}

/** Answers requests about users on the control socket. */
const listen = (config: Config, runtime: Runtime, opening: Opening, core: Core, people: People) => {
  const path = join(config.data, CONTROL_SOCKET)
  const { clock, log } = runtime
  const onError = (err: unknown): void => log.error({ err }, 'a request failed')
  const app = makeApp({
    routes: makeRoutes(config, runtime, opening, core, people),
    isServing: () => !opening.stage.hasFailed,
    gate: AS_COMMAND_LINE,
    idempotencyKeys: makeIdempotencyKeys(core.vault.keys),
    inFlight: makeInFlight(),
    repeated: () => undefined,
    views: people.views,
    synced: () => core.store.synced?.(),
    ...{ clock, randomHex: opening.randomHex, onError },
    onUnavailable: makeLogUnavailable(log, runtime.sinceBoot).ofRequest,
    onAnswered: () => undefined,
    addressOf: () => 'unknown',
    userNameOf: makeUserNames(people.users),
    pseudonymOf: () => undefined,
  })
  return openControlSocket({ path, handlers: {}, serve: app.handle, onError })
}

/** Why no service can be opened on the data directory. */
export class CannotOpen extends ExpectedError {}

/** @throws CannotOpen with a sentence */
const checkPlace = ({ data, eventStore }: Config): void => {
  if (eventStore.kind === 'sqlite' && !existsSync(eventStore.path)) {
    throw new CannotOpen(`there is no log at ${eventStore.path}; start the service once`)
  }
  const why = socketPathProblem(join(data, CONTROL_SOCKET))
  if (why !== undefined)
    throw new CannotOpen(`the control socket cannot be opened: ${why}; set BERTH_DATA to a short link to it`)
  // Files made by root would lock the service out.
  const owner = existsSync(data) ? statSync(data).uid : 0
  if (process.getuid?.() === 0 && owner !== 0) {
    throw new CannotOpen(
      `${data} belongs to the user with the id ${owner}; run this as that user: sudo -u '#${owner}' ...`,
    )
  }
}

/**
 * Opens the service for `user add` and `user passwd`, on data that no service uses: log, vault, views, users and the
 * control socket. It listens on no port, forwards and probes nothing, and records nothing by itself but the log's
 * version. Returns the function that closes it.
 *
 * @throws CannotOpen, LockTaken, Misconfigured; StoreUnavailable at once if the store cannot be reached
 */
export const openHeadless = async (
  config: Config,
  outer: Runtime,
  { mustExist }: { readonly mustExist: boolean },
): Promise<() => Promise<void>> => {
  checkPlace(config)
  const runtime = { ...outer, signal: AbortSignal.abort() }
  const opening = makeOpening(config, runtime)
  try {
    const core = await openCore(config, runtime, opening, { isKept: false, mustExist })
    await upgrade(core, runtime, opening.randomHex)
    const people = await openPeople(config, runtime, opening, core)
    opening.opened.defer(await listen(config, runtime, opening, core, people))
    return () => opening.opened.disposeAsync()
  } catch (error) {
    await opening.closeAfterFailure()
    throw error
  }
}
