import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { checkFirstUsers, makeFirstUsers } from '../accounts/first-users.ts'
import { openPasswords } from '../accounts/open-passwords.ts'
import { openAllUsers } from '../accounts/open-users.ts'
import { tryFirstUsers } from '../accounts/try-first-users.ts'
import { openSigner } from '../audit/audit-key.ts'
import { problemsOfConfig } from '../config/checks/config.ts'
import { Misconfigured } from '../config/checks/misconfigured.ts'
import type { Config } from '../config/config.ts'
import { openInstance } from '../files/instance.ts'
import type { Condition } from '../http/routes/health.ts'
import { openCertificate } from '../http/server/certificate.ts'
import { makeForwarded } from '../machines/forwarded.ts'
import { makeClientPseudonyms } from '../vault/derived/client-pseudonyms.ts'
import { makeConsoleTickets } from '../vault/derived/console-tickets.ts'
import { assemble } from './assemble.ts'
import { bindPort } from './bind-port.ts'
import { type Core, makeOpening, type Opening, openCore, orThrow, upgrade } from './open-core.ts'
import { openAllViews, openRunner } from './open-views.ts'
import { conditionOf, gaugesOf, type Parts } from './parts.ts'
import { tryToBeginSchedule } from './processes.ts'
import { startSecretWatch } from './secret-watch.ts'
import type { Address, World } from './world.ts'

export type { Address, Log, World } from './world.ts'

/** Time allowed for in-flight requests at shutdown, in milliseconds. */
const STOP_TIMEOUT = 10_000

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

/** Opens the views, the command loop and the users, and gives a log without users its first ones. */
const openPeople = async (config: Config, world: World, opening: Opening, core: Core, address: Address) => {
  const { alarms, metrics, randomHex, opened, onFatal } = opening
  const { store, vault, guard, isShared } = core
  const views = await openAllViews(config, store, { log: world.log, alarms, isShared, onFatal })
  opened.defer(views.close)
  const runner = openRunner(world, randomHex, { store, views, guard, metrics, isShared })
  const { close, ...known } = await openAllUsers({ runner, store, views, vault, alarms, isShared })
  const { users } = known
  opened.defer(close)
  const make = () => makeFirstUsers({ config, world, randomHex, users, ...core })
  const onRefused = (problems: readonly string[]): void => onFatal(new Misconfigured(problems))
  const { made, stop } = await tryFirstUsers({ make, mayWait: isShared, onRefused, onFatal })
  opened.defer(stop)
  const firstAdministrator = orThrow(made)
  // At once: a start that fails later must not lose the password.
  if (firstAdministrator !== undefined) await world.onFirstAdministrator?.(firstAdministrator, address)
  return { views, runner, ...known }
}

/**
 * Starts the service. This function and `openHeadless` alone pick an adapter, a clock and randomness.
 *
 * @throws Misconfigured naming every problem; PortTaken or LockTaken when another process has the port, the data or the
 * log
 */
export const startService = async (config: Config, world: World): Promise<Service> => {
  const opening = makeOpening(config, world)
  const { alarms, metrics, randomHex, stage, opened, closeAfterFailure } = opening
  try {
    const certificate = await checkAll(config, { ...world, alarms })
    if (certificate !== undefined) opened.defer(certificate.close)
    const bound = await bindPort(config, world, opening, certificate)
    const { host, port } = bound.listening
    opened.defer(() => bound.listening.close(0))
    const core = await openCore(config, world, opening, { isKept: true })
    const { store, vault, guard, processClock, isShared, lostKeys } = core
    orThrow(await checkFirstUsers({ config, world, ...core }))
    const signer = orThrow(await openSigner(config, world, { store, mayMake: !isShared, ...lostKeys }))
    const instance = await openInstance(join(config.data, 'instance'), world.randomBytes)
    await upgrade(core, world, randomHex)
    const scheduledFrom = await tryToBeginSchedule({ store, guard, world, randomHex })
    const people = await openPeople(config, world, opening, core, { host, port })
    const { views, isUpToDate } = people
    const condition = (): Condition => conditionOf({ alarms, views, isUpToDate, stage })
    metrics.registerGauges(gaugesOf({ store, views, vault, alarms, condition }))
    const parts: Parts = {
      ...people,
      ...{ store, vault, guard, processClock, signer, certificate, metrics, alarms, condition, opened, stage },
      ...{ scheduledFrom, instance, sessions: { useOf: () => undefined }, forwarded: makeForwarded(world.clock) },
      clientPseudonyms: makeClientPseudonyms(vault.keys, config.gateway.ipv6Prefix),
      consoleTickets: makeConsoleTickets(vault.keys, world.randomBytes),
    }
    const listening = await assemble(config, { ...world, onFatal: opening.onFatal }, randomHex, parts, bound)
    // Not before: with many users these would delay the start.
    opened.defer(startSecretWatch(world, { store, views, vault, alarms }))
    opened.defer(openPasswords(people.users))
    opened.defer(() => listening.close(STOP_TIMEOUT))
    const stop = (): Promise<void> => {
      stage.isStopping = true
      return opened.disposeAsync()
    }
    return { host, port, stop }
  } catch (error) {
    await closeAfterFailure()
    throw error
  }
}
