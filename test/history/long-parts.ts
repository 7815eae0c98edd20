import { start } from '../http/harness.ts'
import { NOW } from '../http/requests.ts'
import type { Part } from '../long-parts.ts'
import { makeRandom } from '../process/random.ts'
import { castOf, playBack } from './stories.ts'

/** Stories per log. */
const PER_LOG = 100

const history: Part = {
  name: 'history',
  what: '2,000 random histories: each object and list as of every event and time, compared with the answers of then',
  run: async (scope, { seed, count = 2_000, progress }) => {
    const random = makeRandom(seed)
    const counts = { histories: 0, events: 0, answers: 0 }
    const problems: string[] = []
    while (counts.histories < count) {
      const cast = castOf(await start(scope, { now: NOW }), random)
      for (let n = 0; n < PER_LOG && counts.histories < count; n++) {
        const { events, answers, faults } = await playBack(cast, `story ${n}`, 4 + random.below(20))
        counts.histories++
        counts.events += events
        counts.answers += answers
        problems.push(...faults.slice(0, 5))
        progress(`history ${counts.histories} of ${count}`)
      }
      await cast.services[0]?.stop()
    }
    return { counts, problems: problems.slice(0, 20) }
  },
}

export const partsOfHistory: readonly Part[] = [history]
