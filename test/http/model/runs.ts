/** Stories: steps in any order, and some that follow each other and would seldom meet. */

import fc from 'fast-check'
import type { Tidying } from '../harness.ts'
import { type Step, step } from './steps.ts'
import { emptyData, played } from './stories.ts'
import { HOUR, isBeyondQuota, SECOND } from './wishes.ts'

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

/** A window of some seconds, and who reserves it for whom. */
const windowOf = (start: number, length: number) => ({ start, length, nanosecond: false, offsets: [120, 60] }) as const
const forAlice = { ...admins, which: 0, for: 'alice', isBeyondQuota: false, keepalive: undefined } as const

/** Two reservations close to each other, and an extension of the first. */
const closeTogether: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 3 }))
  .map(([apart, longer]) => [
    { to: 'reserve', ...forAlice, window: windowOf(9000, 900) },
    { to: 'reserve', ...forAlice, window: windowOf(9000 + 900 * apart, 900) },
    { to: 'extend', ...forAlice, which: 1, window: windowOf(0, 2700 + 900 * longer) },
  ])

/** A tester with a quota of one reservation gets one that may not count, then two others, and the first longer. */
const atQuota: fc.Arbitrary<readonly Step[]> = fc.tuple(isBeyondQuota, fc.boolean()).map(([isFirst, isLonger]) => [
  { to: 'limit', ...admins, whose: 'alice', quota: { reservations_max: 1 } },
  { to: 'reserve', ...forAlice, isBeyondQuota: !isFirst, window: windowOf(10_800, 900) },
  { to: 'reserve', ...forAlice, window: windowOf(12_600, 900) },
  { to: 'reserve any', ...forAlice, window: windowOf(14_400, 900) },
  { to: 'extend', ...forAlice, which: 1, isBeyondQuota: isLonger, window: windowOf(0, 3_600) },
])

/** Consecutive reservations from now that are released early, so that each begins where the previous ended. */
const givenBack: fc.Arbitrary<readonly Step[]> = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 200 * SECOND }), fc.integer({ min: 1, max: 3000 })), {
    minLength: 2,
    maxLength: 3,
  })
  .map((rounds) =>
    rounds.flatMap(([by, length]): readonly Step[] => [
      { to: 'reserve from now', ...forAlice, window: windowOf(0, length) },
      { to: 'move the clock', by },
      { to: 'cancel', ...admins, which: 0 },
    ]),
  )

const restarts = fc
  .option(fc.boolean(), { nil: undefined, freq: 1 })
  .map((isRebuilt): readonly Step[] => (isRebuilt === undefined ? [] : [{ to: 'restart', isRebuilt }]))

/** A reservation is kept alive twice, the second time too early, perhaps with a restart between. */
const keptAlive: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.integer({ min: 1_750, max: 3_900 }), restarts)
  .map(([seconds, restarted]) => [
    { to: 'reserve from now', ...forAlice, window: windowOf(0, 9_000), keepalive: 3_600 },
    { to: 'move the clock', by: seconds * SECOND },
    { to: 'keep', ...admins, which: 0 },
    ...restarted,
    { to: 'read reservation', as: 'audrey', which: 0 },
    { to: 'keep', ...admins, which: 0 },
  ])

/** A series of which the first reservation has begun when the rest is cancelled, perhaps after a restart. */
const repeated: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.constantFrom<0 | 1 | 2>(0, 1, 2), fc.constantFrom<30 | 60>(30, 60), restarts)
  .map(([zone, minutes, restarted]) => [
    { to: 'reserve series', ...forAlice, window: windowOf(9_000, 900), rhythm: { minutes, zone, end: { count: 3 } } },
    ...restarted,
    { to: 'read series', as: 'audrey', which: 0 },
    { to: 'move the clock', by: 9_200 * SECOND },
    { to: 'cancel series', ...admins, which: 0 },
    { to: 'read series', as: 'audrey', which: 0 },
  ])

/** A story begins with a SUT. */
const arbitrarySteps = (): fc.Arbitrary<readonly Step[]> =>
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

export interface Runs {
  readonly stories: number
  readonly seed: number
  readonly onStory?: () => void
}

export interface RunsReport {
  readonly steps: number
  /** The number of steps by kind and outcome. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly problems: readonly string[]
}

/** Stories played in parallel. Most of their time is spent waiting for the disk. */
const LANES = 3

type Failed = Pick<fc.RunDetails<[readonly Step[]]>, 'seed' | 'counterexamplePath' | 'errorInstance'>

const describeFailure = ({ seed, counterexamplePath, errorInstance }: Failed): string =>
  `seed ${seed}, path "${counterexamplePath}": ${errorInstance instanceof Error ? errorInstance.message : errorInstance}`

/** Plays random stories against the model. */
export const playStories = async (t: Tidying, runs: Runs): Promise<RunsReport> => {
  const { stories, seed, onStory } = runs
  const template = await emptyData(t)
  const outcomes: Record<string, number> = {}
  const problems: string[] = []
  let steps = 0
  const property = fc.asyncProperty(arbitrarySteps(), async (story) => {
    for (const outcome of await played(template, story)) {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      steps++
    }
    onStory?.()
  })
  const lane = async (n: number): Promise<void> => {
    const numRuns = Math.ceil((stories - n) / LANES)
    if (numRuns < 1) return
    const report = await fc.check(property, { numRuns, seed: seed + n })
    if (report.failed) problems.push(describeFailure(report))
  }
  await Promise.all(Array.from({ length: LANES }, (_, n) => lane(n)))
  return { steps, outcomes, problems }
}
