import { setImmediate as turn } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from '../../src/commands/command-envelope.ts'
import { runSchedule } from '../../src/processes/schedule.ts'
import { makeUpcomingReservations } from '../../src/processes/upcoming.ts'
import type { Views } from '../../src/read-models/views.ts'
import {
  clock,
  idOf,
  reservationCancelled,
  reservationEnded,
  reservationExtended,
  reservationStarted,
  wall,
} from '../domain/builders.ts'
import { fakeViews, rowOf } from './fake-views.ts'

/** One reservation from 06:15 to 06:30, and how often its SUT's stream is asked at a time whether anything is due. */
const given = async (t: ExecutionContext, isRecorded: () => boolean = () => true) => {
  const { fake, views } = fakeViews()
  fake.rows = [rowOf(idOf(1), '06:15', '06:30', 1)]
  const time = { now: clock('06:00') }
  const upcoming = makeUpcomingReservations({ views, clock: () => time.now })
  await upcoming.load()
  let asked = 0
  const run = async () => {
    asked++
    return isRecorded() ? E.right({ kind: 'unchanged', events: [] }) : E.left({ code: 'unavailable' })
  }
  const read = async () => ({ position: 0, listed: [] })
  const stop = new AbortController()
  let wake = (): void => undefined
  const running = runSchedule({
    ...{ upcoming, views: { read: read as unknown as Views['read'] }, from: clock('05:00'), signal: stop.signal },
    runner: { run: run as unknown as Runner['run'] },
    clock: { now: () => time.now, mayAct: () => true, mayRecord: () => true, confirm: () => undefined },
    ...{ isServing: () => true, onRecorded: () => undefined, makeRequestId: () => '' },
    onError: (error) => t.fail(String(error)),
    wake: () => new Promise((resolve) => (wake = resolve)),
  })
  t.teardown(async () => {
    stop.abort()
    wake()
    await running
  })
  const askedAt = async (moment: string): Promise<number> => {
    time.now = clock(moment)
    asked = 0
    for (let n = 0; n < 3; n++) {
      wake()
      await turn()
    }
    return asked
  }
  return { fake, askedAt }
}

test('a reservation is due at its start and then at its end, each once', async (t) => {
  const { askedAt } = await given(t)
  t.is(await askedAt('06:14:59.999'), 0)
  t.is(await askedAt('06:15'), 1)
  t.is(await askedAt('06:29:59.999'), 0)
  t.is(await askedAt('06:30'), 1)
  t.is(await askedAt('06:40'), 0)
})

test('what could not be recorded is due again a second later', async (t) => {
  let isUp = false
  const { askedAt } = await given(t, () => isUp)
  t.is(await askedAt('06:15'), 1)
  t.is(await askedAt('06:15:00.999'), 0)
  isUp = true
  t.is(await askedAt('06:15:01'), 1)
  t.is(await askedAt('06:15:02'), 0)
})

test('what another instance has recorded, or somebody has cancelled, is not due', async (t) => {
  const { fake, askedAt } = await given(t)
  fake.tell('06:15', reservationStarted(idOf(1), wall('06:15')))
  t.is(await askedAt('06:15'), 0)
  fake.tell('06:30', reservationEnded(idOf(1), wall('06:30')))
  t.is(await askedAt('06:30'), 0)
  const other = await given(t)
  other.fake.tell('06:00', reservationCancelled(idOf(1)))
  t.is(await other.askedAt('06:30'), 0)
})

test('an extension moves the end, also one that is seen after the end was looked for in vain', async (t) => {
  const { fake, askedAt } = await given(t)
  t.is(await askedAt('06:15'), 1)
  t.is(await askedAt('06:30'), 1)
  fake.tell('06:29', reservationExtended(idOf(1), wall('07:00')))
  t.is(await askedAt('06:59:59.999'), 0)
  t.is(await askedAt('07:00'), 1)
})
