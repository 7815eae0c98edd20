import test from 'ava'
import fc from 'fast-check'
import { type AttemptsOptions, makeAttempts } from '../../../src/http/authentication/attempts.ts'
import { rounds } from '../../thorough.ts'

/** Attempts where names that begin with "name" are known. */
const given = (more: Partial<AttemptsOptions> = {}) => {
  const clock = { now: 1_000_000 }
  const isKnown = (name: string): boolean => name.startsWith('name')
  const attempts = makeAttempts({ clock: () => clock.now, isKnown, secret: 'secret', ...more })
  const fail = (address: string, name: string): void => attempts.begin(address, name)('failed')
  const failOften = (times: number, address: string, name: (n: number) => string): void => {
    for (let n = 0; n < times; n++) fail(address, name(n))
  }
  return { clock, ...attempts, fail, failOften }
}

const HERE = '192.0.2.7'
/** A known and an unknown name. */
const NAMES = ['name of alice', 'nobody'] as const

const address = (n: number): string => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`

test('successful attempts are not kept', (t) => {
  const { begin, size } = given()
  for (let i = 0; i < 1000; i++) begin(address(i), 'name')('passed')
  t.is(size(), 0)
})

test('the expired counts of a flood are removed over several attempts, so that none of these takes long', (t) => {
  const { clock, fail, size } = given()
  for (let i = 0; i < 10_000; i++) fail(HERE, `other ${i}`)
  clock.now += 60_000
  fail(HERE, 'another')
  t.true(size() > 5_000)
  for (let i = 0; i < 10; i++) fail(HERE, 'another')
  t.is(size(), 2)
})

test('unknown names are counted in bounded memory, and known ones apart from them', (t) => {
  const { fail, begin, failOften, lockoutSeconds, size } = given({ unknownPairsMax: 64, addressesMax: 100 })
  failOften(10, HERE, () => 'name of alice')
  for (let i = 0; i < 10_000; i++) {
    fail(address(i), `other ${i}`)
    begin(address(i), `another ${i}`)
    t.true(size() <= 64 + 100 + 1)
  }
  t.is(lockoutSeconds(HERE, 'name of alice'), 60)
})

test('counts of known names are limited too, and the oldest is dropped', (t) => {
  const { fail, failOften, lockoutSeconds, size } = given({ pairsMax: 100, addressesMax: 1 })
  failOften(10, HERE, () => 'name of alice')
  for (let i = 0; i < 99; i++) fail(address(i), 'name of alice')
  t.is(size(), 100 + 1)
  t.is(lockoutSeconds(HERE, 'name of alice'), 60)
  fail(address(99), 'name of alice')
  t.is(size(), 100 + 1)
  t.is(lockoutSeconds(HERE, 'name of alice'), 0)
})

test('attempts in flight count towards the three', (t) => {
  for (const name of NAMES) {
    const { begin, failOften, lockoutSeconds } = given()
    failOften(100, HERE, (n) => `other ${n}`)
    const ends = [1, 2, 3].map(() => begin(HERE, name))
    t.is(lockoutSeconds(HERE, name), 1)
    for (const end of ends) end('passed')
    t.is(lockoutSeconds(HERE, name), 0)
  }
})

test('unchecked attempts are not failures, but give others priority', (t) => {
  for (const name of NAMES) {
    const { clock, begin, rank, lockoutSeconds } = given()
    for (let n = 0; n < 20; n++) begin(HERE, name)('refused')
    t.is(lockoutSeconds(HERE, name), 0)
    t.deepEqual([rank(HERE, name), rank(HERE, 'name of bob')].map(Math.floor), [20, 0])
    clock.now += 60_000
    t.is(rank(HERE, name), 0)
  }
})

test('an attempt evicted while in flight still counts when it fails', (t) => {
  const { begin, fail, lockoutSeconds } = given({ unknownPairsMax: 16, addressesMax: 10 })
  const ends = Array.from({ length: 10 }, () => begin(HERE, 'nobody'))
  for (let i = 0; i < 200; i++) fail(address(i), `other ${i}`)
  for (const end of ends) end('failed')
  t.is(lockoutSeconds(HERE, 'nobody'), 60)
})

test('a clock set back does not extend a lockout beyond a minute', (t) => {
  for (const name of NAMES) {
    const { clock, failOften, lockoutSeconds } = given()
    failOften(10, HERE, () => name)
    clock.now -= 3_600_000
    t.true(lockoutSeconds(HERE, name) <= 60)
    failOften(10, HERE, () => name)
    t.is(lockoutSeconds(HERE, name), 60)
    clock.now += 60_000
    t.is(lockoutSeconds(HERE, name), 0)
  }
})

type Step = readonly [pass: number, address: number, name: number, isFailed: boolean]

/** The documented rule: failures within a minute of the first, kept one by one. */
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
    lockoutOf: (from: string, name: string, now: number) =>
      Math.max(Math.min(wait(from, 100, now), wait(`${from} ${name}`, 3, now)), wait(`${from} ${name}`, 10, now)),
    fail: (from: string, name: string, now: number): void => {
      for (const key of [from, `${from} ${name}`]) {
        const { since, failed } = minuteOf(key, now)
        minutes.set(key, { since, failed: failed + 1 })
      }
    },
  }
}

test('property: the lockouts follow the documented rule', (t) => {
  const step: fc.Arbitrary<Step> = fc.tuple(
    fc.oneof(
      { weight: 300, arbitrary: fc.nat({ max: 10 }) },
      { weight: 5, arbitrary: fc.nat({ max: 20_000 }) },
      { weight: 1, arbitrary: fc.nat({ max: 70_000 }) },
    ),
    fc.nat({ max: 1 }),
    fc.nat({ max: 30 }),
    fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  )
  const seen = new Set<string>()
  fc.assert(
    fc.property(fc.array(step, { minLength: 400, maxLength: 600, size: 'max' }), (steps) => {
      const { clock, begin, lockoutSeconds } = given()
      const model = makeModel()
      for (const [pass, place, number, isFailed] of steps) {
        clock.now += pass
        const [from, name] = [address(place), `${number % 2 === 0 ? 'name' : 'other'} ${number}`]
        const wait = lockoutSeconds(from, name)
        t.is(wait, model.lockoutOf(from, name, clock.now))
        seen.add(wait === 0 ? 'tried' : 'locked out')
        if (wait > 0) continue
        begin(from, name)(isFailed ? 'failed' : 'passed')
        if (isFailed) model.fail(from, name, clock.now)
      }
    }),
    { numRuns: rounds(5, 50) },
  )
  t.deepEqual(seen, new Set(['tried', 'locked out']))
})
