import { race } from '../../../http/races/race.ts'
import type { Part } from '../../../long-parts.ts'
import { makeRandom } from '../../../process/random.ts'
import { playSchedules } from '../fault-schedules.ts'
import { startInstances } from './instances.ts'

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

export const partsOverEventStoreDb: readonly Part[] = [instances, storeFaults]
