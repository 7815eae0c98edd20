import { parseArgs } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { makeQuotas, type Quotas } from '../../../src/commands/quotas.ts'
import type { Logged, Recorded } from '../../../src/domain/event.ts'
import type { Quota } from '../../../src/domain/events/user.ts'
import { type QuotaUse, refuseExceeding } from '../../../src/domain/reservation/quota.ts'
import { formatWithOffset } from '../../../src/domain/values/instant.ts'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import { makeUsages } from '../../../src/read-models/usages.ts'
import { idOf, reservationCreated } from '../../domain/builders.ts'
import { recordedAt } from '../../domain/given-when-then.ts'

/**
 * What quotas cost a create, in this process and without HTTP, log and views: the queue, the check, and keeping count.
 * May be 2 % of the CPU of a create (see the rows of `creates`), and nothing for users without limits.
 */

const { values } = parseArgs({
  options: { creates: { type: 'string', default: '200000' }, rounds: { type: 'string', default: '5' } },
})
const [creates, rounds] = [Number(values.creates), Number(values.rounds)]

const NOW = Date.parse('2030-05-02T06:00:00Z') / 1_000
const QUARTER = 900
const DAY = 86_400
const QUOTA: Quota = { hours_per_week: 168, reservations_max: 10_000, priority_max: 0 }

const timeAt = (seconds: number): string => formatWithOffset(seconds, 0)
const createdAt = (n: number, start: number): Recorded =>
  recordedAt(n, {
    time: NOW * 1_000,
    event: reservationCreated(idOf(n), timeAt(start), timeAt(start + QUARTER)),
    more: {},
  })

/** Quotas of one user who has some reservations ahead, and a function that folds an event. */
const given = async (quota: Quota | undefined, ahead: number) => {
  let fold: (events: readonly Logged[]) => void = () => undefined
  const rows = Array.from({ length: ahead }, (_, n) => {
    const start = NOW + 60 * DAY + n * QUARTER
    return { position: n, id: `ahead-${n}`, start, end: start + QUARTER, isExempt: false }
  })
  const read = (name: string, { after = -1, limit = 0 }: { after?: number; limit?: number }) =>
    Promise.resolve({ position: 0, listed: name === 'finishedUsage' ? [] : rows.slice(after + 1, after + 1 + limit) })
  const usages = makeUsages({
    views: {
      read: read as never,
      watch: (listener) => {
        fold = listener
        return () => undefined
      },
    },
    clock: () => NOW * 1_000,
  })
  const quotas = makeQuotas({
    quotaOf: () => quota,
    usageOf: usages.of,
    priorityMaxOf: () => null,
    waitForViews: () => true,
  })
  await usages.of('alice')
  return { quotas, fold: (event: Recorded) => fold([event as Logged]) }
}

/** Microseconds of a create. Each is cancelled at once, so that the number of reservations stays. */
const measure = async (quotas: Quotas, fold: (event: Recorded) => void): Promise<number> => {
  const made = createdAt(1, NOW + DAY)
  const { _id, sut_id, user_id } = made.data as { _id: string; sut_id: string; user_id: string }
  const cancelled = { ...made, type: 'ReservationCancelled', data: { _id, sut_id, user_id } } as Recorded
  const added = { start: NOW + DAY, quarters: 1, reservations: 1 } as const
  const create = async (use: QuotaUse | undefined) => {
    const refused = use && refuseExceeding(use, [added], NOW * 1_000)
    fold(made)
    return refused ?? E.right({ storePosition: toStorePosition(0) })
  }
  const begun = performance.now()
  for (let n = 0; n < creates; n++) {
    const ended = await quotas.run('alice', create)
    if (E.isLeft(ended)) throw new Error(ended.left.detail)
    fold(cancelled)
  }
  return ((performance.now() - begun) * 1_000) / creates
}

const median = (figures: readonly number[]): number => figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? 0

const cases: readonly (readonly [what: string, quota: Quota | undefined, ahead: number])[] = [
  ['without limits', undefined, 0],
  ...[0, 100, 1_000, 9_999].map((ahead) => [`limited, ${ahead} reservations ahead`, QUOTA, ahead] as const),
]
for (const [what, quota, ahead] of cases) {
  const { quotas, fold } = await given(quota, ahead)
  const figures: number[] = []
  for (let round = 0; round < rounds; round++) figures.push(await measure(quotas, fold))
  process.stdout.write(`${what}: ${median(figures).toFixed(2)} us\n`)
}
