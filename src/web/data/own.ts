import { type ReadonlySignal, signal } from '@preact/signals'
import { toIso } from '../format/times.ts'
import type { Readable, Refused } from '../service/api.ts'
import type { News } from './news.ts'
import type { NamedReservation, SutRequest } from './objects.ts'
import { type About, type OpenReading, ofKinds, openReading } from './reading.ts'

/** What the signed-in user has, and waits for. */
export interface Own {
  /** Those that are not over, by start. */
  readonly reservations: readonly NamedReservation[]
  /** Those that wait, the oldest first. */
  readonly requests: readonly SutRequest[]
  /** The last requests that were granted while the page was open, until one has seen it. */
  readonly granted: readonly SutRequest[]
  readonly isLoaded: boolean
  /** Why they could not be read at the last attempt. */
  readonly failed: Refused | undefined
}

export interface OwnControl {
  readonly own: ReadonlySignal<Own>
  readonly read: () => void
  /** That one has seen that a request was granted. */
  readonly see: (requestId: string) => void
  /** Follows those of the signed-in user. */
  readonly follow: () => void
}

const EMPTY: Own = { reservations: [], requests: [], granted: [], isLoaded: false, failed: undefined }

/**
 * Reservations that are not over, and requests, at most. A quota has 100 where nothing else is set, and a series at
 * most 366.
 */
const MOST = 1_000

export const isRunning = ({ start_time, end_time }: Pick<NamedReservation, 'start_time' | 'end_time'>, now: number) =>
  Date.parse(start_time) <= now && now < Date.parse(end_time)

/** Another one whenever one of them has changed. */
export const versionOf = (reservations: readonly NamedReservation[]): string =>
  reservations.map(({ _id, start_time, end_time }) => `${_id} ${start_time} ${end_time}`).join()

const readOwn = async (api: Readable, userId: string): Promise<readonly NamedReservation[]> => {
  const query = `user_id=${userId}&from=${toIso(Date.now())}&include=names,state,series&limit=${MOST}`
  const { value } = await api.get(`/api/sut_reservation?${query}`)
  const reservations = value.sut_reservations as readonly NamedReservation[]
  return reservations.toSorted((a, b) => Date.parse(a.start_time) - Date.parse(b.start_time))
}

/** Those that wait, and those of `before` that no longer do and were granted. */
const readRequests = async (api: Readable, userId: string, before: readonly SutRequest[]) => {
  const { value } = await api.get(`/api/sut_request?user_id=${userId}&status=waiting&limit=${MOST}`)
  const waiting = value.sut_requests
  const gone = before.filter(({ _id }) => !waiting.some((each) => each._id === _id))
  const ended = await Promise.all(gone.map(async ({ _id }) => (await api.get(`/api/sut_request/${_id}`)).value))
  return {
    requests: waiting.toReversed(),
    granted: ended.filter(({ status }) => status === 'granted'),
  }
}

/**
 * Follows the own reservations and requests, on every screen: the navigation counts those that run, the page warns before they end
 * and tells of what was granted.
 */
export const openOwn = (
  api: Readable,
  userId: () => string | undefined,
  news: ReadonlySignal<News | undefined>,
): OwnControl => {
  const own = signal<Own>(EMPTY)
  const set = (change: Partial<Own>): void => {
    own.value = { ...own.peek(), ...change }
  }
  let readings: readonly OpenReading[] = []
  // Whose a reservation is, a change does not say.
  const concerns: About['of'] = ({ kind, _id }) =>
    kind === 'sut_reservation' || own.peek().reservations.some(({ sut_id }) => sut_id === _id) ? _id : undefined
  let followed: string | undefined
  const follow = (): void => {
    const user = userId()
    if (user === followed) return
    followed = user
    for (const reading of readings) reading.close()
    own.value = EMPTY
    readings =
      user === undefined
        ? []
        : [
            openReading({
              ...{ api, of: concerns },
              read: (asked) => readOwn(asked, user),
              onValue: (reservations) => set({ reservations, isLoaded: true, failed: undefined }),
              onFailed: (failed) => set({ failed }),
            }),
            openReading({
              ...{ api, ...ofKinds('sut_request') },
              read: (asked) => readRequests(asked, user, own.peek().requests),
              onValue: ({ requests, granted }) =>
                set({ requests, granted: [...own.peek().granted, ...granted].slice(-MOST) }),
              // It is tried again, and no screen waits for it.
              onFailed: () => undefined,
            }),
          ]
  }
  const read = (): void => {
    for (const reading of readings) reading.again()
  }
  const see: OwnControl['see'] = (requestId) =>
    set({ granted: own.peek().granted.filter(({ _id }) => _id !== requestId) })
  news.subscribe((told) => {
    for (const reading of told ? readings : []) if (told) reading.tell(told)
  })
  return { own, read, see, follow }
}
