import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/app/config/config.ts'
import type { FirstUser } from '../../src/app/core/base.ts'
import { type Runtime, startService } from '../../src/app/service.ts'
import type { Role } from '../../src/domain/events/user.ts'
import type { RandomHex } from '../../src/domain/values/ids.ts'
import type { RequestSummary } from '../../src/http/response/request-summary.ts'
import { sharedEnvironment } from '../event-store/shared-store.ts'
import { aUser, rightOf } from '../users/builders.ts'
import { basic, type Client, connectTo, passwordOf } from './client.ts'
import { until } from './until.ts'

/** Registers clean-up tasks, as a test or a hook does. */
export interface Tidying {
  readonly teardown: (tidy: () => void | Promise<void>) => void
}

export interface Setting {
  /** A fixed time that only `clock.set` changes. The machine's clock unless given. */
  readonly now?: string
  /** Milliseconds since boot. Follows the clock unless given. */
  readonly sinceBoot?: () => number
  readonly environment?: Readonly<Record<string, string>>
  /** A directory, perhaps of an earlier service. Unless given, a new one. */
  readonly data?: string
  /** The users of a log that has none: those below unless given. */
  readonly firstUsers?: readonly FirstUser[] | 'administrator'
  readonly randomHex?: RandomHex
  readonly randomBytes?: Runtime['randomBytes']
  readonly openStore?: Runtime['openStore']
  readonly timeouts?: Runtime['timeouts']
  readonly feed?: Runtime['feed']
  readonly csv?: Runtime['csv']
  readonly changes?: Runtime['changes']
  readonly console?: Runtime['console']
  readonly webhooks?: Runtime['webhooks']
  /** Aborts a start that waits for the store. */
  readonly signal?: AbortSignal
  /** Receives the service's log, for tests that read it before the start completes. */
  readonly log?: Line[]
}

/** A log line of the service. */
export interface Line {
  readonly level: 'info' | 'warn' | 'error' | 'fatal'
  readonly facts: object
  readonly sentence: string
}

/** A service under test on its own port. */
export interface Running {
  readonly port: number
  readonly url: string
  readonly data: string
  readonly as: (name: string) => Client
  /** A client without credentials. */
  readonly anyone: Client
  readonly clock: { readonly set: (time: string) => void; readonly now: () => number }
  /** Lets what is done on time look at the clock. */
  readonly tick: () => void
  readonly log: readonly Line[]
  /** The summary of each request, added when its answer is ready. */
  readonly answered: readonly RequestSummary[]
  /** May be called early, to start another service on the same data. */
  readonly stop: () => Promise<void>
}

const PEOPLE: readonly (readonly [name: string, role: Role, id: string])[] = [
  ['admin', 'administrator', '590780914445534540190009'],
  ['alice', 'tester', '590780914445534540190000'],
  ['bob', 'tester', '590780914445534540190001'],
  ['audrey', 'auditor', '590780914445534540190002'],
]

/** Events that the first start on a new log records: LogVersionSet, and one for each user. */
export const EVENTS_OF_START = 1 + PEOPLE.length

/** Secrets of the users: name, password hash and epoch of each. */
export const SECRETS_OF_PEOPLE = 3 * PEOPLE.length

export const idOf = (name: string): string => PEOPLE.find(([known]) => known === name)?.[2] ?? `id-of-${name}`

/** The users, with the cheapest hashes that argon2id accepts. */
export const people = (): Promise<readonly FirstUser[]> =>
  Promise.all(PEOPLE.map(([name, role, _id]) => aUser(name, passwordOf(name), { role, _id })))

export const temporaryData = async (t: Tidying): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'berth-'))
  t.teardown(() => rm(path, { recursive: true, force: true }))
  return path
}

/** Unix milliseconds of a date-time. Throws on a typing error. */
const at = (time: string): number => {
  const milliseconds = Date.parse(time)
  if (Number.isNaN(milliseconds)) throw new TypeError(`${time} is not a date-time`)
  return milliseconds
}

const logInto =
  (lines: Line[], level: Line['level']) =>
  (facts: object, sentence: string): void => {
    lines.push({ level, facts, sentence })
  }

/**
 * What is done on time looks at the clock when a test says so: the clock is the test's own, too. What is busy at that
 * moment looks once more after that, or it would miss it.
 */
const makeWaking = () => {
  const sleeping = new Set<() => void>()
  let [loops, isMissed] = [0, false]
  const tick = (): void => {
    isMissed = sleeping.size < loops
    for (const resolve of sleeping) resolve()
    sleeping.clear()
  }
  return {
    tick,
    wake: async (signal: AbortSignal): Promise<void> => {
      if (signal.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      sleeping.add(resolve)
      loops = Math.max(loops, sleeping.size)
      if (isMissed && sleeping.size === loops) tick()
      const wakeUp = (): void => resolve()
      signal.addEventListener('abort', wakeUp)
      await promise
      signal.removeEventListener('abort', wakeUp)
    },
  }
}

/** Starts the whole service in this process, as main.ts does. Stops it after the test. */
export const start = async (t: Tidying, setting: Setting = {}): Promise<Running> => {
  if (process.env.FIT !== undefined) await import('./documents/fit-answers.ts')
  const data = setting.data ?? (await temporaryData(t))
  const shared = setting.openStore === undefined ? sharedEnvironment(data) : {}
  const config = rightOf(
    readConfig({ BERTH_DATA: data, BERTH_PORT: '0', BERTH_GATEWAY: 'off', ...shared, ...setting.environment }),
  )
  const { firstUsers, log = [] } = setting
  const answered: RequestSummary[] = []
  let time = setting.now === undefined ? undefined : at(setting.now)
  const now = (): number => time ?? Date.now()
  const waking = makeWaking()
  const service = await startService(config, {
    clock: now,
    sinceBoot: setting.sinceBoot ?? now,
    randomBytes: setting.randomBytes ?? randomBytes,
    log: { info: logInto(log, 'info'), warn: logInto(log, 'warn'), error: logInto(log, 'error') },
    wake: waking.wake,
    onFatal: (error) => logInto(log, 'fatal')({ error }, 'the service cannot continue'),
    onAnswered: (summary) => answered.push(summary),
    ...(firstUsers !== 'administrator' && { firstUsers: async () => firstUsers ?? (await people()) }),
    ...(setting.randomHex && { randomHex: setting.randomHex }),
    ...(setting.openStore && { openStore: setting.openStore }),
    ...(setting.timeouts && { timeouts: setting.timeouts }),
    ...(setting.feed && { feed: setting.feed }),
    ...(setting.csv && { csv: setting.csv }),
    ...(setting.changes && { changes: setting.changes }),
    ...(setting.console && { console: setting.console }),
    ...(setting.webhooks && { webhooks: setting.webhooks }),
    ...(setting.signal && { signal: setting.signal }),
  })
  const connections = connectTo(service.port)
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => {
    connections.close()
    stopped ??= service.stop()
    return stopped
  }
  t.teardown(stop)
  const anyone = connections.client({})
  if ('BERTH_EVENT_STORE' in shared && config.tls === undefined) {
    await until('ready', async () => (await anyone.get('/health/ready')).status === 200, 60_000)
    answered.length = 0
  }
  return {
    port: service.port,
    url: `http://127.0.0.1:${service.port}`,
    data,
    as: (name) => connections.client({ Authorization: basic(name) }),
    anyone,
    clock: {
      set: (to) => {
        time = at(to)
      },
      now,
    },
    tick: waking.tick,
    log,
    answered,
    stop,
  }
}

/** For a service that the tests of a file share. */
export const tidyingLater = (): Tidying & { readonly tidy: () => Promise<void> } => {
  const tasks: (() => void | Promise<void>)[] = []
  return {
    teardown: (task) => {
      tasks.push(task)
    },
    tidy: async () => {
      for (const task of tasks.toReversed()) await task()
    },
  }
}

/** Runs a task with teardowns like a test's. */
export const withScope = async <A>(task: (scope: Tidying) => Promise<A>): Promise<A> => {
  const scope = tidyingLater()
  try {
    return await task(scope)
  } finally {
    await scope.tidy()
  }
}
