import type { ReadonlySignal, Signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext, useEffect, useMemo, useRef } from 'preact/hooks'
import type { Cache, Entry, Result } from '../data/cache.ts'
import type { Kept } from '../data/kept.ts'
import type { Query } from '../data/query.ts'
import type { Reservations } from '../data/reservations.ts'
import type { Api } from '../service/api.ts'
import type { Me, SessionControl } from '../service/session.ts'
import type { AsOf } from './as-of.ts'
import type { Clock } from './clock.ts'
import type { Place } from './location.ts'
import type { Theme } from './theme.ts'
import type { Warning } from './warning.ts'

export interface PageContext extends Clock {
  readonly control: SessionControl
  readonly api: Api
  readonly cache: Cache
  readonly reservations: Reservations
  /** What was asked for here and has to be kept alive while it waits. */
  readonly kept: Kept
  readonly warning: Signal<Warning>
  readonly place: ReadonlySignal<Place>
  /** The moment as of which schedule and machines are shown; undefined for now. */
  readonly asOf: Signal<AsOf | undefined>
  readonly theme: Signal<Theme>
  readonly heardAt: ReadonlySignal<number>
}

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
