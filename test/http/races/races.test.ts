import test from 'ava'
import { rounds } from '../../thorough.ts'
import { logOf } from '../store/log-rows.ts'
import { race } from './race.ts'
import { startTwo } from './two-services.ts'

test('one of eight simultaneous requests for a window wins, and the others name it as the conflict', async (t) => {
  const { services, data } = await startTwo(t)
  const count = rounds(40, 200)
  t.deepEqual(await race({ services, clients: 8, rounds: count }), { accepted: count, refused: 7 * count, faults: [] })
  t.is((await logOf({ data })).filter(({ type }) => type === 'ReservationCreated').length, count)
})
