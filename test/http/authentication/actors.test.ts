import test from 'ava'
import { idOf, start } from '../harness.ts'
import { aReservation, aSut, createSut, NOW, reserved } from '../requests.ts'
import { eventsOf } from '../store/log-rows.ts'

test('every recorded event has the id and role of its actor, and no name', async (t) => {
  const service = await start(t, { now: NOW })
  const [admin, alice] = [service.as('admin'), service.as('alice')]
  const sut = await createSut(admin)
  await admin.post(`/api/sut/${sut}/update`, aSut({ os: 'linux' }))
  const running = String(
    (await reserved(alice, { user_id: idOf('alice'), sut_id: sut, start_in: 0, duration: 900 })).json._id,
  )
  const later = aReservation(sut, { start_time: '2030-05-02T09:00:00Z', end_time: '2030-05-02T09:15:00Z' })
  const coming = String((await reserved(admin, later)).json._id)
  await alice.post(`/api/sut_reservation/${coming}/extend`, { duration: 1800 })
  await admin.post(`/api/sut_reservation/${running}/cancel`, {})
  await alice.post(`/api/sut_reservation/${coming}/cancel`, {})
  service.clock.set('2030-05-02T06:30:00Z')
  t.is((await admin.post(`/api/sut/${sut}/retire`, {})).status, 200)

  const [ADMIN, ALICE] = [`${idOf('admin')} administrator`, `${idOf('alice')} tester`]
  const events = await eventsOf(service)
  t.deepEqual(
    events.map(({ type, metadata }) => [type, `${metadata.actor} ${metadata.role}`]),
    [
      ['ListenPortAssigned', ADMIN],
      ['SutCreated', ADMIN],
      ['SutUpdated', ADMIN],
      ['ReservationCreated', ALICE],
      ['ReservationCreated', ADMIN],
      ['ReservationExtended', ALICE],
      ['ReservationReleased', ADMIN],
      ['ReservationCancelled', ALICE],
      ['SutRetired', ADMIN],
      // The service itself releases the port, whoever retired the SUT.
      ['ListenPortReleased', 'berth system'],
    ],
  )
  t.false(/"(alice|admin)"/.test(JSON.stringify(events)))
})
