import { setImmediate as turn } from 'node:timers/promises'
import type { OnFolded } from './projector/follow.ts'
import type { Views } from './views.ts'

/** What is read at the first call, then kept up to date by each change. Who asks meanwhile shares the reading. */
export interface Followed<A> {
  /** @throws StoreUnavailable if it cannot be read */
  readonly get: () => A | Promise<A>
  readonly close: () => void
}

/** Makes an empty value. `load` fills it, as of now or later; then `apply` takes what was folded meanwhile and since. */
type Begin<A, C> = () => {
  readonly value: A
  readonly load: () => Promise<void>
  readonly apply: (change: C) => void
}

/** Changes applied in one turn of the event loop. */
const TURN_SIZE = 512

/**
 * Nothing is read before the first call, nor kept for those that never call.
 *
 * @param changesIn what `apply` takes of what was folded
 */
export const followViews = <A extends object, C>(
  views: Pick<Views, 'watch'>,
  begin: Begin<A, C>,
  changesIn: (...folded: Parameters<OnFolded>) => readonly C[],
): Followed<A> => {
  let followed: A | Promise<A> | undefined
  let unwatch: (() => void) | undefined

  const forget = (): void => {
    unwatch?.()
    followed = undefined
  }

  const read = async (): Promise<A> => {
    const { value, load, apply } = begin()
    /** What changed while it is being read. */
    let missed: C[] | undefined = []
    unwatch = views.watch((...folded) => {
      for (const change of changesIn(...folded)) {
        if (missed === undefined) apply(change)
        else missed.push(change)
      }
    })
    try {
      await load()
      for (const [n, change] of missed.entries()) {
        if (n % TURN_SIZE === TURN_SIZE - 1) await turn()
        apply(change)
      }
      missed = undefined
      followed = value
      return value
    } catch (error) {
      forget()
      throw error
    }
  }

  return {
    get: () => {
      followed ??= read()
      return followed
    },
    close: forget,
  }
}
