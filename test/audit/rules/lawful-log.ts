import { createSecretKey } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { createSut } from '../../../src/commands/create-sut.ts'
import { makeIdempotencyKeys } from '../../../src/commands/idempotency-key.ts'
import { BERTH, makeSweep } from '../../../src/commands/listen-ports.ts'
import { beginSchedule, SCHEDULE, upgradeLog } from '../../../src/commands/log-events.ts'
import { makeRunner } from '../../../src/commands/loop.ts'
import type { Actor } from '../../../src/domain/decider.ts'
import { LOG_VERSION } from '../../../src/domain/events/log.ts'
import { listenPortDecider } from '../../../src/domain/listen-port/decide.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import { type OpenedSession, sessionDecider } from '../../../src/domain/session/decide.ts'
import { sutDecider } from '../../../src/domain/sut/decide.ts'
import type { SutValues } from '../../../src/domain/sut/state.ts'
import { LISTEN_PORTS_STREAM, makeId, sessionStream, sutStream } from '../../../src/domain/values/ids.ts'
import { addSeconds, formatMilliseconds, instantAt } from '../../../src/domain/values/instant.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { GATEWAY } from '../../../src/processes/sessions/recorder.ts'
import { standingsIn } from '../../commands/port-setting.ts'
import { NO_SNAPSHOTS } from '../../commands/script.ts'
import { administrator, alice, bob, LIMITS, sutValues, tester } from '../../domain/builders.ts'
import { createSeries } from '../../domain/series/series.ts'
import { randomHex, readLog } from '../../event-store/new-events.ts'
import { makeNumbers } from '../../read-models/lists/many-reservations.ts'
import { makeUserStory } from './lawful-users.ts'

/** Random logs written by the real commands, which cover every kind of event. */

const RANGE = { first: 4_000, last: 4_011 }
export const BEGINS = Date.parse('2030-05-02T05:58:11.400Z')
const RING = { keys: [{ id: 'k1', key: createSecretKey(new Uint8Array(32)) }] }
const IDEMPOTENCY_KEYS = makeIdempotencyKeys(() => RING)
const NAMES = ['bench 4', 'Prüfstand "Zoë" 😀', 'back\\slash', 'rack 7']
/** Milliseconds. */
const [MINUTE, DAY] = [60_000, 86_400_000]

const QUIET = { info: () => undefined, warn: () => undefined }

interface Reservation {
  readonly _id: string
  readonly sut_id: string
  readonly user_id: string
}

/** Runs `steps` random commands on a store, from `begins` in Unix milliseconds. The resulting log is valid. */
export const writeStory = async (
  store: EventStore,
  seed: number,
  steps: number,
  begins: number = BEGINS,
): Promise<void> => {
  const number = makeNumbers(seed)
  const one = <A>(of: readonly A[]): A => of[number(of.length)] as A
  let now = begins
  const runner = makeRunner({ store, clock: () => now, randomHex, snapshots: NO_SNAPSHOTS })
  const suts: string[] = []
  const reservations: Reservation[] = []
  const by = (actor: Actor, step: number) => ({
    actor,
    requestId: randomHex(8),
    idempotencyKey:
      number(3) === 0 ? IDEMPOTENCY_KEYS.derive(actor._id, `key ${step - number(2)}`, 'POST', '/', '') : undefined,
    ...(number(2) === 0 && { client: `k1:${one(['a', 'b']).repeat(22)}` }),
    ...(number(4) === 0 && { reason: one(['because', 'weil „so“', 'tests go on']) }),
  })
  const seal = () =>
    number(3) === 0 ? { credentials: { id: randomHex(12), changed: ['password' as const] }, secrets: [] } : undefined
  const values = (): Partial<SutValues> =>
    one([
      { name: one(NAMES) },
      { is_active: number(3) > 0 },
      { port: 1 + number(9), os: 'linux' },
      { turnaround: 900 * one([0, 0, 1, 4]) },
    ])

  const create = async (step: number): Promise<void> => {
    const values = sutValues({ name: one(NAMES), ...(number(2) === 0 && { rdp_height: 1_080, turnaround: 1_800 }) })
    const made = await createSut(runner, {
      ...by(administrator, step),
      values,
      range: RANGE,
      random: randomHex(8),
      seal,
    })
    if (E.isRight(made)) suts.push(made.right._id)
  }
  /** Starts a creation but makes only the first of its two appends. */
  const begin = (step: number) => {
    const command = { type: 'AssignListenPorts', range: RANGE, randoms: [randomHex(8)] } as const
    return runner.run(listenPortDecider, LISTEN_PORTS_STREAM, { ...by(administrator, step), command })
  }
  const change = (step: number) => {
    const tags = { [one(['site', 'constructor', '10'])]: one(['b12', 'c3', null]) }
    const command =
      number(2) === 0
        ? ({ type: 'UpdateSut', values: values(), ...seal() } as const)
        : ({ type: 'TagSut', tags } as const)
    return runner.run(sutDecider, sutStream(one(suts)), { ...by(administrator, step), command })
  }
  const retire = (step: number) =>
    runner.run(sutDecider, sutStream(one(suts)), { ...by(administrator, step), command: { type: 'RetireSut' } })
  const sweep = async (): Promise<void> => {
    const sutStatusOf = standingsIn(await readLog(store, -1))
    await makeSweep({ runner, clock: () => now, sutStatusOf, makeRequestId: () => randomHex(8) })()
  }

  const reserve = async (step: number): Promise<void> => {
    const [sut_id, user_id] = [one(suts), one([alice, bob])]
    const actor = one([administrator, tester(user_id)])
    const instant = instantAt(now + number(12) * 7 * MINUTE)
    const start = { instant, offset: one([0, 120, -210]) }
    const end = { ...start, instant: addSeconds(instant, 60 * (1 + number(200))) }
    const window =
      number(2) === 0
        ? ({ form: 'relative', startIn: number(9_000), duration: 1 + number(9_000) } as const)
        : ({ form: 'explicit', start, end } as const)
    const keepalive = one([undefined, undefined, 30, 900, 3_600])
    const command = { type: 'CreateReservation', actor, sut_id, user_id, userExists: true, window, keepalive } as const
    const envelope = { ...by(actor, step), command: { ...command, limits: LIMITS, random: randomHex(8) } }
    const made = await runner.run(reservationDecider, sutStream(sut_id), envelope)
    const event = E.isRight(made) && made.right.kind === 'recorded' ? made.right.events[0] : undefined
    if (event?.type === 'ReservationCreated') reservations.push(event.data)
  }
  /** Up to four windows, and perhaps no longer all of them: what has not begun of a series is cancelled. */
  const reserveSeries = async (step: number): Promise<void> => {
    const sut_id = one(suts)
    const instant = { seconds: Math.round((now + (1 + number(9)) * DAY) / 1_000), nanoseconds: 0 }
    const ends = [instant, addSeconds(instant, 60 * (1 + number(90)))].map((at) => ({ instant: at, offset: 0 }))
    const rrule = one(['FREQ=DAILY;COUNT=2', 'FREQ=WEEKLY;COUNT=4'])
    const command = createSeries(rrule, [ends[0], ends[1]] as never, 'Europe/Berlin', { sut_id }, now)
    const envelope = by(administrator, step)
    const made = await runner.run(reservationDecider, sutStream(sut_id), { ...envelope, command })
    if (E.isLeft(made) || made.right.kind !== 'recorded' || number(2) === 0) return
    const reservationIds = made.right.events.flatMap(({ type, data }) =>
      type === 'ReservationCreated' ? [data._id] : [],
    )
    const cancel = { type: 'CancelSeries', actor: administrator, user_id: alice, reservationIds } as const
    await runner.run(reservationDecider, sutStream(sut_id), { ...by(administrator, step), command: cancel })
  }
  const later = (seconds: number) => instantAt(now + seconds * 1_000)
  const cancelOrExtend = (step: number) => {
    const { sut_id, ...reservation } = reservations[Math.max(0, reservations.length - 1 - number(6))] as Reservation
    const actor = one([administrator, tester(reservation.user_id)])
    const of = { actor, documentStatus: 'made', ...reservation } as const
    const command =
      number(2) === 0
        ? ({ type: 'CancelReservation', ...of } as const)
        : number(2) === 0
          ? ({ type: 'ExtendReservation', ...of, end: { duration: 900 + number(20_000) }, limits: LIMITS } as const)
          : ({ type: 'ShortenReservation', ...of, end: { instant: later(number(9_000)), offset: 60 } } as const)
    return runner.run(reservationDecider, sutStream(sut_id), { ...by(actor, step), command })
  }

  const keepOrRelease = (step: number) => {
    const { sut_id, ...reservation } = reservations[Math.max(0, reservations.length - 1 - number(6))] as Reservation
    const actor = one([GATEWAY, tester(reservation.user_id)])
    const [command, envelope] =
      number(3) === 0
        ? [{ type: 'ReleaseUnattended', _id: reservation._id, cause: 'keepalive' } as const, { actor: SCHEDULE }]
        : [
            { type: 'KeepReservation', actor, documentStatus: 'made', ...reservation } as const,
            actor === GATEWAY ? { actor } : by(actor, step),
          ]
    return runner.run(reservationDecider, sutStream(sut_id), { requestId: randomHex(8), ...envelope, command })
  }

  const bindOrUnbind = (step: number) => {
    const { sut_id, ...reservation } = reservations[Math.max(0, reservations.length - 1 - number(6))] as Reservation
    const actor = number(2) === 0 ? BERTH : tester(reservation.user_id)
    const client = `k1:${one(['a', 'b']).repeat(22)}`
    const [command, envelope] =
      actor === BERTH
        ? [{ type: 'UnbindReservation', _id: reservation._id } as const, { actor, requestId: randomHex(8) }]
        : [
            { type: 'BindReservation', actor, documentStatus: 'made', ...reservation, client } as const,
            { ...by(actor, step), client },
          ]
    return runner.run(reservationDecider, sutStream(sut_id), { ...envelope, command })
  }

  const advance = async (sut_id: string, records: number): Promise<void> => {
    for (let n = 0; n < records; n++) {
      const envelope = { command: { type: 'AdvanceSchedule', sut_id, from } as const, actor: SCHEDULE }
      const done = await runner.run(reservationDecider, sutStream(sut_id), { ...envelope, requestId: randomHex(8) })
      if (E.isLeft(done) || done.right.kind !== 'recorded') return
    }
  }

  /** Sessions of two instances, recorded at once or late, and closed by either. */
  const sessions = new Map<string, OpenedSession>()
  const useReservation = async (): Promise<void> => {
    const { _id: reservation_id, sut_id, user_id } = one(reservations)
    const instance = one(['0123456789abcdef', 'fedcba9876543210'])
    const open = [...sessions.values()].find(
      (each) => each.reservation_id === reservation_id && each.instance === instance,
    )
    const opened_at = now - number(MINUTE)
    const made = { _id: makeId(opened_at, randomHex(8)), reservation_id, sut_id, user_id, instance }
    const session = open ?? { ...made, opened_at: formatMilliseconds(opened_at) }
    const counts = { connections: 1 + number(9), bytes_to_sut: number(1e6), bytes_from_sut: number(1e6) }
    const closed = {
      closed_at: formatMilliseconds(now),
      ...counts,
      cause: one(['client', 'released', 'lost'] as const),
    }
    const end = open !== undefined || number(3) === 0 ? closed : undefined
    const command =
      open !== undefined && end !== undefined
        ? ({ type: 'CloseSession', _id: session._id, end } as const)
        : ({ type: 'RecordSession', session, end } as const)
    for (let n = 0; n <= number(2); n++) {
      await runner.run(sessionDecider, sessionStream(sut_id), { command, actor: GATEWAY, requestId: randomHex(8) })
    }
    if (end === undefined) sessions.set(session._id, session)
    else sessions.delete(session._id)
  }

  await upgradeLog({ store, version: LOG_VERSION, clock: () => now, randomHex, log: QUIET, waitsForStore: false })
  const from = await beginSchedule({ store, randomHex }, now + number(2) * 20 * MINUTE)
  const users = makeUserStory({ store, runner, clock: () => now, number, one, by, reservations })
  await users.begin()
  await create(0)
  for (let step = 1; step < steps; step++) {
    // Sometimes the clock goes back, or the log is idle for longer than ends are waited for.
    now += number(40) === 0 ? -number(30_000) : number(30) === 0 ? number(DAY) : number(5 * MINUTE)
    if (number(300) === 0) now += 32 * DAY
    if (suts.length > 0 && number(3) === 0) await advance(one(suts), 1 + number(6))
    const act = number(100)
    if (act < 5) await create(step)
    else if (act < 7) await begin(step)
    else if (act < 16) await change(step)
    else if (act < 19) await retire(step)
    else if (act < 23) await sweep()
    else if (act < 32 && reservations.length > 0) await useReservation()
    else if (act < 38) await users.act(step)
    else if (act < 43 && reservations.length > 0) await bindOrUnbind(step)
    else if (act < 50 && reservations.length > 0) await keepOrRelease(step)
    else if (act < 53 && suts.length > 0) await reserveSeries(step)
    else if (act < 78 || reservations.length === 0) await reserve(step)
    else await cancelOrExtend(step)
  }
}
