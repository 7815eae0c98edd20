import test from 'ava'
import { gatewaysIn, makeMayBeShared } from '../../src/gateway/shared-addresses.ts'

const COLUMNS = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT'
/** As in a container: 172.17.0.1 leads everywhere, and 172.17/16 is near. */
const ROUTES = `${COLUMNS}
eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
`

test('the gateways in a routing table are those of routes with the gateway flag', (t) => {
  t.deepEqual([...gatewaysIn(ROUTES)], ['172.17.0.1'])
  t.deepEqual([...gatewaysIn('')], [])
})

test('many clients may share loopback and the gateways of a container, and no other address', (t) => {
  const mayBeShared = makeMayBeShared(gatewaysIn(ROUTES))
  for (const address of ['127.0.0.1', '::1', '172.17.0.1']) t.true(mayBeShared(address), address)
  for (const address of ['172.17.0.2', '192.0.2.7']) t.false(mayBeShared(address), address)
})
