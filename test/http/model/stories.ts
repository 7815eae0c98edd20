import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { cp, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { DataOf } from '../../../src/domain/event.ts'
import { verifyFile } from '../../audit/verify/verify-file.ts'
import { SHARED_STORE } from '../../event-store/shared-store.ts'
import type { Answer } from '../client.ts'
import { idOf, type Running, start, type Tidying, temporaryData, withScope } from '../harness.ts'
import { DOCUMENTED, faultsOf } from '../refusals/problems.ts'
import { NOW } from '../requests.ts'
import { eventsOf } from '../store/log-rows.ts'
import { until } from '../until.ts'
import {
  BEGINNING,
  isBehind,
  type Model,
  type NewSeries,
  newModel,
  type Refused,
  type Shown,
  textOfSut,
} from './model.ts'
import type { Request } from './requests.ts'
import { findReservation, readReservation, reservationIds, standingReservations } from './reservations.ts'
import { requestOf, type Step } from './steps.ts'
import { releasePort, unreleased } from './suts.ts'
import { NAMES } from './wishes.ts'

interface Stage {
  readonly model: Model
  readonly data: string
  readonly scope: Tidying
  /** The requests that had a key. */
  readonly keyed: Request[]
  /** The requests and answers so far, for the error message. */
  readonly transcript: string[]
  service: Running
  /** Refusals of this run that the service counts. */
  denied: number
  /** The highest position that an answer has shown. */
  seen: number
  /** What could be read after the events up to a position, by path. */
  readonly past: Map<number, Reads>
}

const PORTS = [4000, 4001, 4002]
const environment = { BERTH_LISTEN_PORTS: '4000-4002', BERTH_WINDOW_MAX: 'PT3H', BERTH_HORIZON: 'PT5H' }
const RETRIED_WITHIN = 23 * 3_600_000

const iso = (time: number): string => new Date(time).toISOString()

/** The files of an empty service, copied for each story because creating them takes longer than the story. */
export const emptyData = async (t: Tidying): Promise<string> => {
  const service = await start(t, { now: NOW, environment })
  await service.stop()
  return service.data
}

/** On a shared store each story has its own log, which the documents of the template do not match. */
const isOfStory = (path: string): boolean => SHARED_STORE === undefined || !basename(path).startsWith('views.db')

const begin = async (scope: Tidying, data: string, time: number) => {
  const service = await start(scope, { now: iso(time), data, environment })
  await until('ready', async () => (await service.anyone.get('/health/ready')).status === 200, 60_000)
  return service
}

/** A stop records how much was refused, unless the clock is behind what was recorded before. */
const takeCount = async (stage: Stage): Promise<void> => {
  const { model, data, denied } = stage
  const added = (await eventsOf({ data })).slice(model.log.length - BEGINNING.length)
  ok(added.length <= 1, `${added.length} events were recorded by a stop`)
  for (const { type, data, metadata } of added) {
    const { refusals, others = 0 } = data as unknown as DataOf<'RefusalsCounted'>
    const counted = refusals.reduce((sum, { count }) => sum + count, others)
    deepEqual([type, counted], ['RefusalsCounted', denied])
    model.log.push(`${type} undefined ${metadata.time}`)
  }
  stage.denied = 0
}

/** Restarts the service. Returns the outcome in a word. */
const restart = async (stage: Stage, isRebuilt: boolean): Promise<string> => {
  const { model, data, scope } = stage
  await stage.service.stop()
  await takeCount(stage)
  if (isRebuilt)
    for (const file of ['views.db', 'views.db-wal', 'views.db-shm']) await rm(join(data, file), { force: true })
  stage.service = await begin(scope, data, model.clock)
  const left = isBehind(model, model.ports.time) ? [] : unreleased(model)
  if (left.length === 0) return isRebuilt ? 'rebuilt' : 'as before'
  for (const sut of left) releasePort(model, sut)
  const isSwept = async (): Promise<boolean> => (await eventsOf({ data })).length >= model.log.length - BEGINNING.length
  await until('orphaned ports are released', isSwept, 5_000)
  return 'swept up'
}

const checkPosition = (stage: Stage, { method }: Request, { headers }: Answer, expected?: number): void => {
  const { length } = stage.model.log
  match(String(headers['berth-position']), /^\d{20}$/)
  const position = Number(headers['berth-position'])
  ok(position < length, `Berth-Position ${position} of ${length}`)
  if (expected !== undefined) equal(position, expected)
  // A read shows at least what earlier answers have shown.
  if (method === 'GET') ok(position >= stage.seen, `Berth-Position ${position} after ${stage.seen}`)
  stage.seen = Math.max(stage.seen, position)
}

const checkShown = ({ status, text, headers }: Answer, shown: Shown): void => {
  equal(status, shown.status)
  equal(text, shown.text)
  deepEqual([headers.etag, headers.location], [shown.etag, shown.location])
  equal(headers['keepalive-until'], shown.until)
  equal(headers['content-type'], status === 304 ? undefined : 'application/json')
}

/** Refusals name the holders of reservations. */
const withNames = (help: Refused['help'] = {}): object => ({
  ...help,
  ...(help.conflicts && {
    conflicts: help.conflicts.map((conflict) => ({
      ...conflict,
      user_name: NAMES.find((name) => idOf(name) === conflict.user_id),
    })),
  }),
})

const checkRefused = (answer: Answer, code: string, help?: Refused['help']): void => {
  deepEqual([answer.status, answer.json.code], [DOCUMENTED[code], code])
  const { conflicts, free_until, next_available, extendable_until, used, quota, week } = answer.json
  const given = Object.entries({ conflicts, free_until, next_available, extendable_until, used, quota, week }).filter(
    ([, value]) => value !== undefined,
  )
  // Of several SUTs that could be had next, the model does not say which.
  if (code !== 'no_sut_free') deepEqual(Object.fromEntries(given), withNames(help))
  deepEqual(faultsOf(answer), [])
}

const newSeriesIn = ({ series_id, sut_reservations = [] }: Answer['json']): NewSeries => ({
  _id: String(series_id),
  members: (sut_reservations as readonly { readonly _id: string }[]).map(({ _id }) => _id),
})

/** Sends a request and compares the answer with the model's. Returns the outcome in a word. */
const exchange = async (stage: Stage, request: Request): Promise<string> => {
  const { model, service, transcript } = stage
  const { as, method, path, body, headers, key } = request
  const expected = request.expected(model)
  const answer = await service.as(as).request(method, path, headers, body)
  transcript.push(
    `${iso(model.clock)} ${as} ${method} ${path} ${JSON.stringify(headers)} ${body ?? ''} -> ${answer.status} ${answer.text}`,
  )
  if ('code' in expected) {
    checkRefused(answer, expected.code, expected.help)
    if (/^(no_sut_free|reservation_conflict|sut_inactive|quota_exceeded)$/.test(expected.code)) stage.denied++
    checkPosition(stage, request, answer)
    return expected.code
  }
  ok(answer.status < 400, 'must not be refused')
  const isKnown = model.keys.has(`${as} ${key}`)
  const made = answer.status === 201 ? answer.json : {}
  const { _id = '', sut_id } = made
  const shown = expected.settle(String(_id), String(sut_id), newSeriesIn(made))
  if (key && expected.isRecorded) model.keys.set(`${as} ${key}`, { request: `${path} ${body}`, shown })
  checkShown(answer, shown)
  checkPosition(stage, request, answer, shown.position)
  stage.past.set(model.log.length - 1, readsOf(model))
  if (isKnown) return 'repeated'
  return expected.isRecorded ? 'recorded' : String(shown.status)
}

const play = async (stage: Stage, step: Step): Promise<string> => {
  const { model, service, keyed } = stage
  if (step.to === 'restart') return restart(stage, step.isRebuilt)
  if (step.to === 'move the clock') {
    model.clock += step.by
    service.clock.set(iso(model.clock))
    return step.by < 0 ? 'back' : 'forth'
  }
  if (step.to === 'retry') {
    const request = keyed.at(-1 - step.which)
    // After a day the answer to a repeated key is unspecified.
    if (request === undefined || model.clock - request.time > RETRIED_WITHIN) return 'nothing'
    return exchange(stage, request)
  }
  const request = requestOf(step, model)
  if (request.key) keyed.push(request)
  return exchange(stage, request)
}

/** The expected status, entity tag and text of each read, by path. */
type Reads = ReadonlyMap<string, string>

const NOT_FOUND = { sut: '404 sut_not_found', sut_reservation: '404 reservation_not_found' }
const missing = (path: string): string => NOT_FOUND[path.startsWith('/api/sut/') ? 'sut' : 'sut_reservation']

/** Reads of the lists, and of everything by its id. */
const readsOf = (model: Model): Reads => {
  const list = (name: string, documents: readonly string[]): string =>
    `200 undefined {"limit":1000,"offset":0,"count":${documents.length},"${name}":[${documents.join()}]}`
  const suts = model.suts.filter(({ calendar }) => !calendar.retired).map(textOfSut)
  const reads = new Map([
    ['/api/sut?limit=1000', list('suts', suts.toReversed())],
    ['/api/sut_reservation?limit=1000', list('sut_reservations', standingReservations(model))],
    ...model.suts.map((sut) => [`/api/sut/${sut._id}`, `200 "${sut.record}" ${textOfSut(sut)}`] as const),
  ])
  for (const id of reservationIds(model)) {
    const expected = readReservation(model, findReservation(model, id))
    const read = 'code' in expected ? '410 reservation_cancelled' : `200 undefined ${expected.settle(id).text}`
    reads.set(`/api/sut_reservation/${id}`, read)
  }
  return reads
}

const checkReads = async ({ service }: Stage, reads: Reads, now: Reads, as_of?: string): Promise<void> => {
  for (const path of now.keys()) {
    const address = as_of === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}as_of=${as_of}`
    const { status, headers, text, json } = await service.as('audrey').get(address)
    equal(status === 200 ? `200 ${headers.etag} ${text}` : `${status} ${json.code}`, reads.get(path) ?? missing(path))
  }
}

/** Places in a story of which the past is read. */
const PLACES = 3

/** Reads what was there after some events, by their positions and, where clocks do not leave it open, by their times. */
const checkPast = async (stage: Stage, now: Reads): Promise<void> => {
  const { model, past } = stage
  const times = model.log.map((line) => Date.parse(line.split(' ')[2] ?? NOW))
  for (const [n, [position, reads]] of [...past].entries()) {
    if (n % Math.ceil(past.size / PLACES) !== 0) continue
    await checkReads(stage, reads, now, String(position).padStart(20, '0'))
    const time = times[position] ?? 0
    const isLast = times.every((each, at) => (at <= position ? each <= time : each > time))
    if (isLast && time <= model.clock) await checkReads(stage, reads, now, iso(time))
  }
}

/** Compares the lists, the past and the log with the model, and verifies the log. */
const checkWhole = async (stage: Stage): Promise<void> => {
  const { model, data } = stage
  const now = readsOf(model)
  await checkReads(stage, now, now)
  await checkPast(stage, now)
  const rows = (await eventsOf({ data })).map(({ type, data, metadata }) => {
    // No answer has the id of the request that a reservation of any SUT is.
    const id = /Request/.test(type) ? 'request' : '_id' in data ? data._id : data.sut_id
    return `${type} ${id} ${metadata.time}`
  })
  deepEqual([...BEGINNING, ...rows], model.log)
  if (SHARED_STORE === undefined) deepEqual((await verifyFile(join(data, 'events.db'), [])).findings, [])
}

/**
 * Plays a story on a new service with a copy of the given data, and compares every answer with the model's.
 *
 * @returns the outcome of every step
 * @throws Error at the first difference, with the story so far
 */
export const played = (template: string, steps: readonly Step[]): Promise<readonly string[]> =>
  withScope(async (scope) => {
    const data = await temporaryData(scope)
    await cp(template, data, { recursive: true, filter: isOfStory })
    const model = newModel(Date.parse(NOW), PORTS)
    const service = await begin(scope, data, model.clock)
    const stage: Stage = {
      model,
      data,
      scope,
      keyed: [],
      transcript: [],
      service,
      denied: 0,
      seen: -1,
      past: new Map(),
    }
    const outcomes: string[] = []
    try {
      for (const step of steps) outcomes.push(`${step.to}: ${await play(stage, step)}`)
      await checkWhole(stage)
    } catch (error) {
      throw new Error(`${(error as Error).message}\n\nThe story until then:\n${stage.transcript.join('\n')}`, {
        cause: error,
      })
    }
    return outcomes
  })
