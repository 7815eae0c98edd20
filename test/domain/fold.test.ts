import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import fc from 'fast-check'
import type { Recorded } from '../../src/domain/event.ts'
import { sutDecider } from '../../src/domain/sut/decide.ts'
import { clock, idOf, sutUpdated } from './builders.ts'
import { arbitrarySteps } from './calendar/arbitrary-steps.ts'
import { played } from './calendar/calendar-stories.ts'
import { recordedAt } from './given-when-then.ts'

const CHILD = fileURLToPath(new URL('fold-in-child.ts', import.meta.url))

/** Logs with windows in many offsets, and tags whose order depends on the language. */
const suts: readonly (readonly Recorded[])[] = fc
  .sample(arbitrarySteps(), { numRuns: 12, seed: 590780 })
  .map((steps) => played(steps).log)
  .map((log) => {
    const time = Date.parse(log.at(-1)?.metadata.time ?? '')
    const event = sutUpdated({ tags: { z: 'z', i: 'i', I: 'I', a: 'ä', Z: 'Z', '10': '10', '9': '9' } })
    return [...log, recordedAt(log.length, { time, event, more: { key: `${'k'.repeat(22)}.${'r'.repeat(22)}` } })]
  })
const ports: readonly Recorded[] = [20000, 20001, 20002].flatMap((listen_port, n) => {
  const data = { listen_port, sut_id: idOf(n) }
  const time = clock('05:00') + n * 100_000
  return [
    recordedAt(2 * n, { time, event: { type: 'ListenPortAssigned', data }, more: {} }),
    recordedAt(2 * n + 1, { time, event: { type: 'ListenPortReleased', data }, more: {} }),
  ]
})

interface Folded {
  readonly states: unknown
  readonly inThisZone: string
  readonly inThisLanguage: string
}
const foldedUnder = (TZ: string, language: string): Folded => {
  const env = { ...process.env, TZ, LANG: language, LC_ALL: language }
  const input = JSON.stringify({ suts, ports })
  const { stdout, stderr, status } = spawnSync(process.execPath, [CHILD], { env, input, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

test('thorough: every prefix of a log folds to the same state in any time zone and language', (t) => {
  const here = foldedUnder('UTC', 'en_US.UTF-8')
  const elsewhere = [
    foldedUnder('Asia/Kathmandu', 'de_DE.UTF-8'),
    foldedUnder('America/St_Johns', 'tr_TR.UTF-8'),
    foldedUnder('Pacific/Kiritimati', 'ar_EG.UTF-8'),
  ]
  for (const { states } of elsewhere) t.deepEqual(states, here.states)
  t.is(JSON.stringify(here.states).includes('"windows":[[{'), true, 'the states include calendars')
  // Control: the zone and language of the processes do differ.
  const [zones, languages] = [new Set([here.inThisZone]), new Set([here.inThisLanguage])]
  for (const { inThisZone, inThisLanguage } of elsewhere) {
    zones.add(inThisZone)
    languages.add(inThisLanguage)
  }
  t.deepEqual([zones.size, languages.size > 1], [4, true])
})

test('property: folding continues from a saved state as from the original', (t) => {
  const property = fc.property(fc.constantFrom(...suts), fc.nat(), (log, n) => {
    const split = n % (log.length + 1)
    const state = log.slice(0, split).reduce(sutDecider.evolve, sutDecider.initial)
    const saved = JSON.parse(JSON.stringify(state))
    const whole = log.reduce(sutDecider.evolve, sutDecider.initial)
    t.deepEqual(log.slice(split).reduce(sutDecider.evolve, saved), whole)
  })
  fc.assert(property)
})
