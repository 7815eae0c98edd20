import { useEffect, useRef, useState } from 'preact/hooks'
import { type About, type OpenReading, openReading } from '../data/reading.ts'
import type { Readable, Refused } from '../service/api.ts'
import { usePage } from './context.ts'

export interface Reading<A> {
  /** What was read last; undefined before the first answer. It stays while reading again fails. */
  readonly value: A | undefined
  readonly failed: Refused | undefined
  /** Reads everything again. */
  readonly retry: () => void
  /** Also reads these objects, and what has come into view. */
  readonly readVisible: (ids?: readonly string[]) => void
}

type Read<A> = (api: Readable, ids: readonly string[] | undefined) => Promise<A>

/**
 * Reads what a screen needs: again when something has changed that it is about, when the service answers after an
 * outage, some time after a failure, and with another `version`. `key` says what is read; with another key, what was
 * read before is forgotten.
 */
export const useReading = <A>(key: string, read: Read<A>, about: About, version: string | number = ''): Reading<A> => {
  const { api, control, news } = usePage()
  const [{ of, value, failed }, set] = useState<{ of: string; value?: A; failed?: Refused | undefined }>({ of: key })
  const open = useRef<OpenReading | undefined>(undefined)
  const latest = useRef({ read, about })
  latest.current = { read, about }
  useEffect(() => {
    const reading = openReading<A>({
      api,
      read: (...asked) => latest.current.read(...asked),
      of: (change) => latest.current.about.of(change),
      isInView: (id) => latest.current.about.isInView?.(id) ?? true,
      onValue: (next) => set({ of: key, value: next }),
      onFailed: (error) => set((before) => ({ ...(before.of === key && before), of: key, failed: error })),
    })
    open.current = reading
    let wasAnswered = control.isAnswered.peek()
    const ends = [
      news.subscribe((told) => told && reading.tell(told)),
      control.isAnswered.subscribe((isAnswered) => {
        if (isAnswered && !wasAnswered) reading.again()
        wasAnswered = isAnswered
      }),
      reading.close,
    ]
    return () => {
      for (const end of ends) end()
    }
  }, [key])
  const seen = useRef(version)
  useEffect(() => {
    if (seen.current !== version) open.current?.again()
    seen.current = version
  }, [version])
  return {
    value: of === key ? value : undefined,
    failed: of === key ? failed : undefined,
    retry: () => open.current?.again(),
    readVisible: (ids) => open.current?.readVisible(ids),
  }
}
