import { readAll } from '../../data/lists.ts'
import { ofUser } from '../../data/query.ts'
import { formatClock, formatCount, formatDate, formatRelativeDay } from '../../format/format.ts'
import { type Reading, useReading } from '../../page/use-reading.ts'
import type { Schemas } from '../../service/api.ts'

export type Token = Schemas['Token']
/** The answer to a request for a new one. A repeated request does not get the token. */
export type IssuedToken = Token & Partial<Pick<Schemas['NewToken'], 'token'>>

const DAY_MS = 86_400_000
const EXPIRY_NOTICE_MS = 14 * DAY_MS

/** A user has at most 1,000 that are good. */
export const useTokens = (userId: string): Reading<readonly Token[]> =>
  useReading({
    ...{ key: `tokens ${userId}`, ...ofUser(userId) },
    read: (source) => readAll<Token>(source, `/api/user/${userId}/token`, 'tokens'),
  })

/** `Today 10:41`, `3 Nov 2026`. */
export const madeText = ({ created_at }: Token, now: number): string => {
  const time = Date.parse(created_at)
  const day = formatRelativeDay(time, now)
  return day === 'Today' || day === 'Yesterday' ? `${day} ${formatClock(time)}` : formatDate(time)
}

/** `3 Nov 2027`, `in 6 days`. Undefined: never. */
export const expiryOf = (
  { expires_at }: Token,
  now: number,
): { readonly text: string; readonly isExpiring: boolean } | undefined => {
  if (expires_at === null) return undefined
  const left = Date.parse(expires_at) - now
  if (left > EXPIRY_NOTICE_MS) return { text: formatDate(Date.parse(expires_at)), isExpiring: false }
  const days = Math.floor(left / DAY_MS)
  return { text: days === 0 ? 'within a day' : `in ${formatCount(days, 'day')}`, isExpiring: true }
}
