import type { Part } from '../../../long-parts.ts'
import { playSchedules } from '../fault-schedules.ts'

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

export const partsOverEventStoreDb: readonly Part[] = [storeFaults]
