/** Which SUTs an instance probes. */

import test from 'ava'
import { said } from '../../lab.ts'
import { createSut } from '../../requests.ts'
import { becomes, check, LOCAL, monitor, monitoredLab, read, statusOf } from './monitored.ts'

test('with BERTH_GATEWAY_SUTS only SUTs with these tags are probed, also without a gateway', async (t) => {
  const environment = { BERTH_GATEWAY: 'off', BERTH_GATEWAY_SUTS: 'site=berlin' }
  const { admin, id: here, machine, service } = await monitoredLab(t, { setting: { environment } })
  const { sockets, port } = machine
  const elsewhere = await createSut(admin, { ...LOCAL, port })
  await admin.post(`/api/sut/${here}/tags`, { site: 'berlin' })
  for (const id of [elsewhere, here]) await monitor(service, id, { enabled: true })
  await becomes(service, here, 'Online')
  t.deepEqual([statusOf(await read(service, elsewhere)), sockets.length], ['Unknown', 1])
  t.is(said(await check(service, elsewhere)), '409 not_forwarded')
  t.like((await check(service, here)).json, { reachable: true })
  t.is(sockets.length, 2)
  await admin.post(`/api/sut/${elsewhere}/tags`, { site: 'berlin' })
  service.clock.set('2030-05-02T06:10:00.000Z')
  await becomes(service, elsewhere, 'Online')
})
