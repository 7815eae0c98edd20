import test from 'ava'
import fc from 'fast-check'
import type { Criteria } from '../../../src/domain/events/criteria.ts'
import { makeFit, profileOf } from '../../../src/domain/matching/fit.ts'
import { sutValues } from '../../domain/builders.ts'
import { type Asking, at, LINUX, lab, type Machine } from './queue-lab.ts'

/** Quarters in which a machine is taken, one by one: written without any of the calendars. */
const estimateSlowly = (machines: readonly Machine[], asking: readonly Asking[], n: number): string | null => {
  const taken = machines.map(({ held = [] }) => {
    const quarters = new Set<number>()
    for (const [from, to] of held) for (let quarter = from; quarter < to; quarter++) quarters.add(quarter)
    return quarters
  })
  const own = asking[n]
  const ranks = asking
    .map((each, at) => ({ ...each, at }))
    .filter(({ priority = 0, at }) => priority > (own?.priority ?? 0) || (priority === (own?.priority ?? 0) && at <= n))
    .sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0) || a.at - b.at)
  const fitsOf = ({ match, sut = 0 }: Asking): number[] =>
    machines.flatMap(({ os = 'linux', rack = '1' }, at) =>
      (match === undefined ? at === sut : makeFit(match)(profileOf({ ...sutValues(), os }, { rack }))) ? [at] : [],
    )
  for (const each of ranks) {
    if (each.at !== n && !fitsOf(each).some((at) => fitsOf(own as Asking).includes(at))) continue
    const { quarters = 1, expires = 96 * 7 } = each
    let got: number | undefined
    for (let start = 0; start < expires && got === undefined; start++) {
      for (const at of fitsOf(each)) {
        const { is_active = true, isOffline = false } = machines[at] ?? {}
        const span = Array.from({ length: quarters }, (_, more) => start + more)
        if (!is_active || isOffline || got !== undefined || span.some((quarter) => taken[at]?.has(quarter))) continue
        got = start
        for (const quarter of span) taken[at]?.add(quarter)
      }
    }
    if (each.at === n) return got === undefined ? null : at(got)
  }
  return null
}

const machine = fc
  .record({
    os: fc.constantFrom('linux', 'windows'),
    rack: fc.constantFrom('1', '2'),
    is_active: fc.constantFrom(true, true, true, false),
    isOffline: fc.constantFrom(false, false, false, true),
    gaps: fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 4 })), { maxLength: 3 }),
  })
  .map(({ gaps, ...rest }): Machine => {
    let from = 0
    const held = gaps.map(([gap, length]) => {
      const start = from + gap
      from = start + length
      return [start, from] as const
    })
    return { ...rest, held }
  })
const asking = fc.record(
  {
    match: fc.constantFrom<Criteria>(
      LINUX,
      { os: 'windows' },
      { tags: { rack: '1' } },
      { os: 'linux', tags: { rack: '2' } },
    ),
    quarters: fc.integer({ min: 1, max: 4 }),
    priority: fc.integer({ min: -1, max: 1 }),
    expires: fc.integer({ min: 1, max: 20 }),
  },
  { requiredKeys: ['match'] },
)

test('property: position and estimate are those of a model that tries every machine and every quarter', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(machine, { minLength: 1, maxLength: 5 }),
      fc.array(asking, { minLength: 1, maxLength: 6 }),
      async (machines, all) => {
        const { explain } = lab(machines, all)
        for (const n of all.keys()) {
          const { position, expected_at } = (await explain(n)) ?? {}
          t.is(expected_at, estimateSlowly(machines, all, n))
          const fitting = ({ match }: Asking): number[] =>
            machines.flatMap(({ os, rack }, at) =>
              makeFit(match as Criteria)(profileOf({ ...sutValues(), os: os ?? '' }, { rack: rack ?? '' })) ? [at] : [],
            )
          const isBefore = (at: number): boolean => {
            const [mine, other] = [all[n]?.priority ?? 0, all[at]?.priority ?? 0]
            return at !== n && (other > mine || (other === mine && at < n))
          }
          const mine = fitting(all[n] as Asking)
          const before = all.filter((each, at) => isBefore(at) && fitting(each).some((sut) => mine.includes(sut)))
          t.is(position, before.length)
        }
      },
    ),
    { numRuns: 60 },
  )
})
