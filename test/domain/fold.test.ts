import test from 'ava'
import fc from 'fast-check'
import type { Recorded } from '../../src/domain/event.ts'
import { sutDecider } from '../../src/domain/sut/decide.ts'
import { userDecider } from '../../src/domain/user/decide.ts'
import { sutUpdated } from './builders.ts'
import { arbitrarySteps } from './calendar/arbitrary-steps.ts'
import { played } from './calendar/calendar-stories.ts'
import { recordedAt } from './given-when-then.ts'
import { arbitraryUserLog } from './user/people.ts'

/** Logs with windows in many offsets, and tags whose order depends on the language. */
const suts: readonly (readonly Recorded[])[] = fc
  .sample(arbitrarySteps(), { numRuns: 12, seed: 590780 })
  .map((steps) => played(steps).log)
  .map((log) => {
    const time = Date.parse(log.at(-1)?.metadata.time ?? '')
    const event = sutUpdated({ tags: { z: 'z', i: 'i', I: 'I', a: 'ä', Z: 'Z', '10': '10', '9': '9' } })
    return [...log, recordedAt(log.length, { time, event, more: { key: `${'k'.repeat(22)}.${'r'.repeat(22)}` } })]
  })

for (const [of, decider, logs] of [
  ['a SUT', sutDecider, fc.constantFrom(...suts)],
  ['users', userDecider, arbitraryUserLog()],
] as const) {
  test(`property: folding the log of ${of} continues from a saved state as from the original`, (t) => {
    const evolve = decider.evolve as (state: unknown, event: Recorded) => unknown
    const property = fc.property(logs as fc.Arbitrary<readonly Recorded[]>, fc.nat(), (log, n) => {
      const split = n % (log.length + 1)
      const state = log.slice(0, split).reduce(evolve, decider.initial as unknown)
      const saved = JSON.parse(JSON.stringify(state))
      t.deepEqual(log.slice(split).reduce(evolve, saved), log.reduce(evolve, decider.initial as unknown))
    })
    fc.assert(property)
  })
}
