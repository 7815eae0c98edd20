import { useEffect, useState } from 'preact/hooks'
import { useStore } from '../parts/store.ts'
import { Refused } from '../service/api.ts'
import { usePage } from './context.ts'

/** Milliseconds between tries after a failure. */
export const RETRY_AFTER = 8_000

export interface Reading<A> {
  /** What was read last; undefined before the first answer. It stays while reading again fails. */
  readonly value: A | undefined
  readonly failed: Refused | undefined
  readonly retry: () => void
}

/**
 * Reads what a screen needs: again when the log has moved, when the service answers after an outage, and some time
 * after a failure. `key` says what is read; with another key, what was read before is forgotten.
 */
export const useReading = <A>(key: string, read: () => Promise<A>): Reading<A> => {
  const { control, position } = usePage()
  const isAnswered = useStore(control.reach, (reach) => reach.isAnswered)
  const reached = useStore(position)
  const [{ of, value, failed }, set] = useState<{ of: string; value?: A; failed?: Refused | undefined }>({ of: key })
  const [attempt, setAttempt] = useState(0)
  const retry = (): void => setAttempt((before) => before + 1)
  useEffect(() => {
    let isCurrent = true
    let timer: ReturnType<typeof setTimeout> | undefined
    read().then(
      (next) => isCurrent && set({ of: key, value: next }),
      (error: unknown) => {
        if (!(error instanceof Refused)) throw error
        if (!isCurrent) return
        set((before) => ({ ...(before.of === key && before), of: key, failed: error }))
        timer = setTimeout(retry, RETRY_AFTER)
      },
    )
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [key, isAnswered, reached, attempt])
  return { value: of === key ? value : undefined, failed: of === key ? failed : undefined, retry }
}
