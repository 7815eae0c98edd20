import type { PublicPosition } from '../../domain/values/position.ts'
/** A violation found in a log. */
export interface Finding {
  /** Position in the log; null for the log as a whole. */
  readonly position: PublicPosition | null
  /** One sentence. */
  readonly what: string
}

/** In the order of the log, what concerns it as a whole last. */
export const byPosition = (a: Finding, b: Finding): number =>
  (a.position ?? Number.POSITIVE_INFINITY) - (b.position ?? Number.POSITIVE_INFINITY) || 0

/** Maximum findings kept. */
const KEPT_MAX = 10_000

export const makeFindings = () => {
  const list: Finding[] = []
  let count = 0
  return {
    add: (position: PublicPosition | null, what: string): void => {
      count++
      if (list.length < KEPT_MAX) list.push({ position, what })
    },
    /** Total number, including those not kept. */
    count: (): number => count,
    list: (): readonly Finding[] => list,
  }
}

export type Findings = ReturnType<typeof makeFindings>
