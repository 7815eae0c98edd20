import test from 'ava'
import { startSut } from '../../../gateway/peers.ts'
import { start } from '../../harness.ts'
import { refusalOf } from '../../refusals/problems.ts'
import { createSut, NOW } from '../../requests.ts'
import { until } from '../../until.ts'
import '../../documents/fit-answers.ts'

/** Which SUTs an instance probes. */

test('with BERTH_GATEWAY_SUTS only SUTs with these tags are probed, also without a gateway', async (t) => {
  const environment = { BERTH_GATEWAY: 'off', BERTH_GATEWAY_SUTS: 'site=berlin' }
  const service = await start(t, { now: NOW, environment })
  const admin = service.as('admin')
  const sut = await startSut(t, (socket) => socket.resume())
  const create = () => createSut(admin, { address: '127.0.0.1', port: sut.port, sut_type: 'tcp' })
  const [here, elsewhere] = [await create(), await create()]
  await admin.post(`/api/sut/${here}/tags`, { site: 'berlin' })
  for (const id of [elsewhere, here]) await admin.post(`/api/sut/${id}/monitoring`, { enabled: true })
  const statusOf = async (id: string) =>
    ((await admin.get(`/api/sut/${id}`)).json.monitoring as { readonly status: string }).status
  const isOnline = (id: string) => async () => {
    service.tick()
    return (await statusOf(id)) === 'Online'
  }
  await until('the SUT is online', isOnline(here), 60_000)
  t.deepEqual([await statusOf(elsewhere), sut.sockets.length], ['Unknown', 1])
  const check = (id: string) => admin.request('POST', `/api/sut/${id}/check`)
  t.deepEqual(refusalOf(await check(elsewhere)), [409, 'not_forwarded'])
  t.like((await check(here)).json, { reachable: true })
  t.is(sut.sockets.length, 2)
  await admin.post(`/api/sut/${elsewhere}/tags`, { site: 'berlin' })
  service.clock.set('2030-05-02T06:10:00.000Z')
  await until('the other is online', isOnline(elsewhere), 60_000)
})
