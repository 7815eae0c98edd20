import { setImmediate as turn } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { makeForwarded } from '../../../src/processes/forwarded.ts'
import type { Upcoming } from '../../../src/processes/upcoming.ts'
import { stopwatch, until } from '../../http/until.ts'
import { forwarding, reserveFor, SOON } from '../console/stage.ts'

/** Milliseconds for which a port is open before its reservation is over. */
const LATER = 60_000
const OPTIONS = { clock: () => 0, alarms: { raise: () => undefined, clear: () => undefined } }

test('a wait is over when another program has the port, which is the last error until the port is open', async (t) => {
  const forwarded = makeForwarded(OPTIONS)
  forwarded.put({ reservation: { _id: 'taken', ends: 1 } as Upcoming, accessSince: 0 })
  const waiting = forwarded.waitUntilOpen('taken', LATER)
  forwarded.portTaken('taken', 1, 'EADDRINUSE')
  await waiting
  const error = { time: '1970-01-01T00:00:00.000Z', cause: 'port_taken' }
  t.deepEqual([forwarded.openSince('taken'), forwarded.lastError('taken')], [undefined, error])
  const later = forwarded.waitUntilOpen('taken', LATER)
  forwarded.portOpened('taken')
  await later
  t.deepEqual([forwarded.openSince('taken'), forwarded.lastError('taken')], [0, undefined])
  forwarded.portTaken('taken', 1, 'EADDRNOTAVAIL')
  t.is(forwarded.lastError('taken')?.cause, 'port_unusable')
})

test('4,096 calls wait, and beyond that the answer comes at once', async (t) => {
  const forwarded = makeForwarded(OPTIONS)
  const answered = new Set<string>()
  const wait = (id: string) => forwarded.waitUntilOpen(id, LATER).then(() => answered.add(id))
  const waits = Array.from({ length: 4_096 }, (_, n) => wait(String(n)))
  waits.push(wait('one more'))
  await turn()
  t.deepEqual([...answered], ['one more'])
  forwarded.endWaits()
  await Promise.all(waits)
})

const given = async (t: ExecutionContext) => {
  const stage = await forwarding(t)
  const path = await reserveFor(stage, { start_in: 3_600, duration: 600 })
  return { service: stage.service, alice: stage.service.as('alice'), path, connection: `${path}/connection` }
}

test('a connection that is waited for is told when its port is open', async (t) => {
  const { service, alice, connection } = await given(t)
  const waiting = alice.get(`${connection}?wait=60`)
  t.is((await alice.get(`${connection}?wait=0`)).json.open, false)
  service.clock.set('2030-05-02T07:02:00.000Z')
  let waited: boolean | undefined
  void waiting.then(({ json }) => {
    waited = json.open === true
  })
  await until(
    'the wait is over',
    async () => {
      service.tick()
      return waited !== undefined
    },
    SOON,
  )
  t.true(waited)
})

test('a wait for a reservation that is cancelled meanwhile ends with 410', async (t) => {
  const { alice, path, connection } = await given(t)
  const waiting = alice.get(`${connection}?wait=60`)
  await alice.get(connection)
  t.is((await alice.request('POST', `${path}/cancel`)).status, 200)
  t.is((await waiting).status, 410)
  t.is((await alice.get(`${connection}?wait=60`)).status, 410)
})

test('a port that will not open again is not waited for: the reservation is released, or over', async (t) => {
  const { service, alice, path, connection } = await given(t)
  const taken = stopwatch()
  service.clock.set('2030-05-02T07:03:00.000Z')
  t.is((await alice.request('POST', `${path}/cancel`)).status, 200)
  t.like(await alice.get(`${connection}?wait=60`), { status: 200, json: { open: false } })
  service.clock.set('2030-05-02T08:00:00.000Z')
  t.like(await alice.get(`${connection}?wait=60`), { status: 200, json: { open: false } })
  t.true(taken() < 30_000)
})

test('a wait is a number of seconds up to 60, and for JSON only', async (t) => {
  const { alice, connection } = await given(t)
  for (const wait of ['61', '-1', 'x', '']) t.is((await alice.get(`${connection}?wait=${wait}`)).status, 422, wait)
  const file = await alice.get(`${connection}?wait=1`, { Accept: 'application/x-vnc' })
  t.is(file.status, 422)
  t.like(file.json, { errors: [{ parameter: 'wait' }] })
})
