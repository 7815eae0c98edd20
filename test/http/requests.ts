/** The requests that most tests begin with. */

import { setTimeout as delay } from 'node:timers/promises'
import type { Role } from '../../src/domain/events/user.ts'
import type { Answer, Client, Headers } from './client.ts'
import { idOf } from './harness.ts'

/** A SUT as a client describes one. */
export const aSut = (more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  name: 'bench 4',
  address: '192.168.9.5',
  port: 5902,
  sut_type: 'vnc',
  ...more,
})

/** Where nothing listens: a check of such a SUT is refused at once, in any network. */
export const REFUSING = { address: '127.0.0.1', port: 1 }

/** A user as a start at `NOW` imports it and its reader sees it. */
export const importedUser = (name: string, role: Role): string => {
  const quota = role === 'tester' ? { hours_per_week: null, reservations_max: null, priority_max: null } : null
  const [created_at, updated_at] = [NOW, NOW]
  return JSON.stringify({ _id: idOf(name), name, role, quota, scope: '', created_at, updated_at })
}

/** A reservation of Alice's, from 06:00 to 06:15 on the day of the tests. */
export const aReservation = (
  sut_id: string,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> => ({
  user_id: idOf('alice'),
  sut_id,
  start_time: '2030-05-02T06:00:00+00:00',
  end_time: '2030-05-02T06:15:00+00:00',
  ...more,
})

/** A series of three windows, a week apart; the first from 10 to 12 in Berlin on the day of the tests. */
export const aSeries = (
  sut_id: string,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> => ({
  sut_id,
  start_time: '2030-05-02T10:00:00+02:00',
  end_time: '2030-05-02T12:00:00+02:00',
  rrule: 'FREQ=WEEKLY;COUNT=3',
  time_zone: 'Europe/Berlin',
  ...more,
})

/** The initial time of most tests. */
export const NOW = '2030-05-02T05:58:11.400Z'

/** A store that a busy machine keeps from answering is asked again, as its 503 says: nothing was recorded. */
const ATTEMPTS_MAX = 10
const ATTEMPTS_APART_MS = 500

const created = async (request: () => Promise<Answer>): Promise<Answer> => {
  for (let attempt = 1; ; attempt++) {
    const answer = await request()
    if (answer.status === 201) return answer
    if (answer.json?.code !== 'unavailable' || attempt === ATTEMPTS_MAX)
      throw new Error(`${answer.status}: ${answer.text}`)
    await delay(ATTEMPTS_APART_MS)
  }
}

/** Creates a SUT and returns its id. */
export const createSut = async (client: Client, more: Readonly<Record<string, unknown>> = {}): Promise<string> =>
  (await created(() => client.post('/api/sut/create', aSut(more)))).json._id as string

export const reserve = (client: Client, body: unknown, headers: Headers = {}): Promise<Answer> =>
  client.post('/api/sut_reservation/create', body, headers)

/** Reserves and returns the answer, which must be 201. */
export const reserved = (client: Client, body: unknown): Promise<Answer> => created(() => reserve(client, body))
