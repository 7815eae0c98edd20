import { race } from '../../../http/races/race.ts'
import type { Part } from '../../../long-parts.ts'
import { makeRandom } from '../../../process/random.ts'
import { playSchedules } from '../fault-schedules.ts'
import { startInstances } from './instances.ts'
import { BUCKET_SECONDS, type Bucket, measureRate } from './steady-rate.ts'
import { GROWN_MAX, weighConsumer } from './store-memory.ts'

const instances: Part = {
  name: 'instances',
  what: 'six clients race for one window through any of three instances on one EventStoreDB, 2,000 times',
  run: async (scope, { seed, count = 2_000 }) => {
    const { services, log } = await startInstances(scope)
    const { accepted, refused, faults } = await race({
      services,
      clients: 6,
      rounds: count,
      pick: makeRandom(seed).below,
    })
    const recorded = (await log()).filter(({ type }) => type === 'ReservationCreated').length
    const counts = { rounds: count, accepted, refused, recorded }
    const isRight = accepted === count && refused === 5 * count && recorded === count
    return { counts, problems: isRight ? faults : [...faults, JSON.stringify(counts)] }
  },
}

const storeMemory: Part = {
  name: 'store-memory',
  what: 'memory of a consumer that stalls at the start of 100,000 events of an EventStoreDB',
  run: async (scope, { count = 100_000 }) => {
    const { events, seen, grown, sent } = await weighConsumer(scope, count)
    const counts = { events, seen, grownKiB: grown, sent }
    return { counts, problems: grown < GROWN_MAX && seen === events ? [] : [JSON.stringify(counts)] }
  },
}

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

const steadyRate: Part = {
  name: 'steady-rate',
  what: 'two instances at full load for 600 s, on an EventStoreDB that disconnects slow consumers',
  run: async (scope, { count = 600, progress }) => {
    const setting = { instances: 2, suts: 1_000, connections: 64, seconds: count }
    const onBucket = ({ created, p99 }: Bucket): void => progress(`${created / BUCKET_SECONDS} a second, p99 ${p99} ms`)
    const { buckets, ...counts } = await measureRate(scope, { ...setting, onBucket })
    const problems = [
      ...(counts.least < counts.median / 2 ? ['a bucket is below half of the median'] : []),
      ...(counts.worstP99 > 3 * counts.p99 ? ['a p99 is more than three times the median of all'] : []),
    ]
    return { counts: { ...counts, buckets: buckets.length }, problems }
  },
}

export const partsOverEventStoreDb: readonly Part[] = [instances, storeMemory, storeFaults, steadyRate]
