import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Role } from '../../src/domain/event.ts'
import type { RandomHex } from '../../src/domain/values/ids.ts'
import type { RequestSummary } from '../../src/http/response/request-summary.ts'
import { keyChecks } from '../../src/service/checks/keys.ts'
import { readConfig } from '../../src/service/config/config.ts'
import { startService, type World } from '../../src/service/service.ts'
import type { UserRecord } from '../../src/users/users-file.ts'
import { sharedEnvironment } from '../event-store/shared-store.ts'
import { aUser, fileOf, rightOf } from '../users/builders.ts'
import { basic, type Client, connectTo, passwordOf } from './client.ts'
import { until } from './until.ts'

/** What a test or a hook tidies up with. */
export interface Tidying {
  readonly teardown: (tidy: () => void | Promise<void>) => void
}

export interface Setting {
  /** The clock stands still at this time until it is moved; the machine's own unless given. */
  readonly now?: string
  /** Milliseconds since boot; unless given, whoever moves the clock moves it too. */
  readonly sinceBoot?: () => number
  readonly environment?: Readonly<Record<string, string>>
  /** A directory with a users file, left by an earlier service perhaps; unless given, a new one with everybody below. */
  readonly data?: string
  readonly randomHex?: RandomHex
  readonly openStore?: World['openStore']
  readonly patience?: World['patience']
  readonly feed?: World['feed']
  /** Ends a start that waits for the store. */
  readonly signal?: AbortSignal
  /** Where the service's log goes, for who looks into it before the start is over. */
  readonly log?: Line[]
}

/** A log line of the service. */
export interface Line {
  readonly level: 'info' | 'warn' | 'error' | 'fatal'
  readonly facts: object
  readonly sentence: string
}

/** A service under test, on a port of its own. */
export interface Running {
  readonly port: number
  readonly url: string
  readonly data: string
  readonly as: (name: string) => Client
  /** Somebody without credentials. */
  readonly anyone: Client
  readonly clock: { readonly set: (time: string) => void; readonly now: () => number }
  readonly log: readonly Line[]
  /** What was told of every request when its answer was ready. */
  readonly answered: readonly RequestSummary[]
  /** May be called early: a test that starts another service on the same data does. */
  readonly stop: () => Promise<void>
}

const PEOPLE: readonly (readonly [name: string, role: Role, id: string])[] = [
  ['admin', 'administrator', '590780914445534540190009'],
  ['alice', 'tester', '590780914445534540190000'],
  ['bob', 'tester', '590780914445534540190001'],
  ['audrey', 'auditor', '590780914445534540190002'],
]

export const idOf = (name: string): string => PEOPLE.find(([known]) => known === name)?.[2] ?? `id-of-${name}`

/** Their hashes are the cheapest that argon2id takes. */
export const people = (): Promise<readonly UserRecord[]> =>
  Promise.all(PEOPLE.map(([name, role, _id]) => aUser(name, passwordOf(name), { role, _id })))

export const temporaryData = async (t: Tidying): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'berth-'))
  t.teardown(() => rm(path, { recursive: true, force: true }))
  return path
}

/** A directory with the users file of everybody. */
export const dataWithPeople = async (t: Tidying): Promise<string> => {
  const data = await temporaryData(t)
  await writeFile(join(data, 'users.json'), fileOf(await people()), { mode: 0o600 })
  return data
}

/** Unix milliseconds of a date-time; a typing error is not the epoch. */
const at = (time: string): number => {
  const milliseconds = Date.parse(time)
  if (Number.isNaN(milliseconds)) throw new TypeError(`${time} is no time`)
  return milliseconds
}

const logInto =
  (lines: Line[], level: Line['level']) =>
  (facts: object, sentence: string): void => {
    lines.push({ level, facts, sentence })
  }

/** Starts the whole service in this process, as main.ts does, and stops it with the test. */
export const start = async (t: Tidying, setting: Setting = {}): Promise<Running> => {
  if (process.env.FIT !== undefined) await import('./documents/fit-answers.ts')
  const data = setting.data ?? (await dataWithPeople(t))
  const shared = setting.openStore === undefined ? sharedEnvironment(data) : {}
  const config = rightOf(
    readConfig({ BERTH_DATA: data, BERTH_PORT: '0', ...shared, ...setting.environment }, keyChecks),
  )
  const log = setting.log ?? []
  const answered: RequestSummary[] = []
  let time = setting.now === undefined ? undefined : at(setting.now)
  const now = (): number => time ?? Date.now()
  const service = await startService(config, {
    clock: now,
    sinceBoot: setting.sinceBoot ?? now,
    randomBytes,
    log: { info: logInto(log, 'info'), warn: logInto(log, 'warn'), error: logInto(log, 'error') },
    onFatal: (error) => logInto(log, 'fatal')({ error }, 'the service cannot go on'),
    onAnswered: (told) => answered.push(told),
    ...(setting.randomHex && { randomHex: setting.randomHex }),
    ...(setting.openStore && { openStore: setting.openStore }),
    ...(setting.patience && { patience: setting.patience }),
    ...(setting.feed && { feed: setting.feed }),
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
    await until('ready', async () => (await anyone.get('/health/ready')).status === 200, 20_000)
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
    log,
    answered,
    stop,
  }
}

/** For a service that the tests of a file share because none of them changes anything. */
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
