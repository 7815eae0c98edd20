import test from 'ava'
import { ignoresExpected } from '../../event-store/contract/broken-appends.ts'
import { logOf } from '../store/log-rows.ts'
import { race } from './race.ts'
import { startTwo } from './two-services.ts'

test('of eight clients who want one window at the same moment one gets it, and the others are told of that one', async (t) => {
  const { services, data } = await startTwo(t)
  const rounds = 200
  t.deepEqual(await race({ services, clients: 8, rounds }), { accepted: rounds, refused: 7 * rounds, faults: [] })
  t.is((await logOf({ data })).filter(({ type }) => type === 'ReservationCreated').length, rounds)
})

test('without the expected revision a window goes to two, and the same check finds it out', async (t) => {
  const { services } = await startTwo(t, ignoresExpected())
  const { accepted, faults } = await race({ services, clients: 8, rounds: 20 })
  t.true(accepted > 20)
  t.not(faults.length, 0)
})
