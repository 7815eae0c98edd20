/** The model of quotas. It counts all reservations of a user each time. */

import { formatMilliseconds } from '../../../src/domain/values/instant.ts'
import type { Booking } from '../../domain/calendar/bookings.ts'
import { idOf } from '../harness.ts'
import {
  type Expected,
  isBehind,
  type Limited,
  type Limits,
  log,
  type Model,
  type Refused,
  refused,
  type Shown,
  shown,
} from './model.ts'

/** The service's own. */
const DEFAULT: Limits = { hours_per_week: null, reservations_max: 100, priority_max: 0 }
const DAY = 86_400_000

/** The ISO week of a moment in seconds: the number of its Thursday among those of the year. */
const weekOf = (moment: number): string => {
  const thursday = new Date(moment * 1000)
  while (thursday.getUTCDay() !== 1) thursday.setTime(thursday.getTime() - DAY)
  thursday.setTime(thursday.getTime() + 3 * DAY)
  const year = thursday.getUTCFullYear()
  let week = 0
  for (const day = thursday; day.getUTCFullYear() === year; day.setTime(day.getTime() - 7 * DAY)) week++
  return `${year}-W${String(week).padStart(2, '0')}`
}

/** A reservation that is made or extended. */
export type Asked = Pick<Booking, 'user_id' | 'start' | 'end'> & { readonly _id?: string; readonly counted?: number }

/** The refusal of reservations that exceed the quota of their holder. `now` is in Unix milliseconds. */
export const seriesRefusal = (model: Model, all: readonly Asked[], now: number): Refused | undefined => {
  const [first, ...others] = all
  if (first === undefined) return undefined
  // As if those of a week were one, and the others had been made before it is counted.
  const week = weekOf(first.start)
  const ofWeek = all.filter(({ start }) => weekOf(start) === week)
  const counted = ofWeek.reduce((sum, each) => sum + (each.counted ?? 0), 0)
  const refusal = quotaRefusal(model, { ...first, counted }, now, others.length)
  if (refusal !== undefined) return refusal
  const left = all.filter(({ start }) => weekOf(start) !== week)
  return left.length === 0 ? undefined : seriesRefusal(model, left, now)
}

/**
 * The refusal of what exceeds the quota of its holder, if it does. `now` is in Unix milliseconds, and `more` the number
 * of reservations that are made with it.
 */
export const quotaRefusal = (model: Model, asked: Asked, now: number, more = 0): Refused | undefined => {
  const limited = [...model.people.limited].find(([name]) => idOf(name) === asked.user_id)?.[1]
  if (limited === undefined) return undefined
  const quota = limited.quota ?? DEFAULT
  const counted = model.suts
    .flatMap(({ calendar }) => calendar.bookings)
    .filter(({ _id, user_id, standing }) => {
      return user_id === asked.user_id && standing !== 'cancelled' && !model.people.exempt.has(_id)
    })
  const week = weekOf(asked.start)
  const quarters = counted.filter(({ start }) => weekOf(start) === week).reduce((sum, one) => sum + one.counted, 0)
  const { length: reservations } = counted.filter(({ standing, end }) => standing === 'made' && end * 1000 > now)
  const used = { hours: quarters / 4, reservations }
  const before = counted.find(({ _id }) => _id === asked._id)
  if (before === undefined && quota.reservations_max !== null && reservations + more >= quota.reservations_max) {
    return { code: 'quota_exceeded', help: { used, quota, week: null } }
  }
  const extended = model.suts.flatMap(({ calendar }) => calendar.bookings).find(({ _id }) => _id === asked._id)
  const added =
    extended === undefined
      ? (asked.counted ?? 0)
      : (asked.end - extended.end) / 900 + (before === undefined ? extended.counted : 0)
  if (quota.hours_per_week === null || quarters + added <= quota.hours_per_week * 4) return undefined
  return { code: 'quota_exceeded', help: { used, quota, week } }
}

const textOf = (model: Model, name: string, { quota, updated }: Limited): string =>
  JSON.stringify({
    ...{ _id: idOf(name), name, role: 'tester', quota, scope: '' },
    created_at: formatMilliseconds(model.people.created),
    updated_at: formatMilliseconds(updated),
  })

/** Changes some limits of a tester. */
export const limit = (model: Model, name: string, change: Partial<Limits> | null): Expected => {
  const { people } = model
  if (isBehind(model, people.time)) return refused('clock_behind')
  const limited = people.limited.get(name)
  if (limited === undefined) throw new TypeError(`${name} is not a tester`)
  const show = (): Shown => ({ status: 200, text: textOf(model, name, limited), etag: `"${limited.revision}"` })
  const quota = change && { ...(limited.quota ?? DEFAULT), ...change }
  if (JSON.stringify(quota) === JSON.stringify(limited.quota)) return shown(show())
  const settle = (): Shown => {
    people.time = Math.max(model.clock, people.time)
    people.revision++
    Object.assign(limited, { quota, revision: people.revision, updated: people.time })
    return { ...show(), position: log(model, 'UserChanged', idOf(name), people.time) }
  }
  return { settle, isRecorded: true }
}
