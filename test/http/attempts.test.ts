import test from 'ava'
import fc from 'fast-check'
import { makeAttempts } from '../../src/http/attempts.ts'

const given = (countedMax?: number) => {
  const clock = { now: 1_000_000 }
  const attempts = makeAttempts(() => clock.now, countedMax)
  const fail = (address: string, name: string): void => attempts.begin(address, name)(true)
  return { clock, ...attempts, fail }
}

const address = (n: number): string => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`

test('attempts that succeed leave nothing behind', (t) => {
  const { begin, size } = given()
  for (let i = 0; i < 1000; i++) begin(address(i), 'alice')(false)
  t.is(size(), 0)
})

test('what is over is forgotten when somebody else is counted', (t) => {
  const { clock, fail, size } = given()
  for (let i = 0; i < 1000; i++) fail(address(i), `name ${i}`)
  t.is(size(), 2000)
  clock.now += 60_000
  fail('192.0.2.7', 'alice')
  t.is(size(), 2)
})

test('no flood of names and addresses is counted beyond the bound', (t) => {
  const { fail, begin, size } = given(100)
  for (let i = 0; i < 10_000; i++) {
    fail(address(i), `name ${i}`)
    begin(address(i), `other ${i}`)
    t.true(size() <= 200)
  }
})

test('a count is pushed out by nothing short of as many newer ones as there is room for', (t) => {
  const { fail, barredFor } = given(100)
  for (let i = 0; i < 10; i++) fail('192.0.2.7', 'alice')
  for (let i = 0; i < 99; i++) fail(address(i), `name ${i}`)
  t.is(barredFor('192.0.2.7', 'alice'), 60)
  fail(address(99), 'name 99')
  t.is(barredFor('192.0.2.7', 'alice'), 0)
})

test('failures that others keep adding do not make a count older than it is', (t) => {
  const { fail, barredFor } = given(100)
  for (let i = 0; i < 5; i++) fail('192.0.2.7', 'alice')
  for (let i = 0; i < 10_000; i++) fail(address(i % 99), `name ${i % 99}`)
  for (let i = 0; i < 5; i++) fail('192.0.2.7', 'alice')
  t.is(barredFor('192.0.2.7', 'alice'), 60)
})

test('an attempt that was pushed out while it was under way still counts when it fails', (t) => {
  const { begin, fail, barredFor } = given(10)
  const ends = Array.from({ length: 10 }, () => begin('192.0.2.7', 'alice'))
  for (let i = 0; i < 20; i++) fail(address(i), `name ${i}`)
  for (const end of ends) end(true)
  t.is(barredFor('192.0.2.7', 'alice'), 60)
})

test('a clock that goes back bars nobody for longer than a minute', (t) => {
  const { clock, fail, barredFor } = given()
  for (let i = 0; i < 10; i++) fail('192.0.2.7', 'alice')
  clock.now -= 3_600_000
  t.true(barredFor('192.0.2.7', 'alice') <= 60)
  for (let i = 0; i < 10; i++) fail('192.0.2.7', 'alice')
  t.is(barredFor('192.0.2.7', 'alice'), 60)
  clock.now += 60_000
  t.is(barredFor('192.0.2.7', 'alice'), 0)
})

type Step = readonly [pass: number, address: number, name: number, isFailed: boolean]

/** The rule as it is written down: failures within the minute that the first of them began, kept one by one. */
const makeModel = () => {
  const minutes = new Map<string, { since: number; failed: number }>()
  const minuteOf = (key: string, now: number) => {
    const found = minutes.get(key)
    return found !== undefined && now < found.since + 60_000 ? found : { since: now, failed: 0 }
  }
  const wait = (key: string, max: number, now: number): number => {
    const { since, failed } = minuteOf(key, now)
    return failed >= max ? Math.ceil((since + 60_000 - now) / 1000) : 0
  }
  return {
    barredFor: (from: string, name: string, now: number) =>
      Math.max(wait(from, 100, now), wait(`${from} ${name}`, 10, now)),
    fail: (from: string, name: string, now: number): void => {
      for (const key of [from, `${from} ${name}`]) {
        const { since, failed } = minuteOf(key, now)
        minutes.set(key, { since, failed: failed + 1 })
      }
    },
  }
}

test('whoever tries what when, the counts are those of the rule', (t) => {
  const step: fc.Arbitrary<Step> = fc.tuple(
    fc.oneof(
      { weight: 300, arbitrary: fc.nat({ max: 10 }) },
      { weight: 5, arbitrary: fc.nat({ max: 20_000 }) },
      { weight: 1, arbitrary: fc.nat({ max: 70_000 }) },
    ),
    fc.nat({ max: 1 }),
    fc.nat({ max: 15 }),
    fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  )
  const seen = new Set<string>()
  fc.assert(
    fc.property(fc.array(step, { minLength: 400, maxLength: 600, size: 'max' }), (steps) => {
      const { clock, begin, barredFor } = given()
      const model = makeModel()
      for (const [pass, place, number, isFailed] of steps) {
        clock.now += pass
        const [from, name] = [address(place), `name ${number}`]
        const wait = barredFor(from, name)
        t.is(wait, model.barredFor(from, name, clock.now))
        seen.add(wait === 0 ? 'tried' : 'barred')
        if (wait > 0) continue
        begin(from, name)(isFailed)
        if (isFailed) model.fail(from, name, clock.now)
      }
    }),
    { numRuns: 50 },
  )
  t.deepEqual(seen, new Set(['tried', 'barred']))
})
