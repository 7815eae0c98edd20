import test from 'ava'
import { idOf, start } from '../http/harness.ts'
import { aReservation, createSut, NOW, reserve } from '../http/requests.ts'
import '../http/documents/fit-answers.ts'

interface Shown {
  readonly type: string
  readonly actor: string
}

test('auditors ask what one user did in a span of time', async (t) => {
  const service = await start(t, { now: NOW })
  const sut = await createSut(service.as('admin'))
  const at = (hour: string) => ({ start_time: `2030-05-03T${hour}:00:00Z`, end_time: `2030-05-03T${hour}:15:00Z` })
  await reserve(service.as('alice'), aReservation(sut, at('06')))
  service.clock.set('2030-05-02T07:00:00.000Z')
  await reserve(service.as('alice'), aReservation(sut, at('07')))
  await reserve(service.as('admin'), aReservation(sut, at('08')))
  service.clock.set('2030-05-02T08:00:00.001Z')
  await reserve(service.as('alice'), aReservation(sut, at('09')))

  const asked = async (query: string): Promise<readonly string[]> => {
    const { json } = await service.as('audrey').get(`/api/events?${query}`)
    return (json.events as readonly Shown[]).map(({ type, actor }) => `${type} by ${actor}`)
  }
  const [alice, admin] = [idOf('alice'), idOf('admin')].map((id) => `berth.ReservationCreated by ${id}`)
  t.deepEqual(await asked(`actor=${idOf('alice')}`), [alice, alice, alice])
  t.deepEqual(await asked(`actor=${idOf('admin')}&type=ReservationCreated`), [admin])
  const span = 'from=2030-05-02T07:00:00Z&to=2030-05-02T08:00:00.001Z'
  t.deepEqual(await asked(span), [alice, admin])
  t.deepEqual(await asked(`actor=${idOf('alice')}&${span}`), [alice])
  t.deepEqual(await asked('from=2030-05-02T08:00:00.0011Z'), [])
  t.deepEqual(await asked('actor=nobody'), [])
})
