/** Steps of a story: of each kind its weight, its arbitrary parts, and the request that they make. */

import fc from 'fast-check'
import type { Headers } from '../client.ts'
import { idOf } from '../harness.ts'
import { aSut } from '../requests.ts'
import { reserveAny } from './matching.ts'
import type { Model } from './model.ts'
import { limit } from './quotas.ts'
import {
  actorOf,
  beyond,
  CREATE,
  changeOfReservation,
  changeOfSut,
  chosen,
  conditionOf,
  get,
  holderOf,
  moment,
  NO_ID,
  OS,
  ofCreation,
  ofEnd,
  ofSender,
  ofSut,
  post,
  type Request,
  reserveById,
  SERIES,
  windowOf,
  written,
} from './requests.ts'
import { BIND, findReservation, LIMITS, readReservation, reservationIds, reserve } from './reservations.ts'
import { cancelSeries, readSeries, reserveSeries, ruleOf, ZONES } from './series.ts'
import { createSut, monitorSut, readSut, retireSut, tagSut, updateSut } from './suts.ts'
import * as wish from './wishes.ts'

interface Kind<P> {
  readonly weight: number
  readonly parts: { readonly [N in keyof P]: fc.Arbitrary<P[N]> }
  readonly request: (model: Model, step: P) => Request
}
const kind = <P>(weight: number, parts: Kind<P>['parts'], request: Kind<P>['request']): Kind<P> => ({
  ...{ weight, parts, request },
})

const KINDS = {
  create: kind(3, { as: wish.administrator, key: wish.key, fields: wish.fields }, (model, step) => {
    const sut = aSut(step.fields)
    return post(model, step, '/api/sut/create', sut, (model) => createSut(model, sut))
  }),
  update: kind(4, { ...ofSut, fields: wish.fields }, (model, step) =>
    changeOfSut(model, step, 'update', step.fields, (model, sut, ifMatch) =>
      updateSut(model, sut, step.fields, ifMatch),
    ),
  ),
  tag: kind(2, { ...ofSut, tags: wish.tags }, (model, step) =>
    changeOfSut(model, step, 'tags', step.tags, (model, sut, ifMatch) => tagSut(model, sut, step.tags, ifMatch)),
  ),
  retire: kind(3, ofSut, (model, step) => changeOfSut(model, step, 'retire', undefined, retireSut)),
  monitor: kind(3, { ...ofSut, interval: wish.interval }, (model, step) => {
    const { interval } = step
    const body = interval === null ? { enabled: false } : { enabled: true, interval }
    return changeOfSut(model, step, 'monitoring', body, (model, sut, ifMatch) =>
      monitorSut(model, sut, interval, ifMatch),
    )
  }),
  limit: kind(
    4,
    { as: wish.administrator, key: wish.key, whose: wish.tester, quota: wish.quota },
    (model, { whose, quota, ...step }) =>
      post(model, step, `/api/user/${idOf(whose)}/update`, { quota }, (model) => limit(model, whose, quota)),
  ),
  reserve: kind(13, { ...ofCreation, window: wish.window, keepalive: wish.keepalive }, reserveById),
  'reserve any': kind(
    6,
    { ...ofCreation, key: fc.constant(undefined), window: wish.window, keepalive: wish.keepalive },
    (model, step) => {
      // No model says what happens to others' SUTs while a clock is behind.
      if (model.suts.some(({ time }) => time > model.clock)) return reserveById(model, step)
      const { start, end, body } = windowOf(model, step.window)
      const holder = holderOf(step)
      const os = OS[step.which % OS.length] as string
      const wished = { ...holder.wished, window: { form: 'explicit', start, end } } as const
      const match = { os: os === '' ? null : os.toUpperCase() }
      return post(model, step, CREATE, { ...holder.body, match, ...body }, (model) => reserveAny(model, os, wished))
    },
  ),
  'reserve from now': kind(5, { ...ofCreation, window: wish.window, keepalive: wish.keepalive }, (model, step) => {
    const sut = chosen(model.suts, step.which)
    const holder = holderOf(step)
    const [startIn, duration] = [Math.max(0, step.window.start), Math.max(1, step.window.length)]
    const wished = { ...holder.wished, window: { form: 'relative', startIn, duration } } as const
    const body = { ...holder.body, sut_id: sut?._id ?? NO_ID, start_in: startIn, duration }
    return post(model, step, CREATE, body, (model) => reserve(model, sut, wished))
  }),
  'reserve series': kind(6, { ...ofCreation, window: wish.seriesWindow, rhythm: wish.rhythm }, (model, step) => {
    const sut = chosen(model.suts, step.which)
    const { start, end, body: ends } = windowOf(model, step.window)
    const { rhythm } = step
    const holder = holderOf(step)
    const rrule = ruleOf(start, rhythm)
    const wished = { ...holder.wished, window: { form: 'explicit', start, end }, rhythm, rrule } as const
    const body = { ...holder.body, sut_id: sut?._id ?? NO_ID, rrule, time_zone: ZONES[rhythm.zone][0], ...ends }
    return post(model, step, `${SERIES}/create`, body, (model) => reserveSeries(model, sut, wished))
  }),
  'cancel series': kind(3, ofSender, (model, step) => {
    const series = chosen(model.series, step.which)
    const path = `${SERIES}/${series?._id ?? NO_ID}/cancel`
    return post(model, step, path, undefined, (model) => cancelSeries(model, series, actorOf(step.as)))
  }),
  'read series': kind(2, { as: wish.as, which: wish.which }, (model, { as, which }) => {
    const series = chosen(model.series, which)
    return get(model, as, `${SERIES}/${series?._id ?? NO_ID}`, (model) => readSeries(model, series))
  }),
  cancel: kind(6, ofSender, (model, step) =>
    changeOfReservation(model, step, 'cancel', () => ({ requested: { type: 'CancelReservation' } })),
  ),
  bind: kind(6, ofSender, (model, step) => changeOfReservation(model, step, 'update', () => ({ requested: BIND }))),
  keep: kind(6, ofSender, (model, step) => {
    // The key is ignored.
    const headers: Headers = step.key === undefined ? {} : { 'Idempotency-Key': `k${step.key}` }
    const requested = { type: 'KeepReservation' } as const
    return changeOfReservation(model, { ...step, key: undefined }, 'keepalive', () => ({ requested }), headers)
  }),
  extend: kind(5, ofEnd, (model, step) =>
    changeOfReservation(model, step, 'extend', (found) => {
      const { start, end: former } = found?.booking ?? { start: model.clock / 1000, end: model.clock / 1000 }
      const { length, nanosecond, offsets } = step.window
      const later = Math.floor(start + Math.floor(former - start) + length - 2700)
      const end = moment(later * 1000, nanosecond, offsets[0])
      const body = { end_time: written(end), ...beyond(step.isBeyondQuota) }
      return { requested: { type: 'ExtendReservation', end, limits: LIMITS }, body }
    }),
  ),
  'extend by': kind(3, ofEnd, (model, step) =>
    changeOfReservation(model, step, 'extend', (found) => {
      const { start, end: former } = found?.booking ?? { start: 0, end: 0 }
      const { length, nanosecond } = step.window
      const duration = Math.floor(former - start) + length - 2700
      const end = nanosecond ? { by: Math.max(1, length - 1800) } : { duration: Math.max(1, duration) }
      const requested = { type: 'ExtendReservation', end, limits: LIMITS } as const
      return { requested, body: { ...end, ...beyond(step.isBeyondQuota) } }
    }),
  ),
  shorten: kind(5, ofEnd, (model, step) =>
    changeOfReservation(model, { ...step, isBeyondQuota: false }, 'shorten', (found) => {
      const { length, nanosecond, offsets } = step.window
      const former = found?.booking.end ?? model.clock / 1000
      const end = moment(Math.floor(former + 1800 - length) * 1000, nanosecond, offsets[0])
      return { requested: { type: 'ShortenReservation', end }, body: { end_time: written(end) } }
    }),
  ),
  'read SUT': kind(2, { as: wish.as, which: wish.which, condition: wish.condition }, (model, step) => {
    const sut = chosen(model.suts, step.which)
    const [header] = conditionOf(step.condition, sut?.record)
    const headers: Headers = header === undefined ? {} : { 'If-None-Match': header }
    // If-None-Match does not distinguish weak and strong tags.
    const isKnown = (): boolean => header !== undefined && step.condition !== 'old'
    return get(model, step.as, `/api/sut/${sut?._id ?? NO_ID}`, () => readSut(sut, isKnown), headers)
  }),
  'read reservation': kind(2, { as: wish.as, which: wish.which }, (model, { as, which }) => {
    const id = chosen(reservationIds(model), which) ?? NO_ID
    return get(model, as, `/api/sut_reservation/${id}`, (model) => readReservation(model, findReservation(model, id)))
  }),
}

type Kinds = typeof KINDS
type Sending = { [N in keyof Kinds]: Kinds[N] extends Kind<infer P> ? { readonly to: N } & P : never }[keyof Kinds]

export type Step =
  | Sending
  /** Repeats a request that had a key. */
  | { readonly to: 'retry'; readonly which: number }
  /** Milliseconds, forwards or back. */
  | { readonly to: 'move the clock'; readonly by: number }
  /** Restarts the service, perhaps without its documents. */
  | { readonly to: 'restart'; readonly isRebuilt: boolean }

/** The request of a step. */
export const requestOf = (step: Sending, model: Model): Request =>
  (KINDS[step.to] as unknown as Kind<Sending>).request(model, step)

const stepTo = (to: string, weight: number, parts: Readonly<Record<string, fc.Arbitrary<unknown>>>) => ({
  weight,
  arbitrary: fc.record({ to: fc.constant(to), ...parts }, { noNullPrototype: true }),
})

export const step = fc.oneof(
  ...Object.entries(KINDS).map(([to, { weight, parts }]) => stepTo(to, weight, parts)),
  stepTo('retry', 5, { which: fc.nat(4) }),
  stepTo('move the clock', 6, { by: wish.by }),
  stepTo('restart', 1, { isRebuilt: fc.boolean() }),
) as unknown as fc.Arbitrary<Step>
