import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { checkFirstUsers, makeFirstUsers } from '../accounts/first-users.ts'
import { openPasswords } from '../accounts/open-passwords.ts'
import { openAllUsers } from '../accounts/open-users.ts'
import { openQuotas } from '../accounts/quotas.ts'
import { makeSignedIn } from '../accounts/signed-in.ts'
import { tryFirstUsers } from '../accounts/try-first-users.ts'
import { openSigner } from '../audit/audit-key.ts'
import { makeEndBindings, makeEndReservations } from '../commands/users/end-reservations.ts'
import { problemsOfConfig } from '../config/checks/config.ts'
import { Misconfigured } from '../config/checks/misconfigured.ts'
import type { Config } from '../config/config.ts'
import { openInstance } from '../files/instance.ts'
import { type AppDependencies, makeApp } from '../http/app.ts'
import type { Route } from '../http/protocol/route.ts'
import { type Condition, isOpen as isServing } from '../http/routes/health.ts'
import { routes } from '../http/routes.ts'
import { handleInBursts } from '../http/server/bursts.ts'
import { openCertificate } from '../http/server/certificate.ts'
import { makeAccess } from '../machines/access.ts'
import { makeForwarded } from '../machines/forwarded.ts'
import { makeUnfinished } from '../read-models/unfinished.ts'
import { makeClientPseudonyms } from '../vault/derived/client-pseudonyms.ts'
import { makeConsoleTickets } from '../vault/derived/console-tickets.ts'
import { bindPort } from './bind-port.ts'
import { listenForCommands } from './control-handlers.ts'
import { makeHandlers } from './handlers.ts'
import { makeOpening, openCore, orThrow, upgrade, withTimeout } from './open-core.ts'
import { openAllViews, openRunner } from './open-views.ts'
import { conditionOf, gaugesOf, type Parts } from './parts.ts'
import { startProcesses, startSweep, tryToBeginSchedule } from './processes.ts'
import { startSecretWatch } from './secret-watch.ts'
import { closeWithStreams, dependenciesOf, openOwnMonitor, openStreams } from './wiring.ts'
import type { Address, World } from './world.ts'

export type { Address, Log, World } from './world.ts'

/** Time allowed for in-flight requests at shutdown, in milliseconds. */
const STOP_TIMEOUT = 10_000
/** Milliseconds for timed processes, which also cut connections and record their sessions. */
const PROCESSES_TIMEOUT = 5_000

export interface Service extends Address {
  /** Drains requests, writes what is pending and closes every file. */
  readonly stop: () => Promise<void>
}

/** Checks what the configuration names, before anything is created. @throws Misconfigured naming every problem */
const checkAll = async (config: Config, world: Parameters<typeof openCertificate>[1]) => {
  const certificate = config.tls && (await openCertificate(config.tls, world))
  const problems = await problemsOfConfig(config)
  if (certificate !== undefined && E.isLeft(certificate)) throw new Misconfigured([...certificate.left, ...problems])
  if (problems.length > 0) {
    certificate?.right.close()
    throw new Misconfigured(problems)
  }
  return certificate?.right
}

/**
 * The composition root: starts the service, in steps from the configuration to listening. This function and
 * `openHeadless` alone pick an adapter, a clock and randomness.
 *
 * @throws Misconfigured naming every problem; PortTaken or LockTaken when another process has the port, the data or the
 * log
 */
export const startService = async (config: Config, given: World): Promise<Service> => {
  // 1. Alarms, metrics and randomness, and the stack of what is opened.
  const opening = makeOpening(config, given)
  const { alarms, metrics, randomHex, stage, opened, onFatal, closeAfterFailure } = opening
  const world = { ...given, onFatal }
  const { clock, sinceBoot, randomBytes, log } = world
  try {
    // 2. Everything that can refuse a start before anything is created.
    const certificate = await checkAll(config, { ...world, alarms })
    if (certificate !== undefined) opened.defer(certificate.close)

    // 3. The port, which answers health checks until the start is complete.
    const { listening, addresses, reports } = await bindPort(config, world, opening, certificate)
    const { host, port } = listening
    opened.defer(() => listening.close(0))

    // 4. The log, the vault, the clock and the keys. What the log lacks still refuses the start.
    const core = await openCore(config, world, opening, { isKept: true })
    const { store, vault, guard, processClock, isShared, lostKeys } = core
    orThrow(await checkFirstUsers({ config, world, ...core }))
    const signer = orThrow(await openSigner(config, world, { store, mayMake: !isShared, ...lostKeys }))
    const instance = await openInstance(join(config.data, 'instance'), randomBytes)
    const clientPseudonyms = makeClientPseudonyms(vault.keys, config.gateway.ipv6Prefix)
    const consoleTickets = makeConsoleTickets(vault.keys, randomBytes)

    // 5. What a start records: the log's version, and since when starts and ends are recorded.
    await upgrade(core, world, randomHex)
    const scheduledFrom = await tryToBeginSchedule({ store, guard, world, randomHex })

    // 6. The views and the command loop.
    const views = await openAllViews(config, store, { log, alarms, isShared, onFatal })
    opened.defer(views.close)
    const runner = openRunner(world, randomHex, { store, views, guard, metrics, isShared })

    // 7. The users, and the first ones of a log that has none.
    const { close: closeUsers, ...people } = await openAllUsers({ runner, store, views, vault, alarms, isShared })
    opened.defer(closeUsers)
    const { users, isUpToDate } = people
    const { made, stop: stopFirstUsers } = await tryFirstUsers({
      make: () => makeFirstUsers({ config, world, randomHex, users, ...core }),
      mayWait: isShared,
      onRefused: (problems) => onFatal(new Misconfigured(problems)),
      onFatal,
    })
    opened.defer(stopFirstUsers)
    const firstAdministrator = orThrow(made)
    // At once: a start that fails later must not lose the password.
    if (firstAdministrator !== undefined) await world.onFirstAdministrator?.(firstAdministrator, { host, port })

    // 8. The condition for health checks, and gauges.
    const condition = (): Condition => conditionOf({ alarms, views, isUpToDate, stage })
    const isOpen = (): boolean => isServing(condition())
    metrics.registerGauges(gaugesOf({ store, views, vault, alarms, condition }))
    const parts: Parts = {
      ...people,
      ...{ store, vault, guard, processClock, signer, certificate, metrics, alarms, condition, opened, stage },
      ...{ views, runner, scheduledFrom, instance, clientPseudonyms, consoleTickets },
      ...{ sessions: { useOf: () => undefined }, forwarded: makeForwarded(clock) },
    }

    // 9. Who is signed in, streams, quotas, consoles and the monitor.
    const { tokens, sessions, ...signedIn } = makeSignedIn({ ...parts, clock, randomHex })
    const streams = openStreams(config, world, randomHex, parts, signedIn)
    const { quotas, close: closeQuotas } = openQuotas({ quotaDefault: config.quotaDefault, users, views, clock })
    opened.defer(closeQuotas)
    const ending = { unfinished: makeUnfinished({ views, store, clock }), runner }
    const endReservations = makeEndReservations(ending)
    const endBindings = makeEndBindings(ending)
    const access = makeAccess({
      ...{ ...parts, ...config, signedIn, clock, randomHex, ...reports },
      ...{ tickets: consoleTickets, addressOf: addresses.clientOf, limits: world.console },
    })
    const monitor = openOwnMonitor(config, world, randomHex, parts, runner, isOpen)

    // 10. The routes and the application.
    const page: readonly Route[] = routes(
      makeHandlers({
        ...{ config, clock, sinceBoot, randomBytes, randomHex, parts, runner, sessions, quotas },
        ...{ ...streams, ...access, log, csvLimits: world.csv, endReservations, endBindings, check: monitor.check },
        page: () => page,
      }),
    )
    const dependencies: AppDependencies = {
      ...dependenciesOf(parts, world, addresses, { tokens, sessions }),
      ...{ routes: page, isOpen, randomHex, acknowledge: access.objects.acknowledge, ...reports },
    }
    const app = makeApp(dependencies)

    // 11. Background work and commands, then requests, then what the clock triggers.
    opened.defer(runner.saveStates)
    opened.defer(withTimeout(startSweep(world, randomHex, runner, views, isOpen)))
    opened.defer(withTimeout(monitor.start()))
    opened.defer(await listenForCommands(config, world, randomHex, parts, dependencies))
    listening.handOver(handleInBursts(app.handle), app.upgrades)
    const timed = { config, world, randomHex, parts, runner, endReservations, isOpen, ownPort: port }
    opened.defer(withTimeout(startProcesses(timed), PROCESSES_TIMEOUT))

    // 12. Not before: with many users these would delay the start.
    opened.defer(startSecretWatch(world, { store, views, vault, alarms }))
    opened.defer(openPasswords(users))
    const serving = closeWithStreams(listening, streams, access.consoles, parts.forwarded)
    opened.defer(() => serving.close(STOP_TIMEOUT))
    return {
      host,
      port,
      stop: () => {
        stage.isStopping = true
        return opened.disposeAsync()
      },
    }
  } catch (error) {
    await closeAfterFailure()
    throw error
  }
}
