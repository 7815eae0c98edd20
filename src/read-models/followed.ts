import { setImmediate as turn } from 'node:timers/promises'
import type { Recorded } from '../domain/event.ts'
import type { Views } from './views.ts'

/** What is read at the first call, then kept up to date by each event. Who asks meanwhile shares the reading. */
export interface Followed<A> {
  /** @throws StoreUnavailable if it cannot be read */
  readonly get: () => A | Promise<A>
  readonly close: () => void
}

interface FollowOptions<A> {
  /** Makes an empty value. `load` fills it, as of now or later; then `apply` takes what was folded meanwhile and since. */
  readonly begin: () => {
    readonly value: A
    readonly load: () => Promise<void>
    readonly apply: (event: Recorded) => void
  }
  /** Whether `apply` takes an event; all by default. */
  readonly concerns?: (event: Recorded) => boolean
  /** Events applied in one turn of the event loop. */
  readonly turnSize: number
}

/** Nothing is read before the first call, nor kept for those that never call. */
export const followEvents = <A extends object>(
  views: Pick<Views, 'watch'>,
  { begin, concerns = () => true, turnSize }: FollowOptions<A>,
): Followed<A> => {
  let followed: A | Promise<A> | undefined
  let unwatch: (() => void) | undefined

  const forget = (): void => {
    unwatch?.()
    followed = undefined
  }

  const read = async (): Promise<A> => {
    const { value, load, apply } = begin()
    /** Events folded while it is being read. */
    let missed: Recorded[] | undefined = []
    unwatch = views.watch((events) => {
      for (const event of events) {
        if (!concerns(event)) continue
        if (missed === undefined) apply(event)
        else missed.push(event)
      }
    })
    try {
      await load()
      for (const [n, event] of missed.entries()) {
        if (n % turnSize === turnSize - 1) await turn()
        apply(event)
      }
      missed = undefined
      return value
    } catch (error) {
      forget()
      throw error
    }
  }

  return {
    get: () => {
      if (followed !== undefined) return followed
      const reading = read()
      followed = reading
      reading.then(
        (value) => {
          if (followed === reading) followed = value
        },
        () => undefined,
      )
      return reading
    },
    close: forget,
  }
}
