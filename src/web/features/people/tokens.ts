import { readAll } from '../../data/lists.ts'
import { ofUser } from '../../data/query.ts'
import { formatClock, formatCount, formatDate, formatRelativeDay } from '../../format/format.ts'
import { meOf, type Reading, usePage, useReading } from '../../page/context.ts'
import type { Schemas } from '../../service/api.ts'

export type Token = Schemas['Token']
/** The answer to a request for a new one. A repeated request does not get the token. */
export type IssuedToken = Token & Partial<Pick<Schemas['NewToken'], 'token'>>

const DAY_MS = 86_400_000
const EXPIRY_NOTICE_MS = 14 * DAY_MS

/** A user has at most 1,000 that are good. */
export const useTokens = (userId: string): Reading<readonly Token[]> => {
  const ownId = meOf(usePage())._id
  return useReading({
    ...{ key: `tokens ${userId}`, ...ofUser(userId === 'me' ? ownId : userId) },
    read: (source) => readAll<Token>(source, `/api/user/${userId}/token`, 'tokens'),
  })
}

/** `Today 10:41`, `3 Nov 2026`. */
export const madeText = ({ created_at }: Token, now: number): string => {
  const time = Date.parse(created_at)
  const day = formatRelativeDay(time, now)
  return day === 'Today' || day === 'Yesterday' ? `${day} ${formatClock(time)}` : formatDate(time)
}

const leftOf = ({ expires_at }: Token, now: number): number =>
  expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at) - now

/** Whether it expires so soon that one should be told. */
export const isExpiring = (token: Token, now: number): boolean => leftOf(token, now) <= EXPIRY_NOTICE_MS

/** `never expires`, `until 3 Nov 2027`, `expires in 6 days`. */
export const expiryText = (token: Token, now: number): string => {
  if (token.expires_at === null) return 'never expires'
  if (!isExpiring(token, now)) return `until ${formatDate(Date.parse(token.expires_at))}`
  const days = Math.floor(leftOf(token, now) / DAY_MS)
  return `expires ${days === 0 ? 'within a day' : `in ${formatCount(days, 'day')}`}`
}
