import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Entry, Result } from '../data/cache.ts'
import type { Query } from '../data/query.ts'
import { usePage } from './context.ts'

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
