import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { makeGate } from '../../../src/http/authentication/gate.ts'
import { makeClientAddresses } from '../../../src/http/protocol/client-address.ts'
import { makeAuthenticator } from '../../../src/users/authenticate.ts'
import { makeToken, makeTokens } from '../../../src/users/tokens.ts'
import type { User } from '../../../src/users/user.ts'
import { ALONE } from '../../users/builders.ts'
import { basic } from '../client.ts'

const [HERE, ELSEWHERE] = ['192.0.2.7', '198.51.100.1']
const ALICE: User = { _id: '590780914445534540190000', name: 'alice', role: 'tester', accessSince: 0 }

/** A gate where Alice has a token and no password. `ask` returns who is let in, or a code with Retry-After. */
const given = () => {
  const { _id, token, hash } = makeToken(randomBytes)
  const known = { _id, hash, user_id: ALICE._id, role: ALICE.role, expires_at: null, revoked_at: null }
  const time = { now: Date.parse('2030-05-02T05:58:11.400Z') }
  let isReady = true
  const verified: string[] = []
  const authenticator = makeAuthenticator({
    ...ALONE,
    sessions: { isSessionLike: (text) => text.includes('.'), isReady: () => isReady, userOf: sessionUser },
    tokens: makeTokens({
      find: (id) => (id === _id ? known : undefined),
      isReady: () => isReady,
      users: { byId: (id) => (id === ALICE._id ? ALICE : undefined) },
      clock: () => time.now,
    }),
    users: { credentialOf: () => undefined, isCurrent: () => false, list: () => [] },
    randomBytes,
    verify: async (_, password) => ({ fits: verified.push(password) < 0, cpu: 1 }),
  })
  const addresses = makeClientAddresses([])
  const gate = makeGate({ isUpToDate: () => true, authenticator, addresses, clock: () => time.now, randomBytes })
  const ask = async (remoteAddress: string, authorization: string): Promise<string> => {
    const request = { headers: { authorization }, socket: { remoteAddress } }
    const admitted = await gate.admit(request as unknown as IncomingMessage)
    if (E.isRight(admitted)) return admitted.right.name
    const { code, retryAfter } = admitted.left
    return retryAfter === undefined ? code : `${code} ${retryAfter}`
  }
  const askOften = async (times: number, address: string, header: () => string): Promise<ReadonlySet<string>> => {
    const answers = new Set<string>()
    for (let n = 0; n < times; n++) answers.add(await ask(address, header()))
    return answers
  }
  const setReady = (to: boolean): void => {
    isReady = to
  }
  return { token, time, verified, ask, askOften, setReady }
}

const sessionUser = (text: string) => {
  if (text === 'a.session') return { ...ALICE, session: { _id: 'x', epoch: 'e', renewableUntil: 0 } }
  return text === 'an.old.session' ? 'ended' : 'wrong'
}

const wrong = (): string => `Bearer ${makeToken(randomBytes).token}`

test('after a hundred wrong tokens an address is locked out for the minute, but good ones are let in', async (t) => {
  const { token, time, ask, askOften } = given()
  t.deepEqual([...(await askOften(100, HERE, wrong))], ['unauthenticated'])
  time.now += 20_000
  t.deepEqual([...(await askOften(10, HERE, wrong))], ['too_many_attempts 40'])
  for (const header of [`Bearer ${token}`, basic(token, ''), basic(token, 'x')]) t.is(await ask(HERE, header), 'alice')
  t.is(await ask(ELSEWHERE, wrong()), 'unauthenticated')
  time.now += 40_000
  t.is(await ask(HERE, wrong()), 'unauthenticated')
})

test('wrong tokens and wrong passwords of an address are counted together', async (t) => {
  const { token, ask, askOften } = given()
  await askOften(50, HERE, wrong)
  let names = 0
  await askOften(50, HERE, () => basic(`nobody ${names++}`, 'x'))
  t.is(await ask(HERE, wrong()), 'too_many_attempts 60')
  t.deepEqual([...(await askOften(3, HERE, () => basic('alice', 'x')))], ['unauthenticated'])
  t.is(await ask(HERE, basic('alice', 'x')), 'too_many_attempts 60')
  t.is(await ask(HERE, `Bearer ${token}`), 'alice')
})

test('good tokens never lock an address out, and no token costs hashing', async (t) => {
  const { token, verified, ask, askOften } = given()
  t.deepEqual([...(await askOften(1_000, HERE, () => `Bearer ${token}`))], ['alice'])
  await askOften(200, ELSEWHERE, wrong)
  t.deepEqual(verified, [])
  t.is(await ask(HERE, wrong()), 'unauthenticated')
})

test('tokens that nobody could judge yet are no failures', async (t) => {
  const { token, ask, askOften, setReady } = given()
  setReady(false)
  t.deepEqual([...(await askOften(200, HERE, wrong))], ['unavailable'])
  t.is(await ask(HERE, `Bearer ${token}`), 'unavailable')
  setReady(true)
  t.is(await ask(HERE, wrong()), 'unauthenticated')
})

test('an ended session is no guess, while a forged one is, and a good one is always let in', async (t) => {
  const { ask, askOften } = given()
  t.deepEqual([...(await askOften(200, HERE, () => 'Bearer an.old.session'))], ['unauthenticated'])
  t.deepEqual([...(await askOften(100, HERE, () => 'Bearer a.forged.session'))], ['unauthenticated'])
  t.is(await ask(HERE, 'Bearer a.forged.session'), 'too_many_attempts 60')
  t.is(await ask(HERE, wrong()), 'too_many_attempts 60')
  t.is(await ask(HERE, 'Bearer an.old.session'), 'unauthenticated')
  t.is(await ask(HERE, 'Bearer a.session'), 'alice')
})
