/** What is special about a route that changes nothing, and that anyone may call. */

import test from 'ava'
import { passwordOf } from '../client.ts'
import { start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { NOW } from '../requests.ts'
import { login } from './login.ts'
import '../documents/fit-answers.ts'

test('a wrong password, an unknown name and a token as a name get the same answer', async (t) => {
  const service = await start(t, { now: NOW })
  const { token } = (await service.as('alice').post('/api/user/me/token', { name: 'x' })).json
  const answers = [
    await login(service, 'alice', 'wrong'),
    await login(service, 'nobody', passwordOf('alice')),
    await login(service, String(token), ''),
    await login(service, String(token), passwordOf('alice')),
  ]
  for (const answer of answers) {
    t.deepEqual(refusalOf(answer), [401, 'unauthenticated'])
    t.is(answer.json.detail, 'The user name or the password is wrong.')
    t.deepEqual(faultsOf(answer), [])
  }
})

test('failed logins count with failed Basic credentials, and lock out for the minute', async (t) => {
  const service = await start(t, { now: NOW })
  for (let n = 0; n < 5; n++) {
    t.is((await login(service, 'bob', `wrong ${n}`)).status, 401)
    t.is((await service.anyone.get('/api/user/me', { Authorization: `Basic ${btoa(`bob:guess ${n}`)}` })).status, 401)
  }
  const locked = await login(service, 'bob')
  t.deepEqual(refusalOf(locked), [429, 'too_many_attempts'])
  t.is(locked.headers['retry-after'], '60')
  t.is((await login(service, 'alice')).status, 200)
  service.clock.set('2030-05-02T05:59:11.400Z')
  t.is((await login(service, 'bob')).status, 200)
})

test('an Idempotency-Key of a login is ignored, whatever it is', async (t) => {
  const service = await start(t, { now: NOW })
  const ask = (name: string, key: string) =>
    service.anyone.post('/api/login', { name, password: passwordOf(name) }, { 'Idempotency-Key': key })
  const answers = [await ask('alice', 'one'), await ask('alice', 'one'), await ask('bob', 'one'), await ask('bob', '')]
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  t.is(new Set(answers.map(({ json }) => json.session)).size, 4)
})

test('a body that cannot be of a login is 422, without its content', async (t) => {
  const { anyone } = await start(t, { now: NOW })
  const password = passwordOf('alice')
  for (const body of [
    {},
    { name: 'alice' },
    { name: 'a:b', password },
    { name: '', password },
    { name: 1, password },
  ]) {
    const refused = await anyone.post('/api/login', body)
    t.is(refused.status, 422)
    t.false(refused.text.includes(password))
  }
  t.is((await anyone.post('/api/login', { name: 'alice', password: 'x'.repeat(1_025) })).status, 422)
})

test('browsers and holders of tokens are asked for Bearer, so that no dialog opens, and others for Basic', async (t) => {
  const { anyone } = await start(t, { now: NOW })
  const challengeFor = async (headers: Record<string, string>) =>
    (await anyone.get('/api/user/me', headers)).headers['www-authenticate']
  for (const mode of ['cors', 'same-origin', 'no-cors', 'navigate'])
    t.is(await challengeFor({ 'Sec-Fetch-Mode': mode }), 'Bearer')
  // A navigation over plain HTTP to a host that is not loopback.
  t.is(await challengeFor({ 'Upgrade-Insecure-Requests': '1' }), 'Bearer')
  for (const Authorization of ['Bearer x', 'bearer  x', 'Bearer']) t.is(await challengeFor({ Authorization }), 'Bearer')
  for (const headers of [{}, { Authorization: 'Basic x' }, { Authorization: 'Bearers x' }])
    t.is(await challengeFor(headers), 'Basic realm="berth", charset="UTF-8"')
})
