import { type RetryKey, retryKeyIds } from '../../projections/retry-key.ts'
import type { Views } from './views.ts'

/** What was recorded with a retry key within a day or so. @param now Unix milliseconds */
export const findRetryKey = (views: Pick<Views, 'newest'>, key: string, now: number): RetryKey | undefined => {
  for (const id of retryKeyIds(key, now)) {
    const version = views.newest('retry_key', id)
    if (version !== undefined) return JSON.parse(version.internal) as RetryKey
  }
  return undefined
}
