/** Consoles end with the token or session that they were opened with. */

import test, { type ExecutionContext } from 'ava'
import { bearer, begin } from '../../http/logins/login.ts'
import { forwarding, INVALID, isOpen, running, type Stage, tryAt, type Viewer } from './stage.ts'

const ticketOf = async ({ service }: Stage, path: string, credential: string): Promise<string> => {
  const { status, json, text } = await service.anyone.request('POST', `${path}/console`, bearer(credential))
  if (status !== 200) throw new Error(text)
  return String(json.url)
}

const open = async (t: ExecutionContext, stage: Stage, path: string, credential: string): Promise<Viewer> => {
  const opened = await tryAt(t, stage, await ticketOf(stage, path, credential))
  if (!('socket' in opened)) throw new Error(opened.join())
  return opened
}

const issue = async ({ service }: Stage, body: object = {}) =>
  (await service.as('alice').post('/api/user/me/token', { name: 'x', ...body })).json as { _id: string; token: string }

const isStillOpen = ({ socket }: Viewer): boolean => socket.readyState === socket.OPEN

/** A way in for Alice, and how it ends. */
interface Credential {
  readonly credential: string
  readonly end: () => unknown
}

/** Ways in, which end one by one. */
const CREDENTIALS: Readonly<Record<string, (stage: Stage) => Promise<Credential>>> = {
  'a session ends by a logout': async ({ service }) => {
    const credential = await begin(service, 'alice')
    return { credential, end: () => service.anyone.post('/api/logout', {}, bearer(credential)) }
  },
  'a token ends by a revocation': async (stage) => {
    const { _id, token } = await issue(stage)
    const end = () => stage.service.as('alice').post(`/api/user/me/token/${_id}/revoke`, {})
    return { credential: token, end }
  },
  'a token ends when it expires': async (stage) => {
    const { token } = await issue(stage, { expires_in: 60 })
    return { credential: token, end: () => stage.service.clock.set('2030-05-02T06:03:00.000Z') }
  },
}

for (const [title, given] of Object.entries(CREDENTIALS))
  test(`${title}, and its consoles with it, and no others`, async (t) => {
    const stage = await forwarding(t)
    const path = await running(stage)
    const { credential, end } = await given(stage)
    const [session, token] = [await begin(stage.service, 'alice'), (await issue(stage)).token]
    const ended = await open(t, stage, path, credential)
    const kept = [await open(t, stage, path, session), await open(t, stage, path, token)]
    const unused = await ticketOf(stage, path, credential)
    await end()
    t.is(await ended.closed, 1008)
    t.true(kept.every(isStillOpen))
    t.deepEqual(await tryAt(t, stage, unused), INVALID)
    t.true(isOpen(await tryAt(t, stage, await ticketOf(stage, path, token))))
    await stage.service.as('alice').post('/api/logout', { everywhere: true })
    t.is(await kept[0]?.closed, 1008)
  })

test('a console of a session stays open while its user gets another role that may have it', async (t) => {
  const stage = await forwarding(t)
  const path = await running(stage)
  const console = await open(t, stage, path, await begin(stage.service, 'alice'))
  const role = (to: string) => stage.service.as('admin').post('/api/user/590780914445534540190000/update', { role: to })
  t.is((await role('administrator')).status, 200)
  t.true(isStillOpen(console))
  t.is((await role('auditor')).status, 200)
  t.is(await console.closed, 1008)
})
