/** Streams end when those who opened them are no longer what they were. */

import test from 'ava'
import { basic, type Headers } from '../http/client.ts'
import { idOf, type Running, start } from '../http/harness.ts'
import { bearer, begin, within } from '../http/logins/login.ts'
import { createSut, NOW } from '../http/requests.ts'
import { stopwatch } from '../http/until.ts'
import { eventsIn, type OpenStream, openStream } from './readers.ts'

interface Token {
  readonly _id: string
  readonly token: string
}

interface Lab {
  readonly service: Running
  /** What an administrator does to Audrey, whose streams there are. */
  readonly change: (what: string, body: object) => Promise<unknown>
  /** A token of hers. */
  readonly issue: (body?: object) => Promise<Token>
  /** A session of hers. */
  readonly signIn: () => Promise<string>
}

/** The stream that ends, one that goes on, and what ends the first. */
type Case = (lab: Lab) => Promise<readonly [ending: Headers, living: Headers, act: () => unknown]>

const OWN = { Authorization: basic('audrey') }
const OTHER = { Authorization: basic('admin') }
const KEEPING = { reservations: 'keep' }
const PASSWORD = { password: 'another password' }

const CASES: Readonly<Record<string, Case>> = {
  'a token that is revoked': async ({ service, issue }) => {
    const [revoked, kept] = [await issue(), await issue()]
    const act = () => service.as('audrey').post(`/api/user/me/token/${revoked._id}/revoke`, {})
    return [bearer(revoked.token), bearer(kept.token), act]
  },
  'a token that expires': async ({ service, issue }) => {
    const [soon, later] = [await issue({ expires_in: 60 }), await issue({ expires_in: 120 })]
    return [bearer(soon.token), bearer(later.token), () => service.clock.set('2030-05-02T05:59:11.400Z')]
  },
  'a token with more than the role that its user has now': async ({ change, issue }) => {
    await change('update', { role: 'administrator' })
    const [high, low] = [await issue({ role: 'administrator' }), await issue()]
    return [bearer(high.token), bearer(low.token), () => change('update', { role: 'auditor' })]
  },
  'a password that is replaced': async ({ issue, change }) => {
    return [OWN, bearer((await issue()).token), () => change('password', PASSWORD)]
  },
  'a user who is removed': async ({ change }) => [OWN, OTHER, () => change('remove', KEEPING)],
  'a user who gets another role': async ({ change }) => [OWN, OTHER, () => change('update', { role: 'tester' })],
  'a session that is logged out': async ({ service, signIn }) => {
    const first = await signIn()
    return [bearer(first), bearer(await signIn()), () => within(service, first).post('/api/logout', {})]
  },
  'a session, by a logout everywhere': async ({ service, signIn }) => {
    return [bearer(await signIn()), OWN, () => service.as('audrey').post('/api/logout', { everywhere: true })]
  },
  'a session that expires, although it was renewed': async ({ service, signIn }) => {
    const first = await signIn()
    service.clock.set('2030-05-02T12:00:00.000Z')
    const renewed = await within(service, first).post('/api/login/renew', {})
    return [bearer(first), bearer(String(renewed.json.session)), () => service.clock.set('2030-05-02T17:58:11.400Z')]
  },
}

/** The code of the last message. */
const endOf = ({ reading }: OpenStream): unknown => JSON.parse(String(reading().messages.at(-1)?.data)).code

for (const [what, prepare] of Object.entries(CASES)) {
  test(`the stream of ${what} ends within 2 s with its reason, and another goes on`, async (t) => {
    const service = await start(t, { now: NOW })
    const path = `/api/user/${idOf('audrey')}`
    const [ending, living, act] = await prepare({
      service,
      change: (how, body) => service.as('admin').post(`${path}/${how}`, body),
      issue: async (body = {}) => {
        const made = await service.as('admin').post(`${path}/token`, { name: 'x', role: 'auditor', ...body })
        return made.json as unknown as Token
      },
      signIn: () => begin(service, 'audrey'),
    })
    const streams = [
      await openStream(service.port, '', { headers: ending }),
      await openStream(service.port, '', { headers: living }),
      await openStream(service.port, '?after=0', { headers: ending, path: '/api/changes' }),
    ] as const
    for (const stream of streams) await stream.until(({ messages }) => messages.length > 0)
    const taken = stopwatch()
    await act()
    for (const stream of [streams[0], streams[2]]) {
      t.is(await stream.ended, 'whole')
      t.is(endOf(stream), 'user_changed')
    }
    t.true(taken() < 2_000)
    const sut = await createSut(service.as('admin'))
    await streams[1].until((so) => eventsIn(so).some(({ data }) => data.includes(sut)))
    const { text } = await service.as('admin').get('/metrics')
    t.regex(text, /^berth_feed_cut_offs_total\{why="user_changed"\} 1$/m)
  })
}
