import type { Recorded } from '../../../src/domain/event.ts'
import { formatMilliseconds, formatWithOffset } from '../../../src/domain/values/instant.ts'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import { idOf, metadata, reservationCreated, sutCreated } from '../../domain/builders.ts'

/** Pseudo-random numbers that are the same in every run. */
export const makeNumbers = (seed: number): ((below: number) => number) => {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

export interface Scale {
  readonly reservations: number
  readonly suts: number
  readonly users: number
}

/** The start of the period, in Unix seconds. */
export const FIRST = Date.parse('2030-01-01T00:00:00Z') / 1000
const QUARTER = 900
/** Days over which reservations are spread. Each is made up to three weeks ahead. */
export const DAYS = 366

export const sutId = (n: number): string => idOf(n)
export const userId = (n: number): string => idOf(1_000_000 + n)
const reservationId = (n: number): string => idOf(10_000_000 + n)

/** The creation of SUTs and then, over a year, of their reservations. Windows may overlap, which does not matter here. */
export function* manyEvents({ reservations, suts, users }: Scale): Generator<Recorded> {
  const number = makeNumbers(1)
  const common = (n: number) => ({ id: `event ${n}`, stream: 'story', revision: n, storePosition: toStorePosition(n) })
  for (let n = 0; n < suts; n++) {
    yield {
      ...common(n),
      ...sutCreated({ _id: sutId(n), name: `machine ${n}` }),
      metadata: metadata('2029-12-31T00:00:00.000Z'),
    }
  }
  for (let n = 0; n < reservations; n++) {
    const made = FIRST + Math.floor(((n / reservations) * DAYS * 86_400) / QUARTER) * QUARTER
    const start = made + number(21 * 96) * QUARTER
    // Most are short. One in a thousand lasts a week.
    const quarters = number(1000) === 0 ? 7 * 96 : 1 + number(8)
    const created = reservationCreated(
      reservationId(n),
      formatWithOffset(start, 0),
      formatWithOffset(start + quarters * QUARTER, 0),
      // The first user is a pipeline that makes half of them.
      userId(number(2) === 0 ? 0 : number(users)),
    )
    const event = { ...created, data: { ...created.data, sut_id: sutId(number(suts)) } }
    yield { ...common(suts + n), ...event, metadata: metadata(formatMilliseconds(made * 1000)) }
  }
}
