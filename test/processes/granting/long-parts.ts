import type { Part } from '../../long-parts.ts'
import { playStories } from './stories.ts'

const queue: Part = {
  name: 'queue',
  what: '10,000 random histories of requests that wait, with crashes and two instances, held against a model',
  run: async (_, { seed, count = 10_000, progress }) =>
    playStories({ stories: count, seed, onStory: (n) => progress(`history ${n + 1} of ${count}`) }),
}

export const partsOfTheQueue: readonly Part[] = [queue]
