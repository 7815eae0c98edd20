import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { openSigner } from '../audit/audit-key.ts'
import { makeIdempotencyKeys } from '../commands/idempotency-key.ts'
import { makeSweep } from '../commands/listen-ports.ts'
import { openSeriesWindows } from '../commands/series/windows.ts'
import { makeEndBindings, makeFinishRemoval } from '../commands/users/removal.ts'
import { once } from '../concurrency/once.ts'
import { makeChanges } from '../feed/changes/changes.ts'
import { makeFeed } from '../feed/feed.ts'
import { makeLogReader } from '../feed/log-reader.ts'
import { openInstance } from '../files/instance.ts'
import { openAgents } from '../http/agents/agents.ts'
import { makeAskInside } from '../http/agents/ask-inside.ts'
import { type AppParts, makeApp } from '../http/app.ts'
import { makeGate } from '../http/authentication/gate.ts'
import { type ConsoleTicket, makeConsoles } from '../http/console/consoles.ts'
import { readPage } from '../http/documents/site.ts'
import { version } from '../http/documents/version.ts'
import { makeCsvLists } from '../http/response/csv-lists.ts'
import { documentResponse, makeObjects, makeStoredResponse } from '../http/response/objects.ts'
import { makeCountDemand } from '../http/response/refused-demand.ts'
import { makeSending } from '../http/response/sending.ts'
import { makeUserNames } from '../http/response/visibility.ts'
import { readVerifierKeys } from '../http/routes/audit.ts'
import { canServe, type HealthCondition, isReady } from '../http/routes/health.ts'
import type { Parts } from '../http/routes/parts.ts'
import { makeLastChecks } from '../http/routes/suts/suts.ts'
import { userResponse } from '../http/routes/users/user-reads.ts'
import { routes } from '../http/routes.ts'
import { openCertificate } from '../http/server/certificate.ts'
import { type Handle, handleInBursts } from '../http/server/listen.ts'
import { makeTargetOf } from '../processes/admission.ts'
import { makeForwarded } from '../processes/forwarded.ts'
import { makeKeepalive } from '../processes/keeping/keepalive.ts'
import { makeUnbroken } from '../processes/keeping/unbroken.ts'
import { makeUnused } from '../processes/keeping/unused.ts'
import { pauseFor, runLoop, untilNextSecond } from '../processes/loop.ts'
import { makeRefusalCounts } from '../processes/refusals.ts'
import { makeSchedule } from '../processes/schedule.ts'
import { makeUpcomingReservations } from '../processes/upcoming.ts'
import { makeMatching } from '../read-models/matching/matching.ts'
import { makeReadUnfinished } from '../read-models/unfinished-reservations.ts'
import { waitForHead } from '../read-models/wait-for-head.ts'
import { makeClientPseudonyms } from '../vault/derived/client-pseudonyms.ts'
import { makeSealer } from '../vault/derived/sealer.ts'
import { makeFinishRemovals } from './accounts/finish-removals.ts'
import { addFirstUsers, checkFirstUsers } from './accounts/first-users.ts'
import { openAllUsers, openQuotas } from './accounts/open-users.ts'
import { isStillHolder, makeSignedIn, makeTicketHolder, openSingleSignOn } from './accounts/signed-in.ts'
import { bindPort } from './bind-port.ts'
import { problemsOfConfig } from './config/checks.ts'
import { type Config, Misconfigured } from './config/config.ts'
import { listenForCommands } from './control.ts'
import type { Address, Runtime } from './core/base.ts'
import { conditionOf, makeBase, orThrow, withTimeout } from './core/base.ts'
import { gaugesOf } from './core/gauges.ts'
import { openCore, openViewsAndRunner, upgrade } from './core/open-core.ts'
import { openForwarding, openMonitor } from './machines/open-forwarding.ts'
import { openSessions } from './machines/open-sessions.ts'
import { openRequests } from './open-requests.ts'
import { openWebhooks } from './open-webhooks.ts'
import { readFirst } from './read-first.ts'

export type { Address, Log, Runtime } from './core/base.ts'

/** Time allowed for in-flight requests at shutdown. */
const STOP_TIMEOUT_MS = 10_000
/** Between looks whether requests are answered yet. */
const SERVING_INTERVAL_MS = 50
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
 * The composition root: starts the service, in steps from the configuration to listening. Each step adds to what the
 * next ones are given. Each part closes itself when what it opened is disposed of, in reverse.
 *
 * @throws Misconfigured naming every problem; PortTaken or LockTaken when another process has the port, the data or the
 * log
 */
export const startService = async (config: Config, runtime: Runtime): Promise<Service> => {
  // 1. Alarms, metrics and randomness, and the stack of what is opened.
  const base = makeBase(config, runtime)
  const { clock, sinceBoot, randomBytes, randomHex, log, alarms, metrics, stage, opened, onFatal } = base
  try {
    // 2. Everything that can refuse a start before anything is created.
    const certificate = await checkAll(config, base)
    if (certificate !== undefined) opened.defer(certificate.close)

    // 3. The port, which answers health checks until the start is complete.
    const { listening, addresses, reports } = await bindPort(base, certificate)
    const { host, port } = listening

    // 4. The log, the vault, the clock and the keys. What the log lacks still refuses the start.
    const core = await openCore(base)
    const { store, vault, guard, processClock, isShared } = core
    await checkFirstUsers(core)
    const signer = orThrow(await openSigner(config, base, { store, mayMake: !isShared }))
    const instance = await openInstance(join(config.data, 'instance'), randomBytes)
    const clientPseudonyms = makeClientPseudonyms(vault.keys, config.gateway.ipv6Prefix)
    const consoleTickets = makeSealer<ConsoleTicket>(vault.keys, 'berth console ticket v2', randomBytes)

    // 5. What a start records: the log's version.
    await upgrade(core)

    // 6. The views and the command loop, the users, and the first ones of a log that has none.
    const followed = { ...core, ...(await openViewsAndRunner(core, reports)) }
    const { views, runner } = followed
    const { users, ...knowledge } = await openAllUsers(followed)
    const lab = { ...followed, users }
    const administrator = await addFirstUsers(lab)
    // At once: a start that fails later must not lose the password.
    if (administrator !== undefined) await base.onFirstAdministrator?.(administrator, { host, port })

    // 7. The condition for health checks, and gauges.
    const condition = (): HealthCondition => conditionOf({ alarms, views, stage, ...knowledge })
    const isServing = (): boolean => canServe(condition())
    metrics.registerGauges(gaugesOf({ ...lab, condition, certificate }))

    // 8. Who is signed in, and what limits people.
    const signedIn = makeSignedIn(lab)
    const quotas = openQuotas(lab)
    const matching = makeMatching(lab)
    opened.defer(matching.close)
    const { limits } = config
    const isClockAhead = (): boolean => guard.isAhead(clock())
    const catchUp = (): Promise<boolean> => waitForHead(views, store)
    const unbroken = makeUnbroken({
      // In reach of those who want to keep or use something, and of the store that says what others do.
      isReady: () => isReady(condition()) && condition().store === 'ok',
      ...{ clock: processClock, sinceBoot },
    })
    const requests = openRequests({
      ...{ ...lab, quotas, matching, limits, catchUp, isClockAhead, reachableFor: unbroken.lasting },
    })
    opened.defer(requests.close)
    const ending = { unfinished: makeReadUnfinished(lab), runner }
    const [finishRemoval, endBindings] = [makeFinishRemoval(ending), makeEndBindings(ending)]

    // 9. How people and probes reach the machines. Nothing is forwarded or probed yet.
    const timed = new AbortController()
    const { signal } = timed
    const upcoming = makeUpcomingReservations(lab)
    opened.defer(upcoming.close)
    const forwarded = makeForwarded(lab)
    const sessions = await openSessions(lab, { instance, isForwarded: forwarded.has, isServing })
    const forwarding = config.gateway.isOn
      ? openForwarding(lab, { clientPseudonyms, forwarded, upcoming, sessions, ownPort: port, signal })
      : undefined
    const stopForwarding = async (): Promise<void> => {
      timed.abort()
      await forwarding?.stop().catch(onFatal)
      await sessions.finish()
    }
    opened.defer(withTimeout(stopForwarding, FORWARDING_TIMEOUT_MS))
    const { useOf, isUsed } = sessions
    const monitor = openMonitor(lab, { instance, useOf, isServing, signal }, port)

    // 10. What records on time.
    const recording = { ...lab, clock: processClock, upcoming, signal }
    const keeping = {
      ...{ ...recording, unbroken, catchUp, isUsed },
      ...{ connections: forwarded.connections, openSince: forwarded.openSince },
      onError: (error: unknown) => log.error({ err: error }, 'reservations were not kept or released; retrying'),
    }
    const unused = makeUnused(keeping)
    const refusals = makeRefusalCounts(recording)
    const schedule = makeSchedule({
      ...{ ...recording, isServing, onRecorded: metrics.scheduled },
      onError: (error) => log.error({ err: error }, 'starts and ends were not recorded; retrying'),
    })

    // 11. What is told of, shown and opened over HTTP.
    const reader = makeLogReader({ store, views, origin: config.origin })
    const ofStreams = {
      ...{ reader, views, users: signedIn },
      randomByte: () => Number.parseInt(randomHex(1), 16),
      onError: (error: unknown) => log.error({ err: error }, 'event stream failed'),
    }
    const webhooks = openWebhooks(lab, reader, instance, port)
    const feed = makeFeed({ ...ofStreams, limits: base.feed, measures: metrics.feed })
    const ofChanges = { limits: base.changes, measures: metrics.changes }
    const changes = makeChanges({ ...ofStreams, known: users, suts: matching.suts, ...ofChanges })
    const objects = makeObjects(views, store)
    const targetOf = makeTargetOf(views, config.gateway.suts)
    const isOurs = (sutId: string): boolean => config.gateway.isOn && targetOf(sutId)?.isOurs === true
    const nameOf = makeUserNames(users)
    const consoles = makeConsoles({
      isHolder: (user) => isStillHolder(users, signedIn, user),
      ...{ onAccessChange: signedIn.onChange, clock, limits: base.console },
    })
    const repeated = makeStoredResponse(views, clock, (kind, version, created) =>
      kind === 'user' ? userResponse(users, version, created) : documentResponse(kind, version, created),
    )
    const seriesWindows = openSeriesWindows()
    const sending = makeSending(base.csv)
    opened.defer(seriesWindows.close)

    const askInside = makeAskInside(() => app)
    const agents = openAgents(routes, version(), askInside)
    opened.defer(agents.close)

    // 12. The routes and the application.
    const parts: Parts & AppParts = {
      ...{ ...lab, ...requests, ...config },
      ...{ objects, nameOf, quotas, limits, forwarded, isOurs, feed, changes, webhooks, instance, sending, agents },
      ...{ clientPseudonyms, seriesWindows, consoleTickets, consoles, finishRemoval, endBindings },
      ...{ condition, signer, repeated, sessions: signedIn.sessions },
      verifierKeys: once(() => readVerifierKeys(store, signer)),
      csv: makeCsvLists(base.csv, sending),
      forwardedTags: config.gateway.isOn ? config.gateway.suts : undefined,
      isFollowing: () => isReady({ ...condition(), service: 'ok', gateway: 'ok' }),
      suts: matching.suts,
      unusedDue: unused.dueOf,
      gatewayHost: config.gateway.publicHost ?? config.gateway.host,
      range: config.listenPorts,
      checkSut: monitor.check,
      lastChecks: makeLastChecks(),
      singleSignOn: openSingleSignOn(lab),
      digest: async () => (await readPage()).digest,
      attach: forwarding?.attach ?? (async () => ({ refused: 'over' })),
      ticketHolder: makeTicketHolder(users, signedIn),

      // For all requests.
      ...reports,
      isServing,
      gate: makeGate({ ...knowledge, ...signedIn, users, isReady: views.caughtUp, addresses, clock, randomBytes }),
      idempotencyKeys: makeIdempotencyKeys(vault.keys),
      onRepeated: metrics.retryAnswered,
      acknowledge: objects.acknowledge,
      synced: () => store.synced?.(),
      onDenied: makeCountDemand(views, refusals.add),
      addressOf: addresses.clientOf,
      pseudonymOf: clientPseudonyms.of,
    }
    const app: Handle = makeApp(routes, parts)

    // 13. Commands, then requests, then what the clock triggers.
    await listenForCommands(lab, parts)
    listening.setHandler(handleInBursts(app))
    const readAhead = async () => processClock.mayAct() && (await upcoming.load())
    const wake = base.wake ?? untilNextSecond(clock)
    const loop = async (): Promise<void> => {
      const pause = (milliseconds: number): Promise<void> => pauseFor(milliseconds, signal)
      await readFirst({ upcoming, log, isUnwritten: () => alarms.isRaised('views'), pause, signal })
      await forwarding?.process.tick()
      stage.isOpeningPorts = false
      const onTime = [
        { tick: unbroken.check, failure: 'the clocks cannot be compared' },
        { tick: readAhead, failure: 'reservations cannot be read ahead; retrying' },
        ...(forwarding === undefined ? [] : [forwarding.process]),
        ...[schedule, ...sessions.parts, refusals, makeKeepalive(keeping), unused, monitor, webhooks],
        makeFinishRemovals({ ...lab, finishRemoval, isServing, stopping: signal }),
      ]
      unbroken.check()
      await runLoop(onTime, { wake, signal, log })
      await webhooks.finish().catch(() => undefined)
      const isRecorded = await refusals.finish().catch(() => false)
      if (!isRecorded) log.warn({}, 'counts of refusals were not recorded; lost')
    }
    const sweep = makeSweep({
      ...lab,
      sutStatusOf: (id) => {
        const version = views.newest('sut', id)
        return version && (version.ended === 'retired' ? 'retired' : 'standing')
      },
    })
    const onSweepError = (error: unknown): void =>
      log.error({ err: error }, 'ports without a SUT are kept until the next start')
    const runTimed = async (): Promise<void> => {
      while (!isServing() && !signal.aborted) await pauseFor(SERVING_INTERVAL_MS, signal)
      if (signal.aborted) return
      const granting = { ...lab, clock: processClock, isServing, wake, signal }
      await Promise.all([sweep().catch(onSweepError), loop(), requests.runGranting(granting)])
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
      reader.close()
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
    // That failure is reported, so others are only logged.
    await opened.disposeAsync().catch((err: unknown) => log.error({ err }, 'cannot close everything'))
    throw error
  }
}
