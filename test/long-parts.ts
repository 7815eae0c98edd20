import { playSchedules } from './event-store/eventstoredb/fault-schedules.ts'
import { killRounds } from './gateway/instances/kills.ts'
import { transferBothWays } from './gateway/transfer.ts'
import { sendBadCredentials } from './http/authentication/bad-credentials.ts'
import { start, type Tidying } from './http/harness.ts'
import { playStories } from './http/model/runs.ts'
import { race } from './http/races/race.ts'
import { startTwo } from './http/races/two-services.ts'
import { sendBadRequests } from './http/refusals/bad-requests.ts'
import { createSut, NOW } from './http/requests.ts'
import { logOf } from './http/store/log-rows.ts'
import { patchesPart } from './patches/run-patches.ts'
import { crashRounds } from './process/crash/crash.ts'
import { fillDisk } from './process/disk/full-disk.ts'
import { type Fault, failingCalls } from './process/disk/io-errors.ts'
import { traceSyncs } from './process/disk/sync-trace.ts'
import { playDay } from './processes/granting/day.ts'
import { playHistories } from './processes/granting/stories.ts'

const storeFaults: Part = {
  name: 'store-faults',
  what: '1,000 random fault schedules of an EventStoreDB during reservations, compared with its log and the views',
  run: async (_, { seed, count = 1_000, progress }) => {
    let played = 0
    const onSchedule = (): void => progress(`schedule ${++played} of ${count}`)
    const { problems, ...counts } = await playSchedules({ seed, schedules: count, onSchedule })
    return { counts, problems }
  },
}

const queue: Part = {
  name: 'queue',
  what: '10,000 random histories of requests that wait, with crashes and two instances, held against a model',
  run: async (_, { seed, count = 10_000, progress }) =>
    playHistories({ stories: count, seed, onStory: (n) => progress(`history ${n + 1} of ${count}`) }),
}

const pipelines: Part = {
  name: 'pipelines',
  what: 'a day of 64 pipelines over 8 machines, some of which are killed, with two instances that die now and then',
  run: async (scope, { seed, count = 24 }) => {
    const { problems, counts, waited } = await playDay(scope, { seed, hours: count })
    return { problems, counts: { ...counts, ...waited } }
  },
}

/** The result of a part: its counts and the problems it found, or a sentence that says why it could not run. */
export type Ended = { readonly counts: object; readonly problems: readonly string[] } | string

export interface PartOptions {
  readonly seed: number
  /** Replaces the part's own number of rounds, writes, faults or requests. */
  readonly count: number | undefined
  readonly progress: (what: string) => void
}

export interface Part {
  readonly name: string
  readonly what: string
  readonly run: (scope: Tidying, options: PartOptions) => Promise<Ended>
}

const crash: Part = {
  name: 'crash',
  what: 'kills the service under load, restarts it and checks it, 200 times on one log',
  run: async (scope, { seed, count = 200, progress }) => {
    const onRound = (round: number): void => progress(`round ${round} of ${count}`)
    const { problems, ...counts } = await crashRounds(scope, { rounds: count, seed, replayEvery: 20, onRound })
    return { counts: { rounds: count, ...counts }, problems }
  },
}

const sessionCrash: Part = {
  name: 'session-crash',
  what: 'kills a service, and one of two instances, 100 times on a log: sessions, starts and ends',
  run: async (scope, { seed, count = 100, progress }) => {
    const onRound = (round: number): void => progress(`round ${round} of ${count}`)
    const one = await killRounds(scope, { instances: 1, rounds: count, seed, onRound })
    const two = await killRounds(scope, { instances: 2, rounds: count, seed, onRound })
    return {
      counts: { rounds: 2 * count, one: one.counts, two: two.counts },
      problems: [...one.problems, ...two.problems],
    }
  },
}

const MEBIBYTE = 2 ** 20
const transfer: Part = {
  name: 'transfer',
  what: 'sends 1,024 MiB each way at once through the gateway, byte for byte',
  run: async (scope, { count = 1_024 }) => {
    const { problems, counted } = await transferBothWays(scope, count * MEBIBYTE)
    const { bytesToSut = 0, bytesFromSut = 0 } = counted ?? {}
    const isCounted = bytesToSut === count * MEBIBYTE && bytesFromSut === count * MEBIBYTE
    return {
      counts: { to_sut: bytesToSut, from_sut: bytesFromSut },
      problems: isCounted ? problems : [...problems, 'the bytes are counted wrongly'],
    }
  },
}

const syncs: Part = {
  name: 'syncs',
  what: 'traces the system calls of 1,000 writes: nothing is acknowledged before its sync',
  run: async (scope, { seed, count = 1_000 }) => {
    const report = await traceSyncs(scope, { writes: count, seed })
    if (typeof report === 'string') return report
    const { problems, ...counts } = report
    return { counts, problems }
  },
}

const faultsUpTo = (last: number, fault: Omit<Fault, 'when'>): readonly Fault[] =>
  Array.from({ length: last }, (_, n) => ({ ...fault, when: n + 1 }))

const inputOutput: Part = {
  name: 'io-errors',
  what: "makes calls on the log's file fail one by one: EIO from fdatasync and pwrite64, ENOSPC from pwrite64",
  run: async (scope, { seed, count = 20, progress }) => {
    const faults = [
      ...faultsUpTo(count, { call: 'fdatasync', error: 'EIO' }),
      ...faultsUpTo(count, { call: 'pwrite64', error: 'EIO' }),
      ...faultsUpTo(count, { call: 'pwrite64', error: 'ENOSPC' }),
      ...faultsUpTo(Math.ceil(count / 4), { call: 'fdatasync', error: 'EIO', isLasting: true }),
      ...faultsUpTo(Math.ceil(count / 4), { call: 'pwrite64', error: 'EIO', isLasting: true }),
    ]
    let done = 0
    const report = await failingCalls(scope, faults, seed, () => progress(`fault ${++done} of ${faults.length}`))
    if (typeof report === 'string') return report
    const { problems, ...counts } = report
    return { counts, problems }
  },
}

/** Kibibytes: small sizes, and sizes that run out when the log's WAL is at its largest. */
const DISKS = [4_000, 6_000, 10_000, 22_000, 24_600, 26_000]

const fullDisk: Part = {
  name: 'full-disk',
  what: 'fills a tmpfs, restarts the service on it, frees space; with several sizes',
  run: async (scope, { seed, progress }) => {
    const counts = { disks: 0, acknowledged: 0, refusedForRoom: 0 }
    const problems: string[] = []
    for (const size of DISKS) {
      progress(`${size} KiB`)
      const report = await fillDisk(scope, { size, ballast: size > 20_000 ? 4_000 : 1_500, seed: seed + size })
      if (typeof report === 'string') return report
      counts.disks++
      counts.acknowledged += report.acknowledged
      counts.refusedForRoom += report.refusedForRoom
      problems.push(...report.problems.map((problem) => `${size} KiB: ${problem}`))
    }
    return { counts, problems }
  },
}

const races: Part = {
  name: 'races',
  what: 'two services on one log request the same window together: 5,000 accepted and 5,000 refused',
  run: async (scope, { count = 5_000 }) => {
    const { services, data } = await startTwo(scope)
    const { accepted, refused, faults } = await race({ services, clients: 2, rounds: count })
    const recorded = (await logOf({ data })).filter(({ type }) => type === 'ReservationCreated').length
    const counts = { rounds: count, accepted, refused, recorded }
    const isRight = accepted === count && refused === count && recorded === count
    return { counts, problems: isRight ? faults : [...faults, JSON.stringify(counts)] }
  },
}

const badRequests: Part = {
  name: 'bad-requests',
  what: '100,000 generated bad requests: no 5xx, no hang, errors in the documented form',
  run: async (scope, { seed, count = 100_000 }) => {
    const service = await start(scope, { now: NOW, timeouts: { headers: 300, request: 300, checkInterval: 50 } })
    await createSut(service.as('admin'))
    const { codes, faults } = await sendBadRequests(service, count, seed)
    // One line is about proxy headers.
    const warnings = service.log
      .filter(({ level, sentence }) => level !== 'info' && !sentence.includes('BERTH_TRUSTED_PROXIES'))
      .map((line) => JSON.stringify(line))
    return { counts: { requests: count, codes }, problems: [...faults, ...warnings.slice(0, 10)] }
  },
}

const badCredentials: Part = {
  name: 'bad-credentials',
  what: '10,000 malformed Authorization headers: each refused in the documented form',
  run: async (scope, { seed, count = 10_000 }) => {
    const service = await start(scope, { now: NOW })
    const { sent, faults } = await sendBadCredentials(service, count, seed)
    return { counts: { sent }, problems: faults }
  },
}

const model: Part = {
  name: 'model',
  what: '10,000 random stories of retries, restarts and clock jumps: each answer, and what is read of the past, as a naive model has it',
  run: async (scope, { seed, count = 10_000, progress }) => {
    let played = 0
    const onStory = (): void => progress(`story ${++played} of ${count}`)
    const { steps, outcomes, problems } = await playStories(scope, { stories: count, seed, onStory })
    return { counts: { stories: count, steps, outcomes }, problems }
  },
}

export const parts: readonly Part[] = [
  crash,
  sessionCrash,
  transfer,
  syncs,
  inputOutput,
  fullDisk,
  races,
  storeFaults,
  queue,
  pipelines,
  badRequests,
  badCredentials,
  model,
  patchesPart,
]
