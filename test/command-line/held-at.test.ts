import test from 'ava'
import { idOf, start } from '../http/harness.ts'
import { aReservation, createSut, NOW, reserved } from '../http/requests.ts'
import { type } from './terminal.ts'

const NAME = 'lab-1'

test('"history --at" says who held a SUT at a time, or nobody, and refuses what is not a SUT or in the past', async (t) => {
  const service = await start(t, { now: NOW })
  const sut = await createSut(service.as('admin'), { name: NAME })
  const window = { start_time: '2030-05-02T05:45:00Z', end_time: '2030-05-02T06:30:00Z' }
  const { json } = await reserved(service.as('alice'), aReservation(sut, { ...window, user_id: idOf('alice') }))
  service.clock.set('2030-05-02T06:00:00.000Z')
  const ask = (id: string, time: string, ...more: string[]) =>
    type(['history', id, '--at', time, ...more], { BERTH_DATA: service.data })
  const held = await ask(sut, '2030-05-02T05:58:12Z')
  const columns = ['alice', idOf('alice'), json._id, '2030-05-02T05:45:00+00:00', '2030-05-02T06:30:00+00:00']
  t.deepEqual([held.code, held.out, held.error], [0, `${columns.join('\t')}\n`, ''])
  t.is((await ask(sut, '2030-05-02T05:58:11Z')).out, 'nobody\n')
  const listed = await ask(sut, '2030-05-02T05:58:12Z', '--json')
  t.is(JSON.parse(listed.out).sut_reservations[0]._id, json._id)
  t.is((await ask(NAME, '2030-05-02T05:58:12Z')).out, held.out)
  const none = '6b013ba4e990750a68938b44'
  t.is((await ask(none, '2030-05-02T05:58:12Z')).error, `berth: there is no SUT "${none}"\n`)
  t.regex((await ask(sut, '2030-05-02T06:00:01Z')).error, /422 invalid/)
})
