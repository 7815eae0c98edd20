import { computed, effect, signal, untracked } from '@preact/signals'
import { createContext } from 'preact'
import { useContext, useEffect, useMemo, useRef } from 'preact/hooks'
import { type Entry, openCache, type Result } from '../data/cache.ts'
import type { Following } from '../data/follow.ts'
import { openKept } from '../data/kept.ts'
import type { Query } from '../data/query.ts'
import { openReservations } from '../data/reservations.ts'
import { MINUTE } from '../format/format.ts'
import type { Me, SessionControl } from '../service/session.ts'
import { currentTime } from '../service/time.ts'
import type { AsOf } from './as-of.ts'
import { openPlace } from './location.ts'
import { openTheme } from './theme.ts'
import { openWarning } from './warning.ts'

const TICK_INTERVAL_MS = 1_000

/** The time, in Unix milliseconds, to the second, and to the minute. */
const openClock = () => {
  const read = (): number => Math.floor(currentTime() / TICK_INTERVAL_MS) * TICK_INTERVAL_MS
  const clock = signal(read())
  setInterval(() => {
    clock.value = read()
  }, TICK_INTERVAL_MS)
  return { clock, minute: computed(() => Math.floor(clock.value / MINUTE) * MINUTE) }
}

export const openPage = (control: SessionControl, { news, heardAt }: Following) => {
  const { api, isAnswered } = control
  const user = computed(() => control.session.value.me?._id)
  const cache = openCache({ api, news, isAnswered })
  const reservations = openReservations(user)
  // On every screen: the navigation counts those that run, and the page warns before they end.
  effect(() => (user.value === undefined ? undefined : untracked(cache.entry(reservations.readOwn).use)))
  return {
    ...{ control, api, cache, reservations, heardAt, ...openClock() },
    ...{ warning: openWarning(), place: openPlace(), theme: openTheme() },
    /** What was asked for here and has to be kept alive while it waits. */
    kept: openKept({ api, isSignedIn: () => user.peek() !== undefined }),
    /** The moment as of which schedule and machines are shown; undefined for now. */
    asOf: signal<AsOf | undefined>(undefined),
  }
}

export type PageContext = ReturnType<typeof openPage>

const Context = createContext<PageContext | undefined>(undefined)
export const PageProvider = Context.Provider

export const usePage = (): PageContext => {
  const page = useContext(Context)
  if (page === undefined) throw new Error('a component is outside the page')
  return page
}

export const meOf = ({ control }: PageContext): Me => {
  const { me } = control.session.value
  if (me === undefined) throw new Error('nobody is signed in')
  return me
}

export interface Reading<A> extends Result<A>, Pick<Entry<A>, 'readVisible'> {
  /** Whether what is shown is of another key, and this one is being read. */
  readonly isFormer: boolean
  readonly retry: () => void
}

/**
 * Reads what is shown: again when something has changed that it is about, when the service answers after an outage,
 * some time after a failure, and with another `version`.
 */
export const useReading = <A>(query: Query<A>, version: string | number = ''): Reading<A> => {
  const { cache } = usePage()
  const entry = useMemo(() => cache.entry(query), [cache, query.key])
  entry.set(query)
  useEffect(() => entry.use(), [entry])
  useEffect(() => entry.at(version), [entry, version])
  const { value, failed } = entry.result.value
  const last = useRef<{ readonly family: string | undefined; readonly value: A }>(undefined)
  if (value !== undefined) last.current = { family: query.family, value }
  const former = query.family !== undefined && last.current?.family === query.family ? last.current.value : undefined
  return {
    value: value ?? former,
    failed,
    isFormer: value === undefined && former !== undefined,
    retry: entry.again,
    readVisible: entry.readVisible,
  }
}
