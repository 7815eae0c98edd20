import type { SinceBoot } from '../../domain/values/units.ts'
import type { ProcessClock } from '../clock.ts'

interface UnbrokenOptions {
  readonly isReady: () => boolean
  readonly clock: ProcessClock
  readonly sinceBoot: SinceBoot
}

/** A longer time between checks is a break: the process was suspended, or had no processor. */
const CHECK_GAP_MAX_MS = 10_000
/** A larger step of the wall clock is a break: less time may have passed than it says. */
const STEP_MAX_MS = 1_000

/** For how long holders could have reached this instance without a break. */
export const makeUnbroken = ({ isReady, clock, sinceBoot }: UnbrokenOptions) => {
  let began: number | undefined
  let last = { at: sinceBoot(), offset: clock.now() - sinceBoot() }
  return {
    /** Milliseconds, as of the last check; 0 while they cannot. */
    lasting: (): number => (began === undefined ? 0 : last.at - began),
    /** To be called often. */
    check: (): void => {
      const at = sinceBoot()
      const offset = clock.now() - at
      const isBroken = at - last.at > CHECK_GAP_MAX_MS || Math.abs(offset - last.offset) > STEP_MAX_MS
      last = { at, offset }
      if (!isReady() || !clock.mayRecord()) began = undefined
      else if (isBroken) began = at
      else began ??= at
    },
  }
}

export type Unbroken = ReturnType<typeof makeUnbroken>
