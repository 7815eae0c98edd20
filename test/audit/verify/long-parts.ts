import { join } from 'node:path'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { randomHex } from '../../event-store/new-events.ts'
import { temporaryData } from '../../http/harness.ts'
import type { Part } from '../../long-parts.ts'
import { makeNumbers } from '../../read-models/lists/many-reservations.ts'
import { writeStory } from '../rules/lawful-log.ts'
import { tamperAndVerify, verifyFile } from './tamper-and-verify.ts'
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

const validLogs: Part = {
  name: 'valid-logs',
  what: '200 random logs written by the commands: verify finds nothing',
  run: async (scope, { seed, count = 200, progress }) => {
    const directory = await temporaryData(scope)
    let events = 0
    const problems: string[] = []
    for (let n = 0; n < count; n++) {
      progress(`log ${n + 1} of ${count}`)
      const path = join(directory, `${n}.db`)
      const store = openSqliteStore({ path, randomHex, onFatal })
      await writeStory(store, seed + n, 500)
      await store.close()
      const verified = await verifyFile(path, [])
      events += verified.events
      problems.push(...verified.findings.map(({ position, what }) => `log ${n}, ${position}: ${what}`))
    }
    return { counts: { logs: count, events }, problems }
  },
}

export const partsOfVerifying: readonly Part[] = [tamperings, validLogs]
