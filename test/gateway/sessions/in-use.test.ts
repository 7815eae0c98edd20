import test from 'ava'
import { check, monitor, read, statusOf } from '../../http/routes/suts/monitored.ts'
import { until } from '../../http/until.ts'
import { connected, given, hangUp, SOON } from './stage.ts'

test('a SUT with an open connection is online, and is probed again once that has ended', async (t) => {
  const stage = await given(t)
  const { service, sut, sut_id } = stage
  const client = await connected(stage)
  const connections = sut.sockets.length
  await monitor(service, sut_id, { enabled: true })
  const isOnline = async (): Promise<boolean> => {
    service.tick()
    return statusOf(await read(service, sut_id)) === 'Online'
  }
  await until('the SUT is online', isOnline, SOON)
  t.like((await check(service, sut_id)).json, { reachable: true, cause: null, milliseconds: 0 })
  t.is(sut.sockets.length, connections)
  t.regex((await service.as('admin').get('/metrics')).text, /^berth_probes_total\{outcome="in_use"\} [1-9]/m)
  await hangUp(service, client)
  service.clock.set('2030-05-02T06:02:01.000Z')
  t.like((await check(service, sut_id)).json, { reachable: true })
  t.true(sut.sockets.length > connections, 'although its session goes on for a minute')
})
