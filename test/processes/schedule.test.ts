import test from 'ava'
import { allEventsOf } from '../http/store/log-rows.ts'
import { isScheduled, settle, untilScheduled } from './recorded.ts'
import { at, last, stage } from './stage.ts'

test('a start and an end are recorded at their time, once', async (t) => {
  const { service, sut_id, book } = await stage(t)
  const id = await book('06:00', '06:15')
  service.clock.set(at('05:59:59.999'))
  await settle([service])
  t.deepEqual((await allEventsOf(service)).filter(isScheduled), [])
  service.clock.set(at('06:00:00.000'))
  t.deepEqual(await untilScheduled([service], 1), [`start 06:00:00.000Z ${last(id)}`])
  service.clock.set(at('06:14:59.999'))
  await settle([service])
  t.is((await allEventsOf(service)).filter(isScheduled).length, 1)
  service.clock.set(at('06:15:00.000'))
  const expected = [`start 06:00:00.000Z ${last(id)}`, `end 06:15:00.000Z ${last(id)}`]
  t.deepEqual(await untilScheduled([service], 2), expected)
  service.clock.set(at('07:00:00.000'))
  t.deepEqual(await untilScheduled([service], 2), expected)
  const [started] = (await allEventsOf(service)).filter(isScheduled)
  t.like(started, {
    data: { _id: id, sut_id, due: at('06:00:00.000') },
    metadata: { actor: 'schedule', role: 'system', time: at('06:00:00.000') },
  })
})

test('a start or an end changes no response', async (t) => {
  const { service, sut_id, book, alice } = await stage(t)
  const id = await book('06:00', '06:15')
  const paths = [
    `/api/sut_reservation/${id}`,
    `/api/sut/${sut_id}`,
    '/api/sut',
    `/api/sut_reservation?sut_id=${sut_id}`,
  ]
  const answers = async () => {
    const all = []
    for (const path of paths) {
      const { status, headers, text } = await alice.get(path)
      all.push([path, status, headers.etag, text])
    }
    return all
  }
  for (const [time, count] of [
    [at('06:00:00.000'), 1],
    [at('06:15:00.000'), 2],
  ] as const) {
    service.clock.set(time)
    const before = await answers()
    await untilScheduled([service], count)
    t.deepEqual(await answers(), before)
  }
})
