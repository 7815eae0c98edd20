/** Every cause that a session of the whole service can end with, but `lost`. */

import type { Socket } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { idOf, start } from '../../http/harness.ts'
import {
  allClosed,
  becomes,
  connected,
  END,
  given,
  isClosed,
  isJustBefore,
  NOW,
  nobodyConnected,
  type Service,
  type Stage,
  tickAlways,
} from './stage.ts'

/** Two clients of one reservation, who have sent 3 and 5 bytes and received twice as many. */
const BYTES = { connections: 2, bytes_to_sut: 8, bytes_from_sut: 16 }

type Events = readonly { readonly type: string; readonly data: Record<string, unknown> }[]

/** What a history has of sessions. */
const sessionEventsOf = async (service: Service, path: string): Promise<Events> => {
  const { json } = await service.as('audrey').get(`${path}/history?limit=1000`)
  return (json.events as Events)
    .filter(({ type }) => type.startsWith('berth.Session'))
    .map(({ type, data }) => ({ type: type.replace('berth.', ''), data }))
}

/** Waits for the end of the only session, which the list and both histories must show alike. */
const checkClosed = async (
  t: ExecutionContext,
  service: Service,
  stage: Stage,
  expected: { readonly cause: string; readonly endedAt: number },
): Promise<void> => {
  const { sut_id, reservation } = stage
  const { cause, endedAt } = expected
  const { count, sessions } = await becomes(service, 'the session is closed', isClosed)
  const [session] = sessions
  t.is(count, 1)
  t.like(session, { reservation_id: reservation, sut_id, user_id: idOf('alice'), ...BYTES, cause })
  t.true(isJustBefore(String(session?.opened_at), NOW), String(session?.opened_at))
  t.true(isJustBefore(String(session?.closed_at), new Date(endedAt).toISOString()), String(session?.closed_at))
  const { _id, reservation_id, user_id, instance, opened_at } = session as Record<string, unknown>
  // The name is joined when a list is answered, and in no event.
  const { user_name, ...recorded } = session as Record<string, unknown>
  t.is(user_name, 'alice')
  const events = [
    { type: 'SessionOpened', data: { _id, reservation_id, sut_id, user_id, instance, opened_at } },
    { type: 'SessionClosed', data: recorded },
  ]
  for (const path of [`/api/sut/${sut_id}`, `/api/sut_reservation/${reservation}`])
    t.deepEqual(await sessionEventsOf(service, path), events as Events, path)
}

type End = (stage: Stage, clients: readonly Socket[]) => unknown

const each = (sockets: readonly Socket[], act: (socket: Socket) => void): void => {
  for (const socket of sockets) act(socket)
}

const BOUND_ELSEWHERE = 'the reservation is bound elsewhere'

/** Ends of connections after which others may follow, so that the session ends a minute later. */
const mayReturn = (title: string, cause: string): boolean =>
  cause === 'client' || cause === 'sut' || title === BOUND_ELSEWHERE

/** How the last connection ends, by title, and its cause. */
const ENDS: Readonly<Record<string, readonly [cause: string, end: End]>> = {
  'the client leaves': ['client', (_, clients) => each(clients, (client) => client.end())],
  'the client is reset': ['client', (_, clients) => each(clients, (client) => client.resetAndDestroy())],
  'the SUT closes the connection': ['sut', ({ sut }) => each(sut.sockets, (socket) => socket.end())],
  'the SUT resets the connection': ['sut', ({ sut }) => each(sut.sockets, (socket) => socket.resetAndDestroy())],
  'the reservation ends': ['over', ({ service }) => service.clock.set(END)],
  'the service stops': ['stopped', ({ service }) => service.stop()],
  'the reservation is released': [
    'released',
    ({ service, reservation }) => service.as('alice').request('POST', `/api/sut_reservation/${reservation}/cancel`),
  ],
  [BOUND_ELSEWHERE]: [
    'barred',
    ({ service, reservation }) =>
      service
        .as('alice')
        .request('POST', `/api/sut_reservation/${reservation}/update`, { 'X-Forwarded-For': '203.0.113.7' }),
  ],
}

/** What `npm test` runs. */
const FIRST = ['the client leaves', 'the SUT resets the connection', 'the reservation is released']

for (const [title, [cause, end]] of Object.entries(ENDS)) {
  test(`${FIRST.includes(title) ? '' : 'thorough: '}a session ends with its connections and bytes when ${title}: ${cause}`, async (t) => {
    const stage = await given(t)
    const { service } = stage
    const clients = [await connected(stage, 'abc'), await connected(stage, 'defgh')]
    await end(stage, clients)
    tickAlways(t, [service])
    await allClosed(clients)
    const endedAt = service.clock.now()
    if (cause === 'stopped') {
      const again = await start(t, { now: NOW, data: service.data, environment: stage.environment })
      return checkClosed(t, again, stage, { cause, endedAt })
    }
    if (mayReturn(title, cause)) {
      await nobodyConnected(service)
      service.clock.set('2030-05-02T06:03:30.000Z')
    }
    await checkClosed(t, service, stage, { cause, endedAt })
  })
}
