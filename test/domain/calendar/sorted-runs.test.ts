import test from 'ava'
import fc from 'fast-check'
import { makeSortedRuns, RUN_MAX, type Runs } from '../../../src/domain/calendar/sorted-runs.ts'

const HOUR = 3_600_000
/** Distinct numbers in no particular order. */
const keyOf = (n: number): number => Math.imul(n, 0x9e3779b1)

const filled = (count: number, timeOf: (n: number) => number): { runs: Runs; most: number } => {
  const { add } = makeSortedRuns({
    width: 2,
    key: 1,
    keptFor: 24 * HOUR,
    spanMax: Number.POSITIVE_INFINITY,
  })
  let runs: Runs = []
  let most = 0
  for (let n = 0; n < count; n++) {
    runs = add(runs, [keyOf(n), n], timeOf(n))
    most = Math.max(most, runs.length)
  }
  return { runs, most }
}

test('many rows are kept in few runs of limited length, and every row is found', (t) => {
  const count = 150_000
  const { runs, most } = filled(count, () => 0)
  t.true(most < 16, `${most} runs`)
  t.true(runs.every(({ size }) => size <= RUN_MAX))
  const { find } = makeSortedRuns({ width: 2, key: 1, keptFor: 0, spanMax: 0 })
  for (let n = 0; n < count; n += 999) {
    const found = find(runs, [keyOf(n)])
    t.is(found?.numbers[(found?.at ?? 0) + 1], n)
  }
  t.is(find(runs, [keyOf(count)]), undefined)
})

/** How the first numbers of keys may lie: as those of hashes do, close together, far apart, and mostly the same. */
const spread: Readonly<Record<string, fc.Arbitrary<number>>> = {
  evenly: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  'close together': fc.integer({ min: 0, max: 2_000 }),
  'at both ends': fc.oneof(
    fc.integer({ min: -(2 ** 31), max: -(2 ** 31) + 500 }),
    fc.integer({ min: 2 ** 31 - 501, max: 2 ** 31 - 1 }),
  ),
  'on a few numbers': fc.constantFrom(-5, 0, 7),
}

for (const [how, first] of Object.entries(spread)) {
  test(`property: with keys that lie ${how}, exactly the rows that were added are found`, (t) => {
    const { add, find } = makeSortedRuns({ width: 3, key: 2, keptFor: HOUR, spanMax: HOUR })
    const key = fc.tuple(first, fc.integer({ min: 0, max: 200 }))
    const property = fc.property(
      fc.array(key, { minLength: 300, maxLength: 1_500, size: 'max' }),
      fc.array(key, { minLength: 20, maxLength: 20 }),
      (added, others) => {
        let runs: Runs = []
        for (const [n, row] of added.entries()) runs = add(runs, [...row, n], 0)
        const newest = new Map(added.map((row, n) => [row.join(), n]))
        for (const asked of [...added, ...others]) {
          const found = find(runs, asked)
          t.is(found?.numbers[found.at + 2], newest.get(asked.join()))
        }
      },
    )
    fc.assert(property, { numRuns: 20 })
  })
}

test('at most the rows of one day and one more run are kept', (t) => {
  // A row every 1.5 seconds: 57,600 a day.
  const { runs } = filled(180_000, (n) => n * 1_500)
  const kept = runs.reduce((sum, { size }) => sum + size, 0)
  t.true(kept >= 57_600 && kept <= 57_600 + RUN_MAX, `${kept} rows`)
})
