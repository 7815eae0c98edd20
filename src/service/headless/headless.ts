import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeRotatingIdempotencyKeys } from '../../commands/idempotency-key.ts'
import { makeRunner } from '../../commands/runner.ts'
import { makeInFlight } from '../../commands/turns/in-flight.ts'
import { CONTROL_SOCKET, openControlSocket, socketPathProblem } from '../../control/socket.ts'
import { makeApp } from '../../http/app.ts'
import { makeUserNames } from '../../http/response/user-names.ts'
import type { Config } from '../config/config.ts'
import { AS_COMMAND_LINE } from '../control-handlers.ts'
import { type Core, makeOpening, type Opening, openCore, upgrade } from '../open-core.ts'
import { openAllViews } from '../open-views.ts'
import { makeLogUnavailable } from '../reports.ts'
import { openAllUsers } from '../users/open-users.ts'
import type { World } from '../world.ts'
import { makeRoutes, type People } from './routes.ts'

/** The views may be missing, old or of another log. Nothing is decided on their snapshots. */
const NO_SNAPSHOTS = {
  read: () => undefined,
  keep: () => undefined,
  readPage: () => undefined,
  dropUnwritten: () => undefined,
}

/** Opens the views, the command loop and the users. No administrator is made. */
const openPeople = async (config: Config, world: World, opening: Opening, core: Core): Promise<People> => {
  const { alarms, randomHex, opened, onFatal } = opening
  const { store, vault, guard, isShared } = core
  const views = await openAllViews(config, store, { log: world.log, alarms, isShared, onFatal })
  opened.push(views.close)
  const runner = makeRunner({
    store,
    clock: world.clock,
    randomHex,
    snapshots: NO_SNAPSHOTS,
    log: views,
    guard,
    isShared,
  })
  const { users, close } = await openAllUsers({ runner, store, views, vault, alarms, isShared })
  opened.push(close)
  return { views, runner, users }
}

/** Answers requests about users on the control socket. */
const listen = (config: Config, world: World, opening: Opening, core: Core, people: People) => {
  const path = join(config.data, CONTROL_SOCKET)
  const { clock, log } = world
  const onError = (err: unknown): void => log.error({ err }, 'a request failed')
  const app = makeApp({
    routes: makeRoutes(config, world, opening, core, people),
    isOpen: () => !opening.stage.hasFailed,
    gate: AS_COMMAND_LINE,
    idempotencyKeys: makeRotatingIdempotencyKeys(core.vault.keys),
    inFlight: makeInFlight(),
    repeated: () => undefined,
    views: people.views,
    synced: () => core.store.synced?.(),
    ...{ clock, randomHex: opening.randomHex, onError },
    onUnavailable: makeLogUnavailable(log, world.sinceBoot).ofRequest,
    onAnswered: () => undefined,
    addressOf: () => 'unknown',
    userNameOf: makeUserNames(people.users),
    pseudonymOf: () => undefined,
  })
  return openControlSocket({ path, handlers: {}, serve: app.callback(), onError })
}

/** Why no service can be opened on the data directory. */
export class CannotOpen extends Error {
  override name = 'CannotOpen'
}

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
 * Opens the service for the commands on users, on data that no service uses: log, vault, views, users and the control
 * socket. It listens on no port, forwards and probes nothing, and records nothing by itself but the log's
 * version. Returns the function that closes it.
 *
 * @throws CannotOpen, LockTaken, Misconfigured; StoreUnavailable at once if the store cannot be reached
 */
export const openHeadless = async (
  config: Config,
  given: World,
  { mustExist }: { readonly mustExist: boolean },
): Promise<() => Promise<void>> => {
  checkPlace(config)
  const world = { ...given, signal: AbortSignal.abort() }
  const opening = makeOpening(config, world)
  try {
    const core = await openCore(config, world, opening, { isKept: false, mustExist })
    await upgrade(core, world, opening.randomHex)
    const people = await openPeople(config, world, opening, core)
    opening.opened.push(await listen(config, world, opening, core, people))
    return opening.closeAll
  } catch (error) {
    await opening.closeAfterFailure()
    throw error
  }
}
