/** What reports should be: facts at minutes, added up one by one. */

import type { ReportBy, ReportQuery } from '../../../src/read-models/reports/cells.ts'
import { bucketFace, faceOfName } from './clock-face.ts'
import { type Held, MINUTE, type Past, type Row, sutId, userId } from './story.ts'

export type Rows = Readonly<Record<string, Row>>

interface Fact {
  readonly minute: number
  readonly key: string | null
  readonly user: number | null
  readonly add: Readonly<Record<string, number>>
  readonly sut?: number
}

/** Names of places: the face of a bucket, and a key. Members that are 0 are left out. */
const placed = (rows: readonly (readonly [place: string, row: Row])[]): Rows =>
  Object.fromEntries(
    rows.map(([place, row]) => [place, Object.fromEntries(Object.entries(row).filter(([, value]) => value !== 0))]),
  )

/** The rows of a report by their places. */
export const reported = (rows: readonly Row[], size: ReportQuery['bucket']): Rows =>
  placed(rows.map(({ bucket, key, ...row }) => [`${faceOfName(bucket as string | null, size)} ${key}`, row]))

/** Adds up what a query asks for. */
const add = (
  { base }: Past,
  { from, to, bucket, timeZone, user_id }: ReportQuery,
  facts: readonly Fact[],
  more: (some: readonly Fact[], sums: Row) => Row,
): Rows => {
  const asked = facts.filter(({ minute, user }) => {
    const moment = base + minute * MINUTE
    return moment >= from && moment < to && (user_id === undefined || (user !== null && userId(user) === user_id))
  })
  const places = Map.groupBy(
    asked,
    ({ minute, key }) => `${bucketFace(base + minute * MINUTE, bucket, timeZone)} ${key}`,
  )
  const rows = [...places].map(([place, some]): [string, Row] => {
    const sums: Record<string, number> = {}
    for (const fact of some)
      for (const [name, value] of Object.entries(fact.add)) sums[name] = (sums[name] ?? 0) + value
    return [place, { ...sums, ...more(some, sums) }]
  })
  return placed(rows)
}

const minuteOf = ({ base }: Past, { now }: ReportQuery): number => (now - base) / MINUTE

const keyOf = ({ tags }: Past, { sut, user, created }: Held, by: ReportBy): string | null => {
  if (by === 'sut') return sutId(sut)
  if (by === 'user') return userId(user)
  if (by === 'none') return null
  // Changes of the same minute are recorded before.
  const before = tags.toSorted((a, b) => a.at - b.at).filter((tag) => tag.sut === sut && tag.at <= created)
  return before.at(-1)?.rack ?? null
}

/** Usage of a past up to now, which is the end of the span. */
export const usageModel = (past: Past, query: ReportQuery & { by: ReportBy }, forwards: boolean): Rows => {
  const now = minuteOf(past, query)
  const known = past.reservations.filter(({ created }) => created <= now)
  const isUsed = ({ sessions }: Held): boolean => sessions.some(({ opened }) => opened <= now)
  const used = new Set(known.filter(isUsed).map(({ sut }) => sut))
  const isForwarded = (sut = -1): boolean => forwards || used.has(sut)
  const facts = known.flatMap((one): readonly Fact[] => {
    const { sut, user, start, created, cancelled, released, sessions } = one
    const fact = (minute: number, figures: Fact['add']): Fact => ({
      ...{ minute, key: keyOf(past, one, query.by), user, sut, add: figures },
    })
    if (cancelled !== undefined) return [fact(start, { cancelled: 1 })]
    const end = released ?? one.end
    const unused = Number(isForwarded(sut) && !isUsed(one) && end <= now)
    const held = Array.from({ length: end - Math.max(start, created) }, (_, n) => {
      const minute = Math.max(start, created) + n
      const isOpen = sessions.some(({ opened, closed = now }) => opened <= minute && minute < closed)
      return fact(minute, { held_seconds: 60, used_seconds: isOpen ? 60 : 0 })
    })
    const early = released === undefined ? [] : [fact(released, { released_early_seconds: (one.end - released) * 60 })]
    return [
      fact(start, { reservations: 1, unused_reservations: unused }),
      ...held,
      ...early.filter(() => end < one.end),
    ]
  })
  return add(past, query, facts, (some) => {
    const held = some.filter(({ add: { held_seconds = 0 } }) => held_seconds > 0)
    const unknown = { used_seconds: null, unused_reservations: null }
    return {
      users: new Set(held.map(({ user }) => user)).size,
      suts: new Set(held.map(({ sut }) => sut)).size,
      ...(some.some(({ sut }) => isForwarded(sut)) ? {} : unknown),
    }
  })
}

const ENDS = { RequestGranted: 'granted', RequestExpired: 'expired', RequestWithdrawn: 'withdrawn' }

/** Demand in a past up to now, which is the end of the span. */
export const demandModel = (past: Past, query: ReportQuery & { by: 'user' | 'none' }): Rows => {
  const now = minuteOf(past, query)
  const fact = (minute: number, user: number | null, figures: Fact['add']): Fact => ({
    ...{ minute, user, add: figures, key: query.by === 'none' || user === null ? null : userId(user) },
  })
  const requests = past.asked.map(({ user, at, end }) => {
    const ended = end !== undefined && at + end.after <= now ? end : undefined
    const waited_seconds = (ended?.after ?? now - at) * 60
    return fact(at, user, { requests: 1, waited_seconds, ...(ended && { [ENDS[ended.type]]: 1 }) })
  })
  const refused = past.refused
    .filter(({ at }) => at + 1 <= now)
    .flatMap(({ at, entries, others }) => [
      ...entries
        .filter(({ code }) => code !== 'reservation_over')
        .map(({ user, code, count }) => fact(at, user, { [code]: count })),
      ...(others > 0 ? [fact(at, null, { others })] : []),
    ])
  return add(past, query, [...requests, ...refused], (some) => ({
    waited_longest_seconds: Math.max(...some.map(({ add: { waited_seconds = 0 } }) => waited_seconds)),
  }))
}
