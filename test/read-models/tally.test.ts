import test from 'ava'
import fc from 'fast-check'
import { weekOf } from '../../src/domain/calendar/week.ts'
import type { Event, Recorded } from '../../src/domain/event.ts'
import { formatWithOffset } from '../../src/domain/values/instant.ts'
import { makeTally } from '../../src/read-models/usages.ts'
import { alice, idOf, LISTEN_PORT, reservationEnded, SUT_ID } from '../domain/builders.ts'
import { recordedAt } from '../domain/given-when-then.ts'
import { makeChangesOf } from './changes.ts'

const recorded = (event: Event, now = 0): Recorded => recordedAt(0, { time: now * 1000, event, more: {} })

const QUARTER = 900
/** A Sunday evening: some windows cross into the next week. */
const BEGIN = Date.parse('2030-05-05T20:00:00Z') / 1000
const written = (moment: number): string => formatWithOffset(moment, 0)

type Step = {
  readonly what: 'create' | 'extend' | 'shorten' | 'release' | 'cancel' | 'look'
  readonly n: number
  readonly beyond: boolean
}

const arbitrarySteps = (): fc.Arbitrary<readonly Step[]> =>
  fc.array(
    fc.record({
      what: fc.constantFrom('create', 'create', 'extend', 'shorten', 'release', 'release', 'cancel', 'look', 'look'),
      n: fc.nat(23),
      beyond: fc.boolean(),
    }),
    { maxLength: 60 },
  )

interface Model {
  start: number
  end: number
  /** Milliseconds. */
  created: number
  counted: number
  isExempt: boolean
  isCancelled: boolean
  isReleased: boolean
  isEnded: boolean
}

/** The event of a step, applied to the model; undefined if nothing can be done. */
const apply = (model: Model[], { what, n, beyond }: Step, now: number): Event | undefined => {
  const beyond_quota = beyond && { beyond_quota: true }
  if (what === 'create') {
    const start = BEGIN + n * QUARTER
    const end = start + QUARTER * (1 + (n % 5))
    // Asked for by its length, or recorded by a version that did not say what counts.
    const counted = Math.max(1, (n % 5) + (n % 2))
    const ofWindow = 1 + (n % 5)
    const times = { start, end, created: now * 1000, counted: n % 3 === 0 ? ofWindow : counted }
    model.push({ ...times, isExempt: beyond, isCancelled: false, isReleased: false, isEnded: false })
    const data = { _id: idOf(model.length), sut_id: SUT_ID, user_id: alice, listen_port: LISTEN_PORT }
    return {
      type: 'ReservationCreated',
      data: {
        ...data,
        start_time: written(start),
        end_time: written(end),
        ...beyond_quota,
        ...(n % 3 > 0 && { counted }),
      },
    }
  }
  const index = model.length === 0 ? -1 : n % model.length
  const found = model[index]
  if (found === undefined || found.isCancelled || found.isReleased || found.end <= now) return undefined
  const of = { _id: idOf(index + 1), sut_id: SUT_ID, user_id: alice }
  switch (what) {
    case 'extend':
      found.end += QUARTER
      found.counted++
      found.isExempt = beyond
      return { type: 'ReservationExtended', data: { ...of, end_time: written(found.end), ...beyond_quota } }
    case 'shorten':
      if (found.end - QUARTER <= Math.max(found.start, now)) return undefined
      found.end -= QUARTER
      found.counted = Math.min(found.counted, Math.ceil((found.end - found.start) / QUARTER))
      return { type: 'ReservationShortened', data: { ...of, end_time: written(found.end) } }
    case 'release':
      if (found.start > now) return undefined
      found.end = now + 1
      found.counted = Math.min(
        found.counted,
        Math.max(1, Math.ceil((found.end - Math.max(found.start, found.created / 1000)) / QUARTER)),
      )
      found.isReleased = true
      return { type: 'ReservationReleased', data: { ...of, end_time: written(found.end) } }
    case 'cancel':
      found.isCancelled = true
      return { type: 'ReservationCancelled', data: of }
    default:
      return undefined
  }
}

test('property: a tally counts what a model counts, whenever it is looked at', (t) => {
  fc.assert(
    fc.property(arbitrarySteps(), (steps) => {
      const [tally, changesOf] = [makeTally(0), makeChangesOf()]
      const model: Model[] = []
      let now = BEGIN
      for (const step of steps) {
        now += step.what === 'look' ? Math.max(0, step.n - 12) * 300 : 1
        const event = apply(model, step, now)
        if (event !== undefined) changesOf(recorded(event, now)).forEach(tally.update)
        if (step.what !== 'look') continue
        for (const [n, one] of model.entries()) {
          if (one.isCancelled || one.isReleased || one.isEnded || one.end > now || step.beyond) continue
          one.isEnded = true
          changesOf(recorded(reservationEnded(idOf(n + 1), written(one.end)), now)).forEach(tally.update)
        }
        t.is(tally.size(), model.filter((one) => !one.isCancelled && !one.isReleased && !one.isEnded).length)
        const counted = model.filter(({ isExempt, isCancelled }) => !isExempt && !isCancelled)
        t.is(tally.endingAfter(now), counted.filter(({ end, isReleased }) => !isReleased && end > now).length)
        for (const week of [weekOf(BEGIN), weekOf(BEGIN) + 1]) {
          const inWeek = counted.filter(({ start }) => weekOf(start) === week)
          t.is(
            tally.quartersIn(week),
            inWeek.reduce((sum, { counted }) => sum + counted, 0),
          )
        }
      }
    }),
    { numRuns: 500 },
  )
})
