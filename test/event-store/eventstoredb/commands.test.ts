/** What commands cost over the network. */

import test, { type ExecutionContext } from 'ava'
import { anInstance } from '../../commands/setting.ts'
import { explicit } from '../../domain/builders.ts'
import { aServer } from './server-and-client.ts'
import { openAdapter } from './service/instances.ts'

const given = async (t: ExecutionContext) => {
  const server = await aServer(t)
  const instance = anInstance(await openAdapter(t, server))
  const sut = await instance.aSut()
  t.is(await instance.reserve(sut, explicit('08:00', '09:00')), 'made')
  const costs = () => ({ appends: server.counters.appends, reads: server.counters.reads })
  return { instance, sut, costs }
}

test('an accepted command on a cached stream costs one append and no read', async (t) => {
  const { instance, sut, costs } = await given(t)
  const { appends, reads } = costs()
  for (let hour = 9; hour < 24; hour++) {
    const at = (minutes: string) => `${String(hour).padStart(2, '0')}:${minutes}`
    t.is(await instance.reserve(sut, explicit(at('00'), at('15'))), 'made')
  }
  t.is(await instance.update(sut, { description: 'another' }), 'recorded')
  t.deepEqual(costs(), { appends: appends + 16, reads })
})

test('a refusal, or a command without effect, costs one read and no append', async (t) => {
  const { instance, sut, costs } = await given(t)
  await instance.update(sut, { description: 'another' })
  const { appends, reads } = costs()
  t.is(await instance.reserve(sut, explicit('08:30', '09:30')), 'reservation_conflict')
  t.is(await instance.update(sut, { description: 'another' }), 'already')
  t.deepEqual(costs(), { appends, reads: reads + 2 })
})
