import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { openSigner } from '../audit/audit-key.ts'
import type { ClockGuard } from '../commands/clock/guard.ts'
import { isUnused, upgradeLog } from '../commands/upgrade-log.ts'
import type { RandomHex } from '../domain/values/ids.ts'
import type { EventStore } from '../event-store/event-store.ts'
import { openInstance } from '../files/instance.ts'
import { acquireLock, type Lock } from '../files/lock.ts'
import type { Condition } from '../http/routes/health.ts'
import { makeMetrics } from '../http/routes/metrics.ts'
import { openCertificate } from '../http/server/certificate.ts'
import { type Alarms, makeAlarms } from '../telemetry/alarms.ts'
import { type FirstAdministrator, openOrCreateUsers } from '../users/first-administrator.ts'
import { makeClientNames } from '../vault/client-names.ts'
import { makeConsoleTickets } from '../vault/console-tickets.ts'
import { openVault } from '../vault/open-vault.ts'
import { assemble, withTimeout } from './assemble.ts'
import { problemsOfConfig } from './checks/config.ts'
import { makeLostKeys } from './checks/lost-keys.ts'
import { watchClock } from './clock.ts'
import type { Config } from './config/config.ts'
import { makeForwarded } from './forwarding/forwarded.ts'
import { type OpenOptions, openStore } from './open-store.ts'
import { openAllViews } from './open-views.ts'
import { conditionOf, gaugesOf, type Stage } from './parts.ts'
import { tryToBeginSchedule } from './processes.ts'
import { pooledHex } from './random.ts'
import { startSecretWatch } from './secret-watch.ts'
import type { World } from './world.ts'

export type { Log, World } from './world.ts'

/** Time allowed for in-flight requests at shutdown, in milliseconds. */
const STOP_TIMEOUT = 10_000

export interface Service {
  readonly host: string
  readonly port: number
  /** The administrator created at this start, if it was the first. */
  readonly firstAdministrator: FirstAdministrator | undefined
  /** Drains requests, writes what is pending and closes every file. */
  readonly stop: () => Promise<void>
}

/** The configuration is wrong; names every problem at once. */
export class Misconfigured extends Error {
  override name = 'Misconfigured'
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}

const orThrow = <A>(read: E.Either<readonly string[], A>): A => {
  if (E.isLeft(read)) throw new Misconfigured(read.left)
  return read.right
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

/** Opens the store and reports while waiting for it. */
const openLog = (
  config: Config,
  { openStore: given, log, signal = new AbortController().signal }: World,
  alarms: Alarms,
  opening: Omit<OpenOptions, 'onWaiting' | 'onSilence' | 'signal'>,
): EventStore | Promise<EventStore> => {
  if (given !== undefined) return given(opening.randomHex, opening.onFatal)
  const onWaiting = (error: Error): void => log.warn({ err: error }, 'event store unavailable; retrying')
  const onSilence = (isSilent: boolean): void => {
    if (isSilent) alarms.raise('silence', 'the event store does not answer; not ready')
    else alarms.clear('silence', 'the event store answers again')
  }
  return openStore(config, { ...opening, onWaiting, onSilence, signal })
}

interface Upgrade {
  readonly guard: ClockGuard
  readonly randomHex: RandomHex
  readonly isShared: boolean
}

interface Keys {
  readonly alarms: Alarms
  readonly isShared: boolean
  readonly opened: (() => Promise<void> | void)[]
}

/** Opens the vault and the signer. Keys the log has used must exist; for an unused log they are created. */
const openKeys = async (config: Config, world: World, store: EventStore, { alarms, isShared, opened }: Keys) => {
  const lostKeys = makeLostKeys(config.data, store.logId)
  const mayMake = !isShared
  const { vault, close } = orThrow(await openVault(config, world, store, { mayMake, alarms, ...lostKeys }))
  opened.push(withTimeout(close))
  const signer = orThrow(await openSigner(config, world, { store, mayMake, ...lostKeys }))
  return { vault, signer }
}

/** Upgrades the log, as the last step that can fail a start: an older program does not accept the log afterwards. */
const upgrade = (store: EventStore, world: World, { guard, randomHex, isShared }: Upgrade): Promise<void> => {
  // A clock that is ahead is not recorded. With 0, the last event's time is used.
  const clock = (): number => (guard.isAhead(world.clock()) ? 0 : world.clock())
  return upgradeLog({ ...world, clock, store, randomHex, waitsForStore: isShared })
}

/**
 * Starts the service. Only this function picks an adapter, a clock and randomness.
 *
 * @throws Misconfigured naming every problem; LockTaken when another process has the data or the log
 */
export const startService = async (config: Config, world: World): Promise<Service> => {
  const alarms = makeAlarms(world.log)
  const metrics = makeMetrics(world.processMetrics)
  const randomHex = world.randomHex ?? pooledHex(world.randomBytes)
  /** Close functions, called in reverse order of opening. */
  const opened: (() => Promise<void> | void)[] = []
  const closeAll = async (): Promise<void> => {
    for (let close = opened.pop(); close !== undefined; close = opened.pop()) await close()
  }
  const stage: Stage = { hasFailed: false, isStopping: false, isOpeningPorts: config.gateway.isOn }
  const onFatal = (error: unknown): void => {
    if (stage.hasFailed) return
    stage.hasFailed = true
    world.onFatal(error)
  }
  try {
    const certificate = await checkAll(config, { ...world, alarms })
    if (certificate !== undefined) opened.push(certificate.close)
    await mkdir(config.data, { recursive: true, mode: 0o700 })
    const lock: Lock = acquireLock(join(config.data, 'berth.lock'))
    opened.push(lock.release)
    const store = await openLog(config, world, alarms, { randomHex, onFatal, onCommit: metrics.committed })
    opened.push(store.close)
    // For a shared store, users and keys are configuration and are never created.
    const isShared = config.eventStore.kind !== 'sqlite'
    const isNew = !isShared && (await isUnused(store))
    const { vault, signer } = await openKeys(config, world, store, { alarms, isShared, opened })
    const { users, firstAdministrator } = orThrow(await openOrCreateUsers(config, { ...world, alarms }, isNew))
    opened.push(users.close)
    const { stop: stopWatch, ...clocks } = await watchClock(config, world, store, alarms)
    const { guard } = clocks
    opened.push(stopWatch)
    const instance = await openInstance(join(config.data, 'instance'), world.randomBytes)
    await upgrade(store, world, { guard, randomHex, isShared })
    const scheduledFrom = await tryToBeginSchedule({ store, guard, world, randomHex })
    const views = await openAllViews(config, store, { log: world.log, alarms, isShared, onFatal })
    opened.push(views.close, startSecretWatch(world, { store, views, vault, alarms }))
    const condition = (): Condition => conditionOf(alarms, views, stage)
    metrics.registerGauges(gaugesOf({ store, views, vault, alarms, condition }))
    const clientNames = makeClientNames(vault.keys, config.gateway.ipv6Prefix)
    const opening = { store, views, users, vault, clientNames, signer, certificate, metrics, alarms, condition, opened }
    const consoleTickets = makeConsoleTickets(vault.keys, world.randomBytes)
    const gateway = { sessions: { isInUse: () => false }, forwarded: makeForwarded(world.clock), consoleTickets }
    const parts = { ...opening, ...clocks, stage, scheduledFrom, instance, ...gateway }
    const listening = await assemble(config, world, randomHex, parts)
    opened.push(() => listening.close(STOP_TIMEOUT))
    const stop = (): Promise<void> => {
      stage.isStopping = true
      return closeAll()
    }
    return { host: listening.host, port: listening.port, firstAdministrator, stop }
  } catch (error) {
    await closeAll()
    throw error
  }
}
