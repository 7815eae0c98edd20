import fc from 'fast-check'
import type { Tidying } from '../harness.ts'
import type { Step } from './steps.ts'
import { emptyData, played } from './stories.ts'
import { arbitrarySteps } from './story-parts.ts'

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
