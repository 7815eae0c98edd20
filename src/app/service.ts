import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { openSigner } from '../audit/audit-key.ts'
import { makeIdempotencyKeys } from '../commands/idempotency-key.ts'
import { makeSweep } from '../commands/listen-ports.ts'
import { tryToBeginSchedule } from '../commands/log-events.ts'
import { openSeriesWindows } from '../commands/series/windows.ts'
import { makeInFlight } from '../commands/turns.ts'
import { makeEndBindings, makeEndReservations } from '../commands/users/end-reservations.ts'
import { eraseUser } from '../commands/users/removal-in-force.ts'
import { makeRenewEpoch } from '../commands/users/renew-epoch.ts'
import { fits } from '../domain/user/scope.ts'
import { makeEventId } from '../domain/values/ids.ts'
import { noteAppends } from '../event-store/own-appends.ts'
import { makeChanges } from '../feed/changes/changes.ts'
import { makeFeed } from '../feed/feed.ts'
import { openInstance } from '../files/instance.ts'
import { isOwnAddress } from '../gateway/connections/addresses.ts'
import { type AppDependencies, makeApp } from '../http/app.ts'
import { makeGate } from '../http/authentication/gate.ts'
import { makeConsoles } from '../http/console/consoles.ts'
import { readWebFiles } from '../http/documents/web/web-files.ts'
import { makeCsvLists } from '../http/response/csv-lists.ts'
import { keepaliveOf, madeResponse } from '../http/response/keepalive.ts'
import { documentResponse, makeObjects, makeStoredResponse } from '../http/response/objects.ts'
import { makeExplainOver } from '../http/response/over.ts'
import { makeCountDemand } from '../http/response/refused-demand.ts'
import { makeUserNames } from '../http/response/user-names.ts'
import { makeCheckConsole } from '../http/routes/access/console-ticket.ts'
import { makeAsOfReads } from '../http/routes/as-of-reads.ts'
import { canServe, type HealthCondition, isReady } from '../http/routes/health.ts'
import { userResponse } from '../http/routes/users/user-response.ts'
import { routes } from '../http/routes.ts'
import { handleInBursts } from '../http/server/bursts.ts'
import { openCertificate } from '../http/server/certificate.ts'
import { makeKeepalive } from '../processes/keeping/keepalive.ts'
import { makeUnbroken } from '../processes/keeping/unbroken.ts'
import { makeUnused } from '../processes/keeping/unused.ts'
import { pauseFor, runLoop, untilNextSecond } from '../processes/loop.ts'
import { makeRunBatches } from '../processes/process.ts'
import { makeRefusalCounts } from '../processes/refusals.ts'
import { makeSchedule } from '../processes/schedule.ts'
import { makeTargetOf } from '../processes/targets.ts'
import { makeUpcomingReservations } from '../processes/upcoming.ts'
import { makeMatching } from '../read-models/matching/candidates.ts'
import { makeReadUnfinished } from '../read-models/unfinished-reservations.ts'
import { waitForHead } from '../read-models/wait-for-head.ts'
import { makeAuthenticator } from '../users/authenticate.ts'
import { makeClientPseudonyms } from '../vault/derived/client-pseudonyms.ts'
import { makeConsoleTickets } from '../vault/derived/console-tickets.ts'
import { makeFinishRemovals } from './accounts/finish-removals.ts'
import { checkFirstUsers, openFirstUsers } from './accounts/first-users.ts'
import { openSingleSignOn } from './accounts/open-single-sign-on.ts'
import { openAllUsers } from './accounts/open-users.ts'
import { openQuotas } from './accounts/quotas.ts'
import { makeSignedIn } from './accounts/signed-in.ts'
import { bindPort } from './bind-port.ts'
import { conditionOf, gaugesOf } from './condition.ts'
import { problemsOfConfig } from './config/checks/config.ts'
import { Misconfigured } from './config/checks/misconfigured.ts'
import type { Config } from './config/config.ts'
import { listenForCommands } from './control-app.ts'
import { openRequests } from './granting/open-requests.ts'
import { makeForwarded } from './machines/forwarded.ts'
import { isStillHolder, makeTicketHolder } from './machines/holder.ts'
import { openForwarding } from './machines/open-forwarding.ts'
import { openMonitor } from './machines/open-monitor.ts'
import { openSessions } from './machines/open-sessions.ts'
import { makeOpening, openCore, orThrow, upgrade, withTimeout } from './open-core.ts'
import { openAllViews, openRunner } from './open-views.ts'
import { readFirst, untilServing } from './processes.ts'
import type { Address, Runtime } from './runtime.ts'

export type { Address, Log, Runtime } from './runtime.ts'

/** Time allowed for in-flight requests at shutdown. */
const STOP_TIMEOUT_MS = 10_000
/** To cut connections and record their sessions. */
const FORWARDING_TIMEOUT_MS = 5_000

export interface Service extends Address {
  /** Drains requests, writes what is pending and closes every file. */
  readonly stop: () => Promise<void>
}

/** Checks what the configuration names, before anything is created. @throws Misconfigured naming every problem */
const checkAll = async (config: Config, runtime: Parameters<typeof openCertificate>[1]) => {
  const certificate = config.tls && (await openCertificate(config.tls, runtime))
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
export const startService = async (config: Config, outer: Runtime): Promise<Service> => {
  // 1. Alarms, metrics and randomness, and the stack of what is opened.
  const opening = makeOpening(config, outer)
  const { alarms, metrics, randomHex, stage, opened, onFatal, closeAfterFailure } = opening
  const runtime = { ...outer, onFatal }
  const { clock, sinceBoot, randomBytes, log } = runtime
  const wake = runtime.wake ?? untilNextSecond(clock)
  const makeRequestId = (): string => makeEventId(clock(), randomHex(10))
  try {
    // 2. Everything that can refuse a start before anything is created.
    const certificate = await checkAll(config, { ...runtime, alarms })
    if (certificate !== undefined) opened.defer(certificate.close)

    // 3. The port, which answers health checks until the start is complete.
    const { listening, addresses, reports } = await bindPort(config, runtime, opening, certificate)
    const { host, port } = listening
    opened.defer(() => listening.close(0))

    // 4. The log, the vault, the clock and the keys. What the log lacks still refuses the start.
    const core = await openCore(config, runtime, opening)
    const { vault, guard, processClock, isShared, lostKeys } = core
    const { store, isOwn } = isShared ? noteAppends(core.store) : { store: core.store, isOwn: () => true }
    await checkFirstUsers({ config, runtime, ...core })
    const signer = orThrow(await openSigner(config, runtime, { store, mayMake: !isShared, ...lostKeys }))
    const instance = await openInstance(join(config.data, 'instance'), randomBytes)
    const clientPseudonyms = makeClientPseudonyms(vault.keys, config.gateway.ipv6Prefix)
    const consoleTickets = makeConsoleTickets(vault.keys, randomBytes)

    // 5. What a start records: the log's version, and since when starts and ends are recorded.
    await upgrade(core, runtime, randomHex)
    const tryToBegin = () => tryToBeginSchedule({ store, guard, clock, randomHex })
    let scheduledFrom = await tryToBegin()

    // 6. The views and the command loop.
    const views = await openAllViews(config, runtime, opening, { store, isShared })
    opened.defer(views.close)
    const runner = openRunner(runtime, opening, { store, guard, isShared }, views)
    opened.defer(runner.saveStates)

    // 7. The users, and the first ones of a log that has none.
    const people = await openAllUsers({ runner, store, views, vault, alarms, isShared })
    const { users, isUpToDate, catchUpNames, catchUpTokens } = people
    opened.defer(people.close)
    const firstUsers = await openFirstUsers({ config, runtime, randomHex, users, onFatal, ...core })
    opened.defer(firstUsers.stop)
    const { administrator } = firstUsers
    // At once: a start that fails later must not lose the password.
    if (administrator !== undefined) await runtime.onFirstAdministrator?.(administrator, { host, port })

    // 8. The condition for health checks, and gauges.
    const condition = (): HealthCondition => conditionOf({ alarms, views, isUpToDate, stage })
    const isServing = (): boolean => canServe(condition())
    const isFollowing = (): boolean => isReady({ ...condition(), service: 'ok', gateway: 'ok' })
    metrics.registerGauges(gaugesOf({ store, views, vault, alarms, condition, config, certificate, clock }))

    // 9. Who is signed in, and what limits people.
    const signedIn = makeSignedIn({ users, views, runner, vault, clock, randomHex })
    const { quotas, close: closeQuotas } = openQuotas({ quotaDefault: config.quotaDefault, users, views, clock })
    opened.defer(closeQuotas)
    const matching = makeMatching({ views, clock })
    opened.defer(matching.close)
    const limits = config.limits
    const isClockAhead = (): boolean => guard.isAhead(clock())
    const catchUp = (): Promise<boolean> => waitForHead(views, store)
    const unbroken = makeUnbroken({
      // In reach of those who want to keep or use something, and of the store that says what others do.
      isReady: () => isReady(condition()) && condition().store === 'ok',
      clock: processClock,
      sinceBoot,
    })
    const requests = openRequests({
      runner,
      store,
      quotas,
      users,
      views,
      matching,
      limits,
      catchUp,
      isClockAhead,
      reachableFor: unbroken.lasting,
      clock,
      randomHex,
      log,
    })
    opened.defer(requests.close)
    const ending = { unfinished: makeReadUnfinished({ views, store, clock }), runner }
    const endReservations = makeEndReservations(ending)
    const endBindings = makeEndBindings(ending)

    // 10. How people and probes reach the machines. Nothing is forwarded or probed yet.
    const timed = new AbortController()
    const { signal } = timed
    const runBatches = makeRunBatches(signal)
    const upcoming = makeUpcomingReservations({ views, clock })
    opened.defer(upcoming.close)
    const forwarded = makeForwarded(clock)
    const sessions = await openSessions({
      data: config.data,
      instance,
      views,
      runner,
      clock: processClock,
      sinceBoot,
      randomHex,
      log,
      alarms,
      isForwarded: forwarded.has,
      isServing,
      isShared,
    })
    const forwarding = config.gateway.isOn
      ? openForwarding({
          config: config.gateway,
          ownPort: port,
          views,
          runner,
          users,
          vault,
          clientPseudonyms,
          forwarded,
          upcoming,
          sessions,
          clock,
          processClock,
          log,
          alarms,
          metrics,
          signal,
        })
      : undefined
    const stopForwarding = async (): Promise<void> => {
      timed.abort()
      await forwarding?.gateway.stop().catch(onFatal)
      await sessions.finish()
    }
    opened.defer(withTimeout(stopForwarding, FORWARDING_TIMEOUT_MS))
    const onKeepingError = (error: unknown): void =>
      log.error({ err: error }, 'reservations were not kept or released; retrying')
    const recording = { runner, clock: processClock, makeRequestId, runBatches }
    const keepalive = makeKeepalive({
      ...recording,
      upcoming,
      unbroken,
      connections: forwarded.connections,
      onError: onKeepingError,
    })
    const unused = makeUnused({
      ...recording,
      upcoming,
      views,
      unbroken,
      openSince: forwarded.openSince,
      isUsed: sessions.isUsed,
      isShared,
      catchUp,
      onError: onKeepingError,
      signal,
    })
    const { first, last } = config.listenPorts
    const isOwnPort = (own: number): boolean => own === port || (own >= first && own <= last)
    const monitor = openMonitor({
      instance,
      views,
      runner,
      vault,
      clock: processClock,
      now: clock,
      sinceBoot,
      log,
      isOurs: ({ tags }) => fits(tags, config.gateway.suts),
      isOwn: (address, own) => isOwnAddress(address, own, isOwnPort),
      useOf: sessions.useOf,
      makeRequestId,
      onProbe: metrics.probed,
      isServing,
      signal,
    })

    // 11. What is told of, shown and opened over HTTP.
    const told = {
      store,
      views,
      users: signedIn,
      randomByte: () => Number.parseInt(randomHex(1), 16),
      onError: (error: unknown) => log.error({ err: error }, 'event stream failed'),
    }
    const feed = makeFeed({ ...told, origin: config.origin, limits: runtime.feed, measures: metrics.feed })
    const changes = makeChanges({
      ...told,
      known: users,
      requests: requests.sight,
      limits: runtime.changes,
      measures: metrics.changes,
    })
    const objects = makeObjects(views, store)
    const targetOf = makeTargetOf(views, config.gateway.suts)
    const isOurs = (sutId: string): boolean => config.gateway.isOn && targetOf(sutId)?.isOurs === true
    const nameOf = makeUserNames(users)
    const explainOver = makeExplainOver({ views, store, nameOf })
    const checkConsole = makeCheckConsole({ objects, forwarded, isOurs, clock, explainOver })
    const consoles = makeConsoles({
      tickets: consoleTickets,
      check: checkConsole,
      explainOver,
      forwarded,
      holder: makeTicketHolder(users, signedIn),
      isHolder: (user) => isStillHolder(users, signedIn, user),
      onAccessChange: signedIn.onChange,
      clock,
      limits: runtime.console,
    })
    const asOf = makeAsOfReads({ objects, views, store, clock })
    const csv = makeCsvLists({ views, nameOf, limits: runtime.csv })
    const singleSignOn = openSingleSignOn({
      config,
      clock,
      randomBytes,
      randomHex,
      log,
      alarms,
      users,
      vault,
      runner,
      sessions: signedIn.sessions,
    })
    opened.defer(singleSignOn.close)
    const readStored = makeStoredResponse(views, (kind, version, created) => {
      if (kind === 'user') return userResponse(users, version, created)
      return kind === 'reservation' && created
        ? madeResponse(version, keepaliveOf(views, version.id))
        : documentResponse(kind, version, created)
    })

    const seriesWindows = openSeriesWindows()
    opened.defer(seriesWindows.close)

    // 12. The routes and the application.
    const table = routes({
      ...{ runner, objects, views, store, users, vault, nameOf, csv, asOf, clock, sinceBoot, randomHex, randomBytes },
      ...{
        quotas,
        limits,
        explainOver,
        forwarded,
        isOurs,
        clientPseudonyms,
        seriesWindows,
        feed,
        changes,
        isFollowing,
      },
      ...{ checkConsole, consoleTickets, consoles, endReservations, endBindings, condition, metrics, signer },
      repeated: readStored,
      matching: {
        search: matching.search,
        awaited: requests.awaited,
        catchUp,
        isClockAhead,
        isShared,
        clock,
      },
      isAnyFit: matching.isAnyFit,
      makeRequest: requests.make,
      changeRequest: requests.change,
      endings: requests.endings,
      explain: requests.explain,
      passedOver: requests.passedOver,
      attend: requests.attend,
      unusedDue: unused.dueOf,
      gatewayHost: config.gateway.publicHost ?? config.gateway.host,
      range: config.listenPorts,
      checkSut: monitor.check,
      origin: config.origin,
      quotaDefault: config.quotaDefault,
      eraseSecrets: (id) => eraseUser(store, id),
      sessions: signedIn.sessions,
      renewEpoch: makeRenewEpoch({ runner, vault, randomHex }),
      singleSignOn: singleSignOn.handlers,
      hasSingleSignOn: config.oidc !== undefined,
      digest: async () => (await readWebFiles()).digest,
    })
    const refusals = makeRefusalCounts(recording)
    const authenticator = makeAuthenticator({
      users,
      catchUpNames,
      catchUpTokens,
      tokens: signedIn.tokens,
      sessions: signedIn.sessions,
      randomBytes,
    })
    const dependencies: AppDependencies = {
      routes: table,
      gate: makeGate({ isUpToDate, authenticator, addresses, clock, randomBytes }),
      idempotencyKeys: makeIdempotencyKeys(vault.keys),
      inFlight: makeInFlight(),
      repeated: readStored,
      onRepeated: metrics.retryAnswered,
      isServing,
      views,
      acknowledge: objects.acknowledge,
      synced: () => store.synced?.(),
      clock,
      randomHex,
      onDenied: makeCountDemand(views, refusals.add),
      addressOf: addresses.clientOf,
      userNameOf: nameOf,
      pseudonymOf: clientPseudonyms.of,
      ...reports,
    }
    const app = makeApp(dependencies)

    // 13. Background work and commands, then requests, then what the clock triggers.
    const sweep = makeSweep({
      runner,
      clock,
      sutStatusOf: (id) => {
        const version = views.newest('sut', id)
        return version && (version.ended === 'retired' ? 'retired' : 'standing')
      },
      makeRequestId,
    })
    opened.defer(
      await listenForCommands(config, {
        runner,
        users,
        vault,
        guard,
        log,
        clock,
        randomHex,
        dependencies,
      }),
    )
    listening.setHandler(handleInBursts(app))
    const schedule = makeSchedule({
      ...recording,
      upcoming,
      views,
      begun: async () => {
        scheduledFrom ??= await tryToBegin()
        return scheduledFrom
      },
      isServing,
      onRecorded: metrics.scheduled,
      onError: (error) => log.error({ err: error }, 'starts and ends were not recorded; retrying'),
    })
    const onTime = [
      { tick: unbroken.check, failure: 'the clocks cannot be compared' },
      {
        tick: async () => processClock.mayAct() && (await upcoming.load()),
        failure: 'reservations cannot be read ahead; retrying',
      },
      ...(forwarding === undefined ? [] : [forwarding.forwarding]),
      schedule,
      ...sessions.parts,
      refusals,
      keepalive,
      unused,
      monitor,
      makeFinishRemovals({ store, users, runner, endReservations, isServing, clock, log, randomHex, signal }),
    ]
    const loop = async (): Promise<void> => {
      await readFirst({
        upcoming,
        log,
        isUnwritten: () => alarms.isRaised('views'),
        pause: (milliseconds) => pauseFor(milliseconds, signal),
        signal,
      })
      await forwarding?.forwarding.openDue()
      stage.isOpeningPorts = false
      await runLoop(onTime, { wake, signal, log })
      const isRecorded = await refusals.finish().catch(() => false)
      if (!isRecorded) log.warn({}, 'counts of refusals were not recorded; lost')
    }
    const runTimed = async (): Promise<void> => {
      await untilServing(isServing, signal)
      if (signal.aborted) return
      await Promise.all([
        sweep().catch((error: unknown) =>
          log.error({ err: error }, 'ports without a SUT are kept until the next start'),
        ),
        loop(),
        requests.runGranting({ clock: processClock, isServing, isShared, isOwn, makeRequestId, wake, signal }),
      ])
    }
    const running = runTimed().catch((error: unknown) => {
      timed.abort()
      onFatal(error)
    })
    const stopTimed = (): Promise<void> => {
      timed.abort()
      return running
    }
    opened.defer(withTimeout(stopTimed))

    // Streams, consoles and waits end at once, while other requests are drained: by themselves they would not in time.
    opened.defer(async () => {
      const closed = listening.close(STOP_TIMEOUT_MS)
      consoles.close()
      forwarded.endWaits()
      requests.endings.end()
      await Promise.all([feed.close(), changes.close()])
      await closed
    })
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
