/** What is done on one instance and seen at the gateway of the other. */

import test from 'ava'
import { until } from '../../http/until.ts'
import { isScheduled } from '../../processes/recorded.ts'
import { allClosed, connected, END, NOW, reserveIt, type Service, SOON, tryToConnect } from '../sessions/stage.ts'
import { twoInstances } from './stage.ts'

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
