/** The requests of steps, and what the model expects of them. */

import type { Actor } from '../../../src/domain/decider.ts'
import { formatWithOffset, type OffsetTime } from '../../../src/domain/values/instant.ts'
import { instantOf, nanosecondsOf } from '../../domain/nanoseconds.ts'
import type { Headers } from '../client.ts'
import { idOf } from '../harness.ts'
import { type Expected, type Model, refused, remembered, type Sut } from './model.ts'
import { type Change, change, type Found, findReservation, reservationIds, reserve } from './reservations.ts'
import type { IfMatch } from './suts.ts'
import * as wish from './wishes.ts'

/** The HTTP request of a step, and the answer that the model expects. */
export interface Request {
  readonly as: wish.Name
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly headers: Headers
  readonly key?: string | undefined
  /** When the request was generated. */
  readonly time: number
  readonly expected: (model: Model) => Expected
}

const ROLES = { admin: 'administrator', alice: 'tester', bob: 'tester', audrey: 'auditor' } as const
export const NO_ID = '58c38f5d444553252cce0000'
const DAY = 86_400_000
const QUARTER = 900_000

export const actorOf = (name: wish.Name): Actor => ({ _id: idOf(name), role: ROLES[name] })

/** Prefers the newest: the others are soon over or retired. */
export const chosen = <A>(all: readonly A[], which: number): A | undefined =>
  which === 19 ? undefined : all.at(-1 - (which % Math.max(1, Math.min(all.length, which < 14 ? 3 : 8))))

interface Sent {
  readonly as: wish.Name
  readonly key: number | undefined
}

/** A POST, with the expected answer for a permitted role and a new idempotency key. */
export const post = (
  model: Model,
  { as, key }: Sent,
  path: string,
  body: object | undefined,
  expected: (model: Model) => Expected,
  headers: Headers = {},
): Request => {
  // Keys are known for a day, so each day has its own.
  const name = key === undefined ? undefined : `k${key}-${Math.floor(model.clock / DAY)}`
  const text = body && JSON.stringify(body)
  const json: Headers = text === undefined ? {} : { 'Content-Type': 'application/json' }
  const mayCall = path.startsWith('/api/sut_reservation') ? as !== 'audrey' : as === 'admin'
  return {
    ...{ as, method: 'POST', path, time: model.clock, key: name },
    ...(text !== undefined && { body: text }),
    headers: { ...json, ...headers, ...(name && { 'Idempotency-Key': name }) },
    expected: (model) => {
      if (!mayCall) return refused('forbidden')
      return (name && remembered(model, `${as} ${name}`, `${path} ${text}`)) || expected(model)
    },
  }
}

export const get = (model: Model, as: wish.Name, path: string, expected: Request['expected'], headers: Headers = {}) =>
  ({ as, method: 'GET', path, headers, time: model.clock, expected }) as const

export const moment = (milliseconds: number, nanosecond: boolean, offset: number): OffsetTime => ({
  instant: instantOf(BigInt(milliseconds) * 1_000_000n + (nanosecond ? 1n : 0n)),
  offset,
})
/** As a client writes it. */
export const written = ({ instant, offset }: OffsetTime): string => {
  const epochNanoseconds = nanosecondsOf(instant)
  const text = formatWithOffset(Number(epochNanoseconds / 1_000_000_000n), offset)
  return epochNanoseconds % 1_000_000_000n === 0n ? text : text.replace(/(?=[+-]\d\d:\d\d$)/, '.000000001')
}

/** The ends of a window relative to the current quarter-hour, and as a body has them. */
export const windowOf = ({ clock }: Model, { start: after, length, nanosecond, offsets }: wish.WindowWish) => {
  const from = Math.floor(clock / QUARTER) * QUARTER + after * 1000
  const start = moment(from, false, offsets[0])
  const end = moment(from + length * 1000, nanosecond, offsets[1])
  return { start, end, body: { start_time: written(start), end_time: written(end) } }
}

export const beyond = (isBeyondQuota: boolean) => isBeyondQuota && { beyond_quota: true }

export const ofSender = { as: wish.as, key: wish.key, which: wish.which }
export const ofEnd = { ...ofSender, window: wish.window, isBeyondQuota: wish.isBeyondQuota }
export const ofCreation = { ...ofSender, for: wish.holder, isBeyondQuota: wish.isBeyondQuota }

interface Creation extends Sent {
  readonly for: wish.Name | 'oneself' | 'nobody'
  readonly isBeyondQuota: boolean
  readonly keepalive?: number | undefined
}

/** Who reserves for whom, as the model and as a body have it. */
export const holderOf = ({ as, for: whom, isBeyondQuota, keepalive }: Creation) => {
  const userExists = whom !== 'nobody'
  const user_id = userExists ? idOf(whom === 'oneself' ? as : whom) : NO_ID
  return {
    wished: { actor: actorOf(as), user_id, userExists, isBeyondQuota, keepalive },
    body: { user_id, ...beyond(isBeyondQuota), ...(keepalive !== undefined && { keepalive }) },
  }
}

export const CREATE = '/api/sut_reservation/create'
export const SERIES = '/api/sut_reservation_series'
export const OS = ['', 'linux', 'windows', 'beos'] as const

export const reserveById = (
  model: Model,
  step: Creation & { readonly which: number; readonly window: wish.WindowWish },
) => {
  const sut = chosen(model.suts, step.which)
  const { start, end, body: ends } = windowOf(model, step.window)
  const holder = holderOf(step)
  const wished = { ...holder.wished, window: { form: 'explicit', start, end } } as const
  const body = { ...holder.body, sut_id: sut?._id ?? NO_ID, ...ends }
  return post(model, step, CREATE, body, (model) => reserve(model, sut, wished))
}

export const conditionOf = (
  condition: 'current' | 'any' | 'old' | 'list' | 'weak' | undefined,
  record = 0,
): readonly [header?: string, IfMatch?] => {
  if (condition === undefined) return []
  if (condition === 'any') return ['*']
  if (condition === 'weak') return [`W/"${record}"`, []]
  if (condition === 'old') return [`"${record + 1}"`, [record + 1]]
  return [condition === 'list' ? `"no", W/"1", "${record}"` : `"${record}"`, [record]]
}

export const ofSut = { as: wish.administrator, key: wish.key, which: wish.which, condition: wish.condition }

/** A change of a SUT, perhaps on a condition. */
export const changeOfSut = (
  model: Model,
  step: Sent & { readonly which: number; readonly condition: Parameters<typeof conditionOf>[0] },
  verb: string,
  body: object | undefined,
  expected: (model: Model, sut: Sut | undefined, ifMatch: IfMatch) => Expected,
): Request => {
  const sut = chosen(model.suts, step.which)
  const [header, ifMatch] = conditionOf(step.condition, sut?.record)
  const headers: Headers = header === undefined ? {} : { 'If-Match': header }
  const path = `/api/sut/${sut?._id ?? NO_ID}/${verb}`
  return post(model, step, path, body, (model) => expected(model, sut, ifMatch), headers)
}

/** A change of a reservation, of which the body may depend on what it is. */
export const changeOfReservation = (
  model: Model,
  step: Sent & { readonly which: number; readonly isBeyondQuota?: boolean },
  verb: string,
  makeChange: (found: Found | undefined) => { readonly requested: Change; readonly body?: object },
  headers: Headers = {},
): Request => {
  const id = chosen(reservationIds(model), step.which) ?? NO_ID
  const { requested, body } = makeChange(findReservation(model, id))
  const expected = (model: Model) =>
    change(model, findReservation(model, id), actorOf(step.as), requested, step.isBeyondQuota)
  return post(model, step, `/api/sut_reservation/${id}/${verb}`, body, expected, headers)
}
