import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { type Running, start, temporaryData } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { allEventsOf } from '../http/store/log-rows.ts'
import { changedStore } from '../http/store/stores.ts'
import { isScheduled, settle, untilScheduled } from './recorded.ts'
import { at, last, stage } from './stage.ts'

const scheduledIn = async (service: Pick<Running, 'data'>) => (await allEventsOf(service)).filter(isScheduled)

for (const isRebuilt of [false, true]) {
  const how = isRebuilt ? ' with its views deleted' : ''
  test(`a service that was down records every missed start and end in order${how}`, async (t) => {
    const { service, book } = await stage(t)
    const [first, second] = [await book('06:00', '06:15'), await book('06:15', '06:30')]
    const running = await book('07:00', '09:00')
    service.clock.set(at('06:01:00.000'))
    await untilScheduled([service], 1)
    await service.stop()
    if (isRebuilt)
      for (const end of ['', '-wal', '-shm']) await rm(join(service.data, `views.db${end}`), { force: true })
    const again = await start(t, { data: service.data, now: at('07:30:00.000') })
    const expected = [
      `start 06:00:00.000Z ${last(first)}`,
      `end 06:15:00.000Z ${last(first)}`,
      `start 06:15:00.000Z ${last(second)}`,
      `end 06:30:00.000Z ${last(second)}`,
      `start 07:00:00.000Z ${last(running)}`,
    ]
    t.deepEqual(await untilScheduled([again], 5), expected)
    for (const { metadata } of (await scheduledIn(again)).slice(1)) t.is(metadata.time, at('07:30:00.000'))
    again.clock.set(at('09:00:00.000'))
    t.deepEqual(await untilScheduled([again], 6), [...expected, `end 09:00:00.000Z ${last(running)}`])
  })
}

test('a service that was suspended for longer than it reads ahead records what it missed', async (t) => {
  const { service, book, admin } = await stage(t)
  const other = await createSut(admin)
  const [far, running] = [await book('09:00', '09:15', other), await book('11:45', '12:15')]
  await settle([service])
  service.clock.set(at('12:00:00.000'))
  t.deepEqual((await untilScheduled([service], 3)).toSorted(), [
    `end 09:15:00.000Z ${last(far)}`,
    `start 09:00:00.000Z ${last(far)}`,
    `start 11:45:00.000Z ${last(running)}`,
  ])
})

test('a reservation that ends while a start reads ahead is recorded', async (t) => {
  const { service, book } = await stage(t)
  const id = await book('06:00', '06:15')
  await service.stop()
  const again = await start(t, { data: service.data, now: at('06:14:59.999') })
  await again.anyone.get('/health/ready')
  again.clock.set(at('06:15:00.000'))
  t.deepEqual(await untilScheduled([again], 2), [`start 06:00:00.000Z ${last(id)}`, `end 06:15:00.000Z ${last(id)}`])
})

/** A store that refuses starts and ends, in some streams, while told so. */
const refusingSchedule = async (t: ExecutionContext) => {
  const data = await temporaryData(t)
  const refusal = { isOn: true, isOf: (_stream: string): boolean => true }
  const openStore = changedStore(join(data, 'events.db'), (store) => ({
    append: async (stream, expected, events, secrets) => {
      if (refusal.isOn && refusal.isOf(stream) && events.some(isScheduled)) return E.left('unavailable')
      return store.append(stream, expected, events, secrets)
    },
  }))
  return { data, refusal, openStore }
}

test('an end that was due before its SUT was retired is recorded after a restart', async (t) => {
  const { refusal, ...setting } = await refusingSchedule(t)
  const { service, sut_id, book, admin } = await stage(t, setting)
  const id = await book('06:00', '06:15')
  service.clock.set(at('06:20:00.000'))
  await settle([service])
  t.is((await admin.request('POST', `/api/sut/${sut_id}/retire`)).status, 200)
  t.is((await scheduledIn(service)).length, 0)
  await service.stop()
  refusal.isOn = false
  const again = await start(t, { ...setting, now: at('06:25:00.000') })
  t.deepEqual(await untilScheduled([again], 2), [`start 06:00:00.000Z ${last(id)}`, `end 06:15:00.000Z ${last(id)}`])
})

test('starts and ends are recorded after an outage of the store', async (t) => {
  const { refusal, ...setting } = await refusingSchedule(t)
  const { service, book } = await stage(t, setting)
  const id = await book('06:00', '06:15')
  service.clock.set(at('06:00:00.000'))
  await settle([service])
  t.is((await scheduledIn(service)).length, 0)
  refusal.isOn = false
  service.clock.set(at('06:00:02.000'))
  t.deepEqual(await untilScheduled([service], 1), [`start 06:00:00.000Z ${last(id)}`])
})

test('thorough: SUTs whose starts and ends are refused after a downtime do not hold up others', async (t) => {
  const { refusal, ...setting } = await refusingSchedule(t)
  const { service, book, admin } = await stage(t, setting)
  const suts: string[] = []
  for (let n = 0; n < 60; n++) {
    suts.push(await createSut(admin, { name: `bench ${n}` }))
    await book('06:00', '06:15', suts.at(-1))
  }
  await service.stop()
  // They are recorded in groups of 25: whatever the order, a whole group of refused ones comes before the others.
  const others = suts.slice(28, 32)
  refusal.isOf = (stream) => !others.includes(stream.slice('sut-'.length))
  const again = await start(t, { ...setting, now: at('06:20:00.000') })
  t.is((await untilScheduled([again], 8)).length, 8)
  refusal.isOn = false
  again.clock.set(at('06:20:01.000'))
  t.is((await untilScheduled([again], 120)).length, 120)
})
