/**
 * Random histories with a simulated clock: at every moment the open ports are exactly those of running reservations
 * that are forwarded here.
 */

import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { rounds } from '../../thorough.ts'
import { makeLab, type Step, SUTS, USERS } from './lab.ts'

const aStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('book' as const),
      sut: fc.nat(SUTS - 1),
      user: fc.nat(USERS - 1),
      in: fc.nat(7),
      for: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('extend' as const), which: fc.nat(50) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(50) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 3_000 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('set' as const), seconds: fc.integer({ min: -7_200, max: 7_200 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retag' as const), sut: fc.nat(SUTS - 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('bar' as const), user: fc.nat(USERS - 1) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
)

const holds = async (steps: readonly Step[]): Promise<boolean> => {
  const lab = makeLab()
  await lab.start()
  try {
    for (const step of steps) {
      await lab.take(step)
      if (lab.open().join() !== lab.expected().join()) return false
    }
    return true
  } finally {
    lab.stop()
  }
}

const aHistory = fc.array(aStep, { maxLength: 60, size: 'max' })

test('a read that fails for a moment delays a port, and nothing ends', async (t) => {
  const lab = makeLab()
  await lab.start()
  t.teardown(lab.stop)
  await lab.take({ kind: 'book', sut: 0, user: 0, in: 1, for: 2 })
  lab.makeReadable(false)
  await lab.take({ kind: 'pass', seconds: 1_000 })
  t.deepEqual(lab.open(), [])
  lab.makeReadable(true)
  await lab.take({ kind: 'pass', seconds: 1 })
  t.is(lab.open().length, 1)
  t.deepEqual(lab.open(), lab.expected())
})

const aLabWithAnOpenPort = async (t: ExecutionContext) => {
  const lab = makeLab()
  await lab.start()
  t.teardown(lab.stop)
  await lab.take({ kind: 'book', sut: 0, user: 0, in: 1, for: 2 })
  await lab.take({ kind: 'pass', seconds: 1_000 })
  return lab
}

test('all ports are opened again after the gateway has lost them', async (t) => {
  const lab = await aLabWithAnOpenPort(t)
  t.deepEqual(lab.told(), [20_000])
  lab.lose()
  await lab.take({ kind: 'pass', seconds: 1 })
  t.deepEqual(lab.told(), [20_000])
})

test('at every moment of random histories the open ports are exactly those of running reservations', async (t) => {
  await t.notThrowsAsync(() =>
    fc.assert(
      fc.asyncProperty(aHistory, (steps) => holds(steps)),
      { numRuns: rounds(60, 300) },
    ),
  )
})

/** One that runs until 06:15, and one that begins then. */
const BOOKED: readonly Step[] = [
  { kind: 'book', sut: 0, user: 0, in: 0, for: 1 },
  { kind: 'book', sut: 1, user: 1, in: 1, for: 1 },
]

/** A lab whose clock has jumped, so that it is not trusted. */
const jumped = async (seconds: number) => {
  const lab = makeLab()
  await lab.start()
  for (const step of BOOKED) await lab.take(step)
  lab.trust(false)
  await lab.take({ kind: 'set', seconds })
  return lab
}

test('while the clock is not trusted ports stay as they are, and when it is back they follow at once', async (t) => {
  const lab = await jumped(7_200)
  t.teardown(lab.stop)
  t.deepEqual(lab.open(), [20_000])
  t.deepEqual(lab.areRunning(), [true])
  await lab.take({ kind: 'book', sut: 2, user: 0, in: 0, for: 1 })
  t.deepEqual(lab.open(), [20_000], 'nothing opens')
  await lab.take({ kind: 'set', seconds: -7_200 })
  lab.trust(true)
  await lab.take({ kind: 'pass', seconds: 1 })
  t.deepEqual(lab.open(), [20_000])
  await lab.take({ kind: 'pass', seconds: 900 })
  t.deepEqual(lab.open(), [20_001])
})

test('a release closes its port also while the clock is not trusted, and so does barring the holder', async (t) => {
  for (const step of [
    { kind: 'end', which: 0 },
    { kind: 'bar', user: 0 },
  ] as const) {
    const lab = await jumped(-600)
    t.teardown(lab.stop)
    await lab.take(step)
    t.deepEqual(lab.open(), [], step.kind)
  }
})
