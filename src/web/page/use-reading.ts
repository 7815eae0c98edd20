import { useEffect, useMemo } from 'preact/hooks'
import type { Entry, Result } from '../data/cache.ts'
import type { Query } from '../data/query.ts'
import { usePage } from './context.ts'

export interface Reading<A> extends Result<A>, Pick<Entry<A>, 'readVisible'> {
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
  return { ...entry.result.value, retry: entry.again, readVisible: entry.readVisible }
}
