import test, { type ExecutionContext } from 'ava'
import { bearer, begin } from '../../http/logins/login.ts'
import { running, type Stage, type Viewer } from './stage.ts'
import { given, INVALID, isOpen, tryAt } from './tries.ts'

/** Consoles end with the token or session that they were opened with. */

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

test('a logout ends the consoles of its session, and no others', async (t) => {
  const stage = await given(t)
  const path = await running(stage)
  const [session, other] = [await begin(stage.service, 'alice'), await begin(stage.service, 'alice')]
  const [ended, kept] = [await open(t, stage, path, session), await open(t, stage, path, other)]
  const unused = await ticketOf(stage, path, session)
  await stage.service.anyone.post('/api/logout', {}, bearer(session))
  t.is(await ended.closed, 1008)
  t.true(isStillOpen(kept))
  t.deepEqual(await tryAt(t, stage, unused), INVALID)
  await stage.service.as('alice').post('/api/logout', { everywhere: true })
  t.is(await kept.closed, 1008)
})

test('a revocation ends the consoles of its token, and no others', async (t) => {
  const stage = await given(t)
  const path = await running(stage)
  const [one, other] = [await issue(stage), await issue(stage)]
  const [ended, kept] = [await open(t, stage, path, one.token), await open(t, stage, path, other.token)]
  const unused = await ticketOf(stage, path, one.token)
  await stage.service.as('alice').post(`/api/user/me/token/${one._id}/revoke`, {})
  t.is(await ended.closed, 1008)
  t.true(isStillOpen(kept))
  t.deepEqual(await tryAt(t, stage, unused), INVALID)
  t.true(isOpen(await tryAt(t, stage, await ticketOf(stage, path, other.token))))
})

test('a console ends when its token expires', async (t) => {
  const stage = await given(t)
  const path = await running(stage)
  const [soon, later] = [await issue(stage, { expires_in: 60 }), await issue(stage, { expires_in: 600 })]
  const [ended, kept] = [await open(t, stage, path, soon.token), await open(t, stage, path, later.token)]
  stage.service.clock.set('2030-05-02T06:03:00.000Z')
  t.is(await ended.closed, 1008)
  t.true(isStillOpen(kept))
})

test('a console of a session stays open while its user gets another role that may have it', async (t) => {
  const stage = await given(t)
  const path = await running(stage)
  const console = await open(t, stage, path, await begin(stage.service, 'alice'))
  const role = (to: string) => stage.service.as('admin').post('/api/user/590780914445534540190000/update', { role: to })
  t.is((await role('administrator')).status, 200)
  t.true(isStillOpen(console))
  t.is((await role('auditor')).status, 200)
  t.is(await console.closed, 1008)
})
