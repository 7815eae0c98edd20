import { makeStore, type Store } from '../parts/store.ts'
import type { Readable, Refused } from '../service/api.ts'
import { toIso } from '../timeline/times.ts'
import type { News } from './news.ts'
import type { NamedReservation } from './objects.ts'
import { type About, type OpenReading, openReading } from './reading.ts'

/** The reservations of the signed-in user that are not over, by start. */
export interface Own {
  readonly reservations: readonly NamedReservation[]
  readonly isLoaded: boolean
  /** Why they could not be read at the last attempt. */
  readonly failed: Refused | undefined
}

export interface OwnControl {
  readonly own: Store<Own>
  readonly read: () => void
  /** Follows those of the signed-in user. */
  readonly follow: () => void
}

const EMPTY: Own = { reservations: [], isLoaded: false, failed: undefined }

/** Reservations that are not over, at most. A quota has 100 where nothing else is set, and a series at most 366. */
const MOST = 1_000

export const isRunning = ({ start_time, end_time }: Pick<NamedReservation, 'start_time' | 'end_time'>, now: number) =>
  Date.parse(start_time) <= now && now < Date.parse(end_time)

/** Another one whenever one of them has changed. */
export const versionOf = (reservations: readonly NamedReservation[]): string =>
  reservations.map(({ _id, start_time, end_time }) => `${_id} ${start_time} ${end_time}`).join()

const readOwn = async (api: Readable, userId: string): Promise<readonly NamedReservation[]> => {
  const query = `user_id=${userId}&from=${toIso(Date.now())}&include=names,state,series&limit=${MOST}`
  const { value } = await api.get<{ sut_reservations: readonly NamedReservation[] }>(`/api/sut_reservation?${query}`)
  return value.sut_reservations.toSorted((a, b) => Date.parse(a.start_time) - Date.parse(b.start_time))
}

/**
 * Follows the own reservations, on every screen: the navigation counts those that run, and the page warns before they
 * end.
 */
export const openOwn = (api: Readable, userId: () => string | undefined, news: Store<News | undefined>): OwnControl => {
  const own = makeStore<Own>(EMPTY)
  let reading: OpenReading | undefined
  // Whose a reservation is, a change does not say.
  const concerns: About['of'] = ({ kind, _id }) =>
    kind === 'sut_reservation' || own.get().reservations.some(({ sut_id }) => sut_id === _id) ? _id : undefined
  let followed: string | undefined
  const follow = (): void => {
    const user = userId()
    if (user === followed) return
    followed = user
    reading?.close()
    own.set(EMPTY)
    reading =
      user === undefined
        ? undefined
        : openReading({
            ...{ api, of: concerns },
            read: (asked) => readOwn(asked, user),
            onValue: (reservations) => own.set({ reservations, isLoaded: true, failed: undefined }),
            onFailed: (failed) => own.update((before) => ({ ...before, failed })),
          })
  }
  news.watch((told) => told && reading?.tell(told))
  return { own, read: () => reading?.again(), follow }
}
