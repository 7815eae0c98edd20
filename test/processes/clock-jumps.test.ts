import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type } from '../command-line/terminal.ts'
import { type Setting, start, temporaryData } from '../http/harness.ts'
import { allEventsOf } from '../http/store/log-rows.ts'
import { changedStore } from '../http/store/stores.ts'
import { isScheduled, settle, untilScheduled } from './recorded.ts'
import { last, stage } from './stage.ts'

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]

/** A service on a machine whose wall clock jumps while the time since boot goes on. */
const onMachine = async (t: ExecutionContext, setting: Setting = {}) => {
  let boot = 500 * SECOND
  const staged = await stage(t, { ...setting, sinceBoot: () => boot })
  const { service } = staged
  const set = (by: number): void => service.clock.set(new Date(service.clock.now() + by).toISOString())
  const alarm = async () => /berth_alarm\{part="clock"\} (\d)/.exec((await staged.admin.get('/metrics')).text)?.[1]
  const scheduled = async (): Promise<number> => {
    await settle([service])
    return (await allEventsOf(service)).filter(isScheduled).length
  }
  const pass = async (milliseconds: number): Promise<void> => {
    boot += milliseconds
    set(milliseconds)
    await settle([service])
  }
  return { ...staged, alarm, scheduled, pass, jump: set }
}

const CLOCK_ALARMS = /^the clock (jumped by|is trusted)/
const alarmsIn = (log: readonly { readonly level: string; readonly sentence: string }[]) =>
  log.filter(({ sentence }) => CLOCK_ALARMS.test(sentence)).map(({ level, sentence }) => `${level} ${sentence}`)

test('a jump of two minutes holds up starts and ends for five minutes, with an alarm', async (t) => {
  const { service, book, alarm, scheduled, pass, jump } = await onMachine(t)
  const id = await book('06:00', '06:15')
  await pass(9 * MINUTE)
  jump(2 * MINUTE)
  t.is(await scheduled(), 0)
  t.is(await alarm(), '1')
  await pass(5 * MINUTE - SECOND)
  t.is(await scheduled(), 0)
  await pass(2 * SECOND)
  t.deepEqual(await untilScheduled([service], 1), [`start 06:00:00.000Z ${last(id)}`])
  t.is(await alarm(), '0')
  t.deepEqual(alarmsIn(service.log), [
    'error the clock jumped by 120 s; starts and ends wait until it has held or is confirmed',
    'info the clock is trusted again; recording starts and ends',
  ])
})

test('a jump of more than an hour is held up until it is confirmed, and nothing is missed', async (t) => {
  const { service, book, alarm, scheduled, pass, jump } = await onMachine(t)
  const [first, far] = [await book('06:00', '06:15'), await book('09:00', '09:15')]
  t.is(await scheduled(), 0)
  jump(HOUR + SECOND)
  t.is(await scheduled(), 0)
  await pass(3 * HOUR)
  t.is(await scheduled(), 0)
  t.is(await alarm(), '1')
  const { code, error } = await type(['clock', 'confirm'], { BERTH_DATA: service.data })
  t.is(code, 0, error)
  t.deepEqual((await untilScheduled([service], 4)).toSorted(), [
    `end 06:15:00.000Z ${last(first)}`,
    `end 09:15:00.000Z ${last(far)}`,
    `start 06:00:00.000Z ${last(first)}`,
    `start 09:00:00.000Z ${last(far)}`,
  ])
  t.is(await alarm(), '0')
})

test('a start more than a day past the last event records nothing for five minutes', async (t) => {
  const data = await temporaryData(t)
  const { service, book } = await stage(t, { data })
  const id = await book('06:00', '06:15')
  await service.stop()
  let boot = 500 * SECOND
  const again = await start(t, { data, now: '2030-05-03T06:00:00.000Z', sinceBoot: () => boot })
  await settle([again])
  t.is((await allEventsOf(again)).filter(isScheduled).length, 0)
  boot += 5 * MINUTE
  again.clock.set('2030-05-03T06:05:00.000Z')
  t.deepEqual(await untilScheduled([again], 2), [`start 06:00:00.000Z ${last(id)}`, `end 06:15:00.000Z ${last(id)}`])
})

test('a clock that jumps while starts and ends are recorded holds the others up', async (t) => {
  const data = await temporaryData(t)
  const { service, book } = await stage(t, { data })
  const id = await book('06:00', '06:15')
  await service.stop()
  let onFirst = (): void => undefined
  const openStore = changedStore(join(data, 'events.db'), (store) => ({
    append: (stream, expected, events, secrets) => {
      if (events.some(isScheduled)) onFirst()
      onFirst = () => undefined
      return store.append(stream, expected, events, secrets)
    },
  }))
  const again = await start(t, { data, openStore, now: '2030-05-02T06:20:00.000Z', sinceBoot: () => 500 * SECOND })
  onFirst = () => again.clock.set('2030-05-02T06:50:00.000Z')
  t.deepEqual(await untilScheduled([again], 1), [`start 06:00:00.000Z ${last(id)}`])
  again.clock.set('2030-05-02T06:20:00.000Z')
  t.is((await untilScheduled([again], 2)).length, 2)
})
