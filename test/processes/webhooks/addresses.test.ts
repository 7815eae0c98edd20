/** Where deliveries may go, whatever way an address is written. */

import test from 'ava'
import { makeIsAllowed } from '../../../src/processes/webhooks/addresses.ts'

const isOwn = (address: string, port: number): boolean => address === '192.168.9.1' && port === 8080
const [usual, free] = [false, true].map((isHttpFree) => makeIsAllowed({ isHttpFree, isOwn })) as [
  ReturnType<typeof makeIsAllowed>,
  ReturnType<typeof makeIsAllowed>,
]
const [HTTP, HTTPS] = [false, true]

const NEVER = [
  ...['169.254.169.254', '169.254.0.1', '0.0.0.0', '0.1.2.3', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['100.100.100.200', '168.63.129.16', '::', 'fe80::1', 'fe80::1%eth0', 'FEBF::1', 'ff02::1', 'fd00:ec2::254'],
  ...['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '0:0:0:0:0:ffff:a9fe:a9fe', '::169.254.169.254'],
  ...['64:ff9b::a9fe:a9fe', '64:ff9b::169.254.169.254', '2002:a9fe:a9fe::1', '2001:0:1::1', 'example.com', ''],
]
const PRIVATE = [
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.9.5',
  '127.0.0.1',
  '::1',
  'fd12::1',
  '::ffff:10.1.2.3',
]
const PUBLIC = ['192.0.2.1', '172.32.0.1', '172.15.0.1', '11.0.0.1', '2a00::1', '::ffff:8.8.8.8', '64:ff9b::808:808']

test('link-local, unspecified, multicast and metadata addresses are never sent to', (t) => {
  for (const address of NEVER)
    for (const isAllowed of [usual, free])
      t.false(isAllowed(address, 443, HTTPS) || isAllowed(address, 80, HTTP), address)
})

test('plain HTTP goes to private networks only, unless it may go anywhere', (t) => {
  for (const address of PRIVATE) t.true(usual(address, 80, HTTP) && usual(address, 443, HTTPS), address)
  for (const address of PUBLIC)
    t.deepEqual(
      [usual(address, 80, HTTP), usual(address, 443, HTTPS), free(address, 80, HTTP)],
      [false, true, true],
      address,
    )
})

test('the service is never sent to, however its address is written', (t) => {
  for (const address of ['192.168.9.1', '::ffff:192.168.9.1', '::ffff:c0a8:901', '64:ff9b::192.168.9.1'])
    t.deepEqual(
      [usual(address, 8080, HTTP), free(address, 8080, HTTPS), usual(address, 8081, HTTP)],
      [false, false, true],
      address,
    )
})
