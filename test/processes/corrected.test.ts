import test, { type ExecutionContext } from 'ava'
import { type } from '../command-line/terminal.ts'
import { sharedEnvironment } from '../event-store/shared-store.ts'
import { start } from '../http/harness.ts'
import { allEventsOf } from '../http/store/log-rows.ts'
import { settle, untilScheduled } from './recorded.ts'
import { at, last, stage } from './stage.ts'

/** Starts and ends that a service with a wrong clock recorded are recorded again, by a running or restarted service. */

/** A service whose clock was six hours ahead for a while and has been corrected at 06:05. */
const aCorrected = async (t: ExecutionContext) => {
  const { service, book } = await stage(t)
  const { data } = service
  const [first, second] = [await book('06:00', '06:30'), await book('12:00', '13:00')]
  service.clock.set(at('06:00:00.000'))
  const before = await untilScheduled([service], 1)
  await service.stop()
  const from = (await allEventsOf({ data })).length
  const wrong = await start(t, { data, now: at('12:05:00.000') })
  const whole = await untilScheduled([wrong], 3)
  t.deepEqual(whole, [...before, `end 06:30:00.000Z ${last(first)}`, `start 12:00:00.000Z ${last(second)}`])
  await wrong.stop()
  const right = await start(t, { data, now: at('06:05:00.000') })
  await settle([right])
  const span = ['--from', String(from).padStart(20, '0'), '--to', String(from + 1).padStart(20, '0')]
  const now = (): number => Date.parse(at('06:05:00.000'))
  const line = ['clock', 'correct', ...span, '--why', 'the clock was ahead']
  const { code, out, error } = await type(line, { BERTH_DATA: data, ...sharedEnvironment(data) }, { now })
  t.deepEqual([code, out], [0, 'corrected 1 streams; restored 2 reservations\n'], error)
  return { right, data, whole, end: `end 06:30:00.000Z ${last(first)}`, begin: `start 12:00:00.000Z ${last(second)}` }
}

test('a running service records what its corrected log no longer has, when it is due', async (t) => {
  const { right, whole, end, begin } = await aCorrected(t)
  t.deepEqual(await untilScheduled([right], 3), whole)
  right.clock.set(at('06:30:00.000'))
  t.deepEqual(await untilScheduled([right], 4), [...whole, end])
  right.clock.set(at('12:00:00.000'))
  t.deepEqual(await untilScheduled([right], 5), [...whole, end, begin])
})

test('a service that starts after a correction records what was due meanwhile', async (t) => {
  const { right, data, whole, end } = await aCorrected(t)
  await right.stop()
  const again = await start(t, { data, now: at('07:00:00.000') })
  t.deepEqual(await untilScheduled([again], 4), [...whole, end])
  await again.stop()
  const verified = await type(['verify'], { BERTH_DATA: data, ...sharedEnvironment(data) })
  t.is(verified.code, 0, verified.out)
})
