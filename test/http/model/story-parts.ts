import fc from 'fast-check'
import { HOUR, isBeyondQuota, SECOND, type Step, step } from './steps.ts'

/** Stories: steps in any order, and some that follow each other and would seldom meet. */

const admins = { as: 'admin', key: undefined, condition: undefined } as const

/** A SUT is retired while the clock is behind the last port assignment, so its port can only be released later. */
const leftOpen: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.integer({ min: 62 * SECOND, max: HOUR }), fc.boolean())
  .map(([by, isRebuilt]) => [
    { to: 'move the clock', by },
    { to: 'create', ...admins, fields: {} },
    { to: 'move the clock', by: 1 - by },
    { to: 'retire', ...admins, which: 1 },
    { to: 'move the clock', by },
    { to: 'restart', isRebuilt },
  ])

/** Two reservations close to each other, and an extension of the first. */
const closeTogether: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 3 }))
  .map(([apart, longer]) => {
    const window = { length: 900, nanosecond: false, offsets: [120, 60] } as const
    const of = { ...admins, which: 0, for: 'alice', isBeyondQuota: false } as const
    return [
      { to: 'reserve', ...of, window: { ...window, start: 9000 } },
      { to: 'reserve', ...of, window: { ...window, start: 9000 + 900 * apart } },
      { to: 'extend', ...of, which: 1, window: { ...window, start: 0, length: 2700 + 900 * longer } },
    ]
  })

/** A tester with a quota of one reservation gets one that may not count, then another one, and the first longer. */
const atQuota: fc.Arbitrary<readonly Step[]> = fc.tuple(isBeyondQuota, fc.boolean()).map(([isFirst, isLonger]) => {
  const window = { length: 900, nanosecond: false, offsets: [0, 0] } as const
  const of = { ...admins, which: 0, for: 'alice' } as const
  return [
    { to: 'limit', ...admins, whose: 'alice', quota: { reservations_max: 1 } },
    { to: 'reserve', ...of, isBeyondQuota: !isFirst, window: { ...window, start: 10_800 } },
    { to: 'reserve', ...of, isBeyondQuota: false, window: { ...window, start: 12_600 } },
    { to: 'extend', ...of, which: 1, isBeyondQuota: isLonger, window: { ...window, start: 0, length: 3_600 } },
  ]
})

/** Consecutive reservations from now that are released early, so that each begins where the previous ended. */
const givenBack: fc.Arbitrary<readonly Step[]> = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 200 * SECOND }), fc.integer({ min: 1, max: 3000 })), {
    minLength: 2,
    maxLength: 3,
  })
  .map((rounds) =>
    rounds.flatMap(([by, length]): readonly Step[] => {
      const window = { start: 0, length, nanosecond: false, offsets: [0, 0] } as const
      return [
        { to: 'reserve from now', ...admins, which: 0, for: 'alice', isBeyondQuota: false, window },
        { to: 'move the clock', by },
        { to: 'cancel', ...admins, which: 0 },
      ]
    }),
  )

/** A reservation is kept alive twice, the second time too early, perhaps with a restart between. */
const keptAlive: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.integer({ min: 1_750, max: 3_900 }), fc.boolean(), fc.boolean())
  .map(([seconds, isRestarted, isRebuilt]) => {
    const window = { start: 0, length: 9_000, nanosecond: false, offsets: [0, 0] } as const
    const keep = { to: 'keep', ...admins, which: 0 } as const
    return [
      { to: 'reserve from now', ...admins, which: 0, for: 'alice', isBeyondQuota: false, window, keepalive: 3_600 },
      { to: 'move the clock', by: seconds * SECOND },
      keep,
      ...(isRestarted ? [{ to: 'restart', isRebuilt } as const] : []),
      { to: 'read reservation', as: 'audrey', which: 0 },
      keep,
    ]
  })

/** A series of which the first reservation has begun when the rest is cancelled, perhaps after a restart. */
const repeated: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.constantFrom(0, 1, 2), fc.constantFrom<30 | 60>(30, 60), fc.boolean(), fc.boolean())
  .map(([zone, minutes, isRestarted, isRebuilt]) => {
    const window = { start: 9_000, length: 900, nanosecond: false, offsets: [0, 0] } as const
    const of = { ...admins, which: 0, for: 'alice', isBeyondQuota: false, window } as const
    return [
      { to: 'reserve series', ...of, rhythm: { minutes, zone: zone as 0 | 1 | 2, end: { count: 3 } } },
      ...(isRestarted ? [{ to: 'restart', isRebuilt } as const] : []),
      { to: 'read series', as: 'audrey', which: 0 },
      { to: 'move the clock', by: 9_200 * SECOND },
      { to: 'cancel series', ...admins, which: 0 },
      { to: 'read series', as: 'audrey', which: 0 },
    ]
  })

/** A story begins with a SUT. */
export const arbitrarySteps = (): fc.Arbitrary<readonly Step[]> =>
  fc
    .array(
      fc.oneof(
        { weight: 60, arbitrary: step.map((step): readonly Step[] => [step]) },
        { weight: 1, arbitrary: leftOpen },
        { weight: 1, arbitrary: closeTogether },
        { weight: 1, arbitrary: atQuota },
        { weight: 1, arbitrary: givenBack },
        { weight: 1, arbitrary: keptAlive },
        { weight: 1, arbitrary: repeated },
      ),
      { maxLength: 45, size: 'max' },
    )
    .map((parts) => [{ to: 'create', ...admins, fields: {} }, ...parts.flat()])
