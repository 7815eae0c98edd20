import { once } from 'node:events'
import test from 'ava'
import { until } from '../../http/until.ts'
import { isScheduled, settle } from '../../processes/recorded.ts'
import { allClosed, connected, END, NOW, reserveIt, type Service, SOON, tryToConnect } from '../sessions/stage.ts'
import { twoInstances } from './stage.ts'

/** What is done on one instance and seen at the gateway of the other. */

/** Milliseconds within which the other instance follows. */
const OTHER_WITHIN = 2_000
const ROUNDS = 5

/** The middle one: others on the machine may hold up some. */
const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] as number

const post = (service: Service, reservation: string, what: string, headers = {}) =>
  service.as('alice').request('POST', `/api/sut_reservation/${reservation}/${what}`, headers)

const isReached = async (port: number, host: string): Promise<boolean> => {
  const socket = await tryToConnect(port, 'abc', host)
  socket?.destroy()
  return socket !== undefined
}

test('a port opens and closes within 2 s of a reservation and release on another instance', async (t) => {
  const { services, hosts, port, log, sut_id } = await twoInstances(t)
  const [opened, cut]: [number[], number[]] = [[], []]
  const ids: string[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const [here, there] = [services[round % 2] as Service, services[(round + 1) % 2] as Service]
    const host = hosts[(round + 1) % 2] as string
    t.false(await isReached(port, host))
    // A release leaves the second that has begun to the former reservation.
    for (const { clock } of services) clock.set(new Date(Date.parse(NOW) + round * 5_000).toISOString())
    const id = await reserveIt(here, sut_id)
    const reserved = performance.now()
    ids.push(id)
    const client = await connected({ service: there, port, host })
    opened.push(performance.now() - reserved)
    const isStarted = async (): Promise<boolean> =>
      (await there.as('alice').get(`/api/sut_reservation/${id}/history`)).text.includes('berth.ReservationStarted')
    await until('the start is recorded', isStarted, SOON)
    if (round === ROUNDS) break
    const asked = performance.now()
    t.is((await post(here, id, 'cancel')).status, 200)
    await allClosed([client])
    cut.push(performance.now() - asked)
  }
  for (const { clock } of services) clock.set(END)
  const isOver = async (): Promise<boolean> => !(await isReached(port, hosts[0])) && !(await isReached(port, hosts[1]))
  await until('nobody listens', isOver, SOON)
  const isEnded = async (): Promise<boolean> => (await log()).some(({ type }) => type === 'ReservationEnded')
  await until('the end is recorded', isEnded, SOON)
  const recorded = (await log()).filter(isScheduled).map(({ type, data }) => `${type} ${data._id}`)
  t.deepEqual(recorded, [...ids.map((id) => `ReservationStarted ${id}`), `ReservationEnded ${ids.at(-1)}`])
  t.log({ opened: opened.map(Math.round), cut: cut.map(Math.round) })
  t.true(median(opened) < OTHER_WITHIN, `opened after ${median(opened)} ms`)
  t.true(median(cut) < OTHER_WITHIN, `cut after ${median(cut)} ms`)
})

test('thorough: binding a reservation on one instance cuts its former client on the other', async (t) => {
  const { services, hosts, port, sut_id } = await twoInstances(t)
  const [one, other] = services
  const id = await reserveIt(one, sut_id)
  const clients = await Promise.all(hosts.map((host) => connected({ service: one, port, host })))
  const elsewhere = { 'X-Forwarded-For': '203.0.113.7' }
  t.is((await post(one, id, 'update', elsewhere)).status, 200)
  await allClosed(clients)
  for (const host of hosts) t.false(await isReached(port, host))
  t.is((await post(other, id, 'update')).status, 200)
  for (const host of hosts) (await connected({ service: one, port, host })).destroy()
})

test('thorough: an extension on one instance keeps connections through the other open until the new end', async (t) => {
  const { services, hosts, port, sut_id } = await twoInstances(t)
  const [one, other] = services
  const id = await reserveIt(one, sut_id)
  const clients = await Promise.all(hosts.map((host) => connected({ service: one, port, host })))
  const extended = await one.as('alice').post(`/api/sut_reservation/${id}/extend`, { duration: 5_400 })
  t.is(extended.status, 200)
  // The position of the extension: the other instance has seen it.
  const position = String(extended.headers['berth-position'])
  await other.as('alice').get(`/api/sut_reservation/${id}`, { 'Berth-After': position })
  for (const { clock } of services) clock.set(END)
  await settle(services)
  for (const [n, client] of clients.entries()) {
    client.write('x')
    t.is(String((await once(client, 'data'))[0]), 'xx', `through instance ${n + 1}`)
  }
  for (const { clock } of services) clock.set(String(extended.json.end_time))
  await allClosed(clients)
})
