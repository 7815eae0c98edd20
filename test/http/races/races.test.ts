import test from 'ava'
import { ignoresExpected } from '../../event-store/contract/broken-appends.ts'
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

test('control: a store that ignores the expected revision double-books, and the check detects it', async (t) => {
  const { services } = await startTwo(t, ignoresExpected())
  const { accepted, faults } = await race({ services, clients: 8, rounds: 20 })
  t.true(accepted > 20)
  t.not(faults.length, 0)
})
