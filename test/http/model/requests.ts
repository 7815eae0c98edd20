import type { Actor } from '../../../src/domain/decider.ts'
import type { Headers } from '../client.ts'
import { idOf } from '../harness.ts'
import { aSut } from '../requests.ts'
import { reserveAny } from './matching.ts'
import { type Expected, type Model, refused, remembered, type Sut } from './model.ts'
import { limit } from './quotas.ts'
import {
  bind,
  cancel,
  extend,
  type Found,
  faultOf,
  findReservation,
  keep,
  readReservation,
  reserve,
  shorten,
  type Wish,
} from './reservations.ts'
import { cancelSeries, readSeries, reserveSeries, ruleOf, ZONES } from './series.ts'
import type { Condition, Name, Step } from './steps.ts'
import { createSut, type IfMatch, monitorSut, readSut, retireSut, tagSut, updateSut } from './suts.ts'
import { explicit, moment, written } from './windows.ts'

/** The HTTP request of a step, and the answer that the model expects. */
export interface Request {
  readonly as: Name
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
const NO_ID = '58c38f5d444553252cce0000'
const DAY = 86_400_000

const actorOf = (name: Name): Actor => ({ _id: idOf(name), role: ROLES[name] })

/** Prefers the newest: the others are soon over or retired. */
const chosen = <A>(all: readonly A[], which: number): A | undefined =>
  which === 19 ? undefined : all.at(-1 - (which % Math.max(1, Math.min(all.length, which < 14 ? 3 : 8))))

const conditionOf = (
  condition: Condition | undefined,
  sut: Sut | undefined,
): readonly [string, IfMatch] | undefined => {
  const record = sut?.record ?? 0
  switch (condition) {
    case undefined:
      return undefined
    case 'current':
      return [`"${record}"`, [record]]
    case 'any':
      return ['*', undefined]
    case 'old':
      return [`"${record + 1}"`, [record + 1]]
    case 'list':
      return [`"no", W/"1", "${record}"`, [record]]
    case 'weak':
      return [`W/"${record}"`, []]
  }
}

/** A POST, with the expected answer for a permitted role and a new idempotency key. */
const post = (
  model: Model,
  { as, key }: { readonly as: Name; readonly key: number | undefined },
  path: string,
  body: object | undefined,
  may: readonly Name[],
  expected: (model: Model) => Expected,
  headers: Headers = {},
): Request => {
  // Keys are known for a day, so each day has its own.
  const name = key === undefined ? undefined : `k${key}-${Math.floor(model.clock / DAY)}`
  const text = body && JSON.stringify(body)
  const json: Headers = text === undefined ? {} : { 'Content-Type': 'application/json' }
  return {
    as,
    method: 'POST',
    path,
    ...(text !== undefined && { body: text }),
    headers: { ...json, ...headers, ...(name && { 'Idempotency-Key': name }) },
    key: name,
    time: model.clock,
    expected: (model) => {
      if (!may.includes(as)) return refused('forbidden')
      return (name && remembered(model, `${as} ${name}`, `${path} ${text}`)) || expected(model)
    },
  }
}

const WRITERS: readonly Name[] = ['admin', 'alice', 'bob']

type StepTo<K extends Step['to']> = Extract<Step, { readonly to: K }>

const beyond = ({ isBeyondQuota }: { readonly isBeyondQuota: boolean }) => isBeyondQuota && { beyond_quota: true }

const OS = ['', 'linux', 'windows', 'beos'] as const

/** How a reservation is asked for: of a SUT, or of any. No model says what happens to others' SUTs while a clock is behind. */
const targetOf = (model: Model, step: StepTo<'reserve' | 'reserve from now' | 'reserve any'>) => {
  const sut = chosen(model.suts, step.which)
  const of = { sut_id: sut?._id ?? NO_ID }
  const isBehind = model.suts.some(({ time }) => time > model.clock)
  if (step.to !== 'reserve any' || isBehind) return { of, expect: (now: Model, wish: Wish) => reserve(now, sut, wish) }
  const os = OS[step.which % OS.length] as string
  return {
    of: { match: { os: os === '' ? null : os.toUpperCase() } },
    expect: (now: Model, wish: Wish) => reserveAny(now, os, wish),
  }
}

const reservation = (model: Model, step: StepTo<'reserve' | 'reserve from now' | 'reserve any'>): Request => {
  const target = targetOf(model, step)
  const userExists = step.for !== 'nobody'
  const user_id = userExists ? idOf(step.for === 'oneself' ? step.as : step.for) : NO_ID
  const { keepalive, isBeyondQuota } = step
  const of = { user_id, ...target.of, ...beyond(step), ...(keepalive !== undefined && { keepalive }) }
  const command = { actor: actorOf(step.as), user_id, userExists, isBeyondQuota, keepalive }
  const path = '/api/sut_reservation/create'
  if (step.to !== 'reserve from now') {
    const { start, end } = explicit(model.clock, step.window)
    const window = { form: 'explicit', start, end } as const
    const body = { ...of, start_time: written(start), end_time: written(end) }
    return post(model, step, path, body, WRITERS, (model) => target.expect(model, { ...command, window }))
  }
  const window = {
    form: 'relative',
    startIn: Math.max(0, step.window.start),
    duration: Math.max(1, step.window.length),
  } as const
  const body = { ...of, start_in: window.startIn, duration: window.duration }
  return post(model, step, path, body, WRITERS, (model) => target.expect(model, { ...command, window }))
}

const seriesCreation = (model: Model, step: StepTo<'reserve series'>): Request => {
  const sut = chosen(model.suts, step.which)
  const userExists = step.for !== 'nobody'
  const user_id = userExists ? idOf(step.for === 'oneself' ? step.as : step.for) : NO_ID
  const { rhythm, isBeyondQuota } = step
  const { start, end } = explicit(model.clock, step.window)
  const rrule = ruleOf(start, rhythm)
  const of = { user_id, sut_id: sut?._id ?? NO_ID, ...beyond(step), rrule, time_zone: ZONES[rhythm.zone][0] }
  const body = { ...of, start_time: written(start), end_time: written(end) }
  const wish = { actor: actorOf(step.as), user_id, userExists, isBeyondQuota, start, end, rhythm, rrule }
  return post(model, step, '/api/sut_reservation_series/create', body, WRITERS, (model) =>
    reserveSeries(model, sut, wish, (time) => faultOf({ form: 'explicit', start, end }, time)),
  )
}

const ofSeries = (model: Model, step: StepTo<'cancel series' | 'read series'>): Request => {
  const id = chosen(model.series, step.which)?._id ?? NO_ID
  const found = ({ series }: Model) => series.find(({ _id }) => _id === id)
  const path = `/api/sut_reservation_series/${id}`
  if (step.to === 'read series') return get(step.as, path, model, () => readSeries(model, found(model)))
  return post(model, step, `${path}/cancel`, undefined, WRITERS, (model) =>
    cancelSeries(model, found(model), actorOf(step.as)),
  )
}

const shortening = (model: Model, step: StepTo<'shorten'>, id: string): Request => {
  const booking = findReservation(model, id)?.booking ?? { end: model.clock / 1000 }
  const { length, nanosecond, offsets } = step.window
  const end = moment(Math.floor(booking.end + 1800 - length) * 1000, nanosecond, offsets[0])
  const path = `/api/sut_reservation/${id}/shorten`
  return post(model, step, path, { end_time: written(end) }, WRITERS, (model) =>
    shorten(model, findReservation(model, id), actorOf(step.as), end),
  )
}

const extension = (model: Model, step: StepTo<'extend' | 'extend by'>, id: string): Request => {
  const booking = findReservation(model, id)?.booking ?? { start: model.clock / 1000, end: model.clock / 1000 }
  const { length, nanosecond, offsets } = step.window
  const by = Math.floor(booking.end - booking.start) + length - 2700
  const path = `/api/sut_reservation/${id}/extend`
  const end =
    step.to === 'extend by'
      ? nanosecond
        ? { by: Math.max(1, length - 1800) }
        : { duration: Math.max(1, by) }
      : moment(Math.floor(booking.start + by) * 1000, nanosecond, offsets[0])
  const body = { ...('duration' in end || 'by' in end ? end : { end_time: written(end) }), ...beyond(step) }
  return post(model, step, path, body, WRITERS, (model) =>
    extend(model, findReservation(model, id), actorOf(step.as), end, step.isBeyondQuota),
  )
}

const LAST_PARTS = { update: 'update', tag: 'tags', retire: 'retire', monitor: 'monitoring' } as const

const bodyOf = (step: StepTo<keyof typeof LAST_PARTS>): object | undefined => {
  if (step.to === 'update') return step.fields
  if (step.to === 'tag') return step.tags
  if (step.to === 'retire') return undefined
  return step.interval === null ? { enabled: false } : { enabled: true, interval: step.interval }
}

const ofSut = (model: Model, step: StepTo<keyof typeof LAST_PARTS>): Request => {
  const sut = chosen(model.suts, step.which)
  const [header, ifMatch] = conditionOf(step.condition, sut) ?? []
  const path = `/api/sut/${sut?._id ?? NO_ID}/${LAST_PARTS[step.to]}`
  const expected = (model: Model): Expected => {
    if (step.to === 'update') return updateSut(model, sut, step.fields, ifMatch)
    if (step.to === 'tag') return tagSut(model, sut, step.tags, ifMatch)
    if (step.to === 'monitor') return monitorSut(model, sut, step.interval, ifMatch)
    return retireSut(model, sut, ifMatch)
  }
  return post(model, step, path, bodyOf(step), ['admin'], expected, header === undefined ? {} : { 'If-Match': header })
}

const get = (as: Name, path: string, model: Model, expected: () => Expected, headers: Headers = {}): Request => ({
  as,
  method: 'GET',
  path,
  headers,
  time: model.clock,
  expected,
})

const sutReading = (model: Model, { as, which, condition }: StepTo<'read SUT'>): Request => {
  const sut = chosen(model.suts, which)
  const [header] = conditionOf(condition, sut) ?? []
  // If-None-Match does not distinguish weak and strong tags.
  const isKnown = (): boolean => header !== undefined && condition !== 'old'
  const path = `/api/sut/${sut?._id ?? NO_ID}`
  return get(as, path, model, () => readSut(sut, isKnown), header === undefined ? {} : { 'If-None-Match': header })
}

const reservationIds = ({ log }: Model): readonly string[] =>
  log.flatMap((line) => (line.startsWith('ReservationCreated ') ? [line.split(' ')[1] as string] : []))

/** The request of a step. Undefined for steps without one. */
export const requestOf = (step: Step, model: Model): Request | undefined => {
  switch (step.to) {
    case 'create':
      return post(model, step, '/api/sut/create', aSut(step.fields), ['admin'], (model) =>
        createSut(model, aSut(step.fields)),
      )
    case 'limit':
      return post(model, step, `/api/user/${idOf(step.whose)}/update`, { quota: step.quota }, ['admin'], (model) =>
        limit(model, step.whose, step.quota),
      )
    case 'update':
    case 'tag':
    case 'monitor':
    case 'retire':
      return ofSut(model, step)
    case 'reserve':
    case 'reserve from now':
    case 'reserve any':
      return reservation(model, step)
    case 'reserve series':
      return seriesCreation(model, step)
    case 'cancel series':
    case 'read series':
      return ofSeries(model, step)
    case 'read SUT':
      return sutReading(model, step)
  }
  if (!('which' in step) || step.to === 'retry') return undefined
  const id = chosen(reservationIds(model), step.which) ?? NO_ID
  const found = (model: Model): Found | undefined => findReservation(model, id)
  switch (step.to) {
    case 'cancel':
      return post(model, step, `/api/sut_reservation/${id}/cancel`, undefined, WRITERS, (model) =>
        cancel(model, found(model), actorOf(step.as)),
      )
    case 'bind':
      return post(model, step, `/api/sut_reservation/${id}/update`, undefined, WRITERS, (model) =>
        bind(model, found(model), actorOf(step.as)),
      )
    case 'keep': {
      // The key is ignored.
      const headers: Headers = step.key === undefined ? {} : { 'Idempotency-Key': `k${step.key}` }
      const path = `/api/sut_reservation/${id}/keepalive`
      return post(
        model,
        { ...step, key: undefined },
        path,
        undefined,
        WRITERS,
        (model) => keep(model, found(model), actorOf(step.as)),
        headers,
      )
    }
    case 'shorten':
      return shortening(model, step, id)
    case 'extend':
    case 'extend by':
      return extension(model, step, id)
    case 'read reservation':
      return get(step.as, `/api/sut_reservation/${id}`, model, () => readReservation(model, found(model)))
  }
}
