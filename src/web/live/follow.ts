import { makeStore, type Store } from '../parts/store.ts'
import { type Api, Refused } from '../service/api.ts'

/** Milliseconds between looks at the log, and how much they vary, so that pages do not ask together. */
const EVERY = 1_000
const JITTER = 500

/**
 * The position of the log as far as it is known. When it moves, what is shown is read again. Nothing is asked while the
 * page cannot be seen or nobody is signed in.
 */
export const followLog = (api: Api, isSignedIn: () => boolean): Store<string | undefined> => {
  const position = makeStore<string | undefined>(undefined)
  const look = async (): Promise<void> => {
    if (document.visibilityState === 'hidden' || !isSignedIn()) return
    try {
      position.set((await api.get('/api/user/me')).position)
    } catch (error) {
      // The banner says so.
      if (!(error instanceof Refused)) throw error
    }
  }
  const again = (): void => {
    setTimeout(() => void look().finally(again), EVERY + Math.random() * JITTER)
  }
  again()
  document.addEventListener('visibilitychange', () => void look())
  return position
}
