import { join } from 'node:path'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { randomHex } from '../../event-store/new-events.ts'
import { temporaryData } from '../../http/harness.ts'
import type { Part } from '../../long-parts.ts'
import { makeNumbers } from '../../read-models/lists/many-reservations.ts'
import { writeStory } from './lawful-log.ts'
import { tamperAndVerify } from './tamper-and-verify.ts'
import { KINDS } from './tampering.ts'

const onFatal = (error: Error): never => {
  throw error
}

const tamperings: Part = {
  name: 'tamperings',
  what: '2,000 tamperings of each kind with logs of a thousand events: verify --against finds and locates each',
  run: async (scope, { seed, count = 2_000, progress }) => {
    const path = join(await temporaryData(scope), 'events.db')
    const store = openSqliteStore({ path, randomHex, onFatal })
    await writeStory(store, seed, 2_000)
    await store.close()
    const counts: Record<string, object> = {}
    const problems: string[] = []
    for (const kind of KINDS) {
      progress(kind)
      const tampered = await tamperAndVerify(path, kind, makeNumbers(seed), count)
      counts[kind] = tampered.counts
      problems.push(...tampered.problems)
    }
    return { counts, problems }
  },
}

export const partsOfVerifying: readonly Part[] = [tamperings]
