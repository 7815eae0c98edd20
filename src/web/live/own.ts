import { makeStore, type Store } from '../parts/store.ts'
import { type Api, Refused } from '../service/api.ts'
import { toIso } from '../timeline/times.ts'
import type { NamedReservation } from './objects.ts'

/** The reservations of whoever is signed in that are not over, by start. */
export interface Own {
  readonly reservations: readonly NamedReservation[]
  readonly isLoaded: boolean
  /** Why they could not be read at the last attempt. */
  readonly failed: Refused | undefined
}

export interface OwnControl {
  readonly own: Store<Own>
  readonly read: () => Promise<void>
  readonly clear: () => void
}

const EMPTY: Own = { reservations: [], isLoaded: false, failed: undefined }

/** Reservations that are not over, at most. A quota has 100 where nothing else is set. */
const MOST = 200

export const isRunning = ({ start_time, end_time }: Pick<NamedReservation, 'start_time' | 'end_time'>, now: number) =>
  Date.parse(start_time) <= now && now < Date.parse(end_time)

/**
 * Follows the own reservations, on every screen: the navigation counts those that run, and the page warns before they
 * end.
 */
export const openOwn = (
  api: Api,
  userId: () => string | undefined,
  position: Store<string | undefined>,
): OwnControl => {
  const own = makeStore<Own>(EMPTY)
  let reads = 0
  const read = async (): Promise<void> => {
    const user = userId()
    if (user === undefined) return
    reads += 1
    const number = reads
    const query = `user_id=${user}&from=${toIso(Date.now())}&include=names,state&limit=${MOST}`
    try {
      const { value } = await api.get<{ sut_reservations: readonly NamedReservation[] }>(
        `/api/sut_reservation?${query}`,
      )
      // A later read may have been answered first.
      if (number !== reads || userId() !== user) return
      const reservations = value.sut_reservations.toSorted(
        (a, b) => Date.parse(a.start_time) - Date.parse(b.start_time),
      )
      own.set({ reservations, isLoaded: true, failed: undefined })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      own.update((before) => ({ ...before, failed: error }))
    }
  }
  position.watch(() => void read())
  return { own, read, clear: () => own.set(EMPTY) }
}
