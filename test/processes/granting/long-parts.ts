import type { Part } from '../../long-parts.ts'
import { playDay } from './day.ts'
import { playStories } from './stories.ts'

const queue: Part = {
  name: 'queue',
  what: '10,000 random histories of requests that wait, with crashes and two instances, held against a model',
  run: async (_, { seed, count = 10_000, progress }) =>
    playStories({ stories: count, seed, onStory: (n) => progress(`history ${n + 1} of ${count}`) }),
}

const pipelines: Part = {
  name: 'pipelines',
  what: 'a day of 64 pipelines over 8 machines, some of which are killed, with two instances that die now and then',
  run: async (scope, { seed, count = 24 }) => {
    const { problems, counts, waited } = await playDay(scope, { seed, hours: count })
    return { problems, counts: { ...counts, ...waited } }
  },
}

export const partsOfTheQueue: readonly Part[] = [queue, pipelines]
