import type { Part } from '../long-parts.ts'
import { costOfCrowd } from './crowd.ts'

/** Maximum memory growth in bytes: 0.1 MB per reader, and the memory for reading the log. */
const GROWN_MAX = 200e6

const feedCrowd: Part = {
  name: 'feed-crowd',
  what: '20 writes a second reach 1,000 readers of Server-Sent Events, one of them stalled',
  run: async (scope, { count = 1_000 }) => {
    const { problems, ...counts } = await costOfCrowd(scope, { readers: count - 1, writes: 600, pause: 50 })
    const found = [...problems]
    if (counts.grown >= GROWN_MAX) found.push(`${Math.round(counts.grown / 1e6)} MB more`)
    return { counts: { readers: count, ...counts }, problems: found }
  },
}

export const partsOfTheFeed: readonly Part[] = [feedCrowd]
