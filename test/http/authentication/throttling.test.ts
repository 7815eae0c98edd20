import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { makeGate } from '../../../src/http/authentication/gate.ts'
import { makeClientAddresses } from '../../../src/http/protocol/client-address.ts'
import { makeAuthenticator } from '../../../src/users/authenticate.ts'
import type { Credential } from '../../../src/users/load-users.ts'
import { type PasswordHash, parsePasswordHash, verifyPassword } from '../../../src/users/passwords/password.ts'
import { aUser, PASSWORDS_ONLY, RIGHT, WRONG } from '../../users/builders.ts'
import { basic, passwordOf } from '../client.ts'
import { start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'

const HERE = '192.0.2.7'
const ELSEWHERE = '198.51.100.1'
const PROXY = '10.0.0.1'

type Options = {
  readonly verify?: typeof verifyPassword
  readonly others?: readonly string[]
}

/** A gate for Alice, Bob and others with a stopped clock. `ask` returns a name, or a code with Retry-After. */
const given = async ({ verify = verifyPassword, others = [] }: Options = {}) => {
  const records = await Promise.all(['alice', 'bob', ...others].map((name) => aUser(name, passwordOf(name))))
  const byName = new Map(
    records.map((record): [string, Credential] => {
      const { _id, name, role } = record
      return [
        name,
        { user: { _id, name, role, accessSince: 0 }, hash: parsePasswordHash(record.password) as PasswordHash },
      ]
    }),
  )
  const users = {
    credentialOf: (name: string) => byName.get(name),
    isCurrent: (credential: Credential) => byName.get(credential.user.name) === credential,
    list: () => [...byName.values()].map(({ user }) => user),
  }
  const clock = { now: Date.parse('2030-05-02T05:58:11.400Z') }
  const verified: string[] = []
  const authenticator = makeAuthenticator({
    ...PASSWORDS_ONLY,
    users,
    randomBytes,
    verify: (hash, password) => {
      verified.push(password)
      return verify(hash, password)
    },
    limits: { rest: 0, timeoutMs: 300_000 },
  })
  const addresses = makeClientAddresses([{ family: 'ipv4', address: PROXY, prefix: 32 }])
  const gate = makeGate({ isUpToDate: () => true, authenticator, addresses, clock: () => clock.now, randomBytes }).admit
  const proxied = { remoteAddress: PROXY }
  /** The proxy has a single connection. Others open a new one for each request. */
  const ask = async (remoteAddress: string, authorization?: string, more: object = {}): Promise<string> => {
    const headers = { ...(authorization !== undefined && { authorization }), ...more }
    const socket = remoteAddress === PROXY ? proxied : { remoteAddress }
    const admitted = await gate({ headers, socket } as unknown as IncomingMessage)
    if (E.isRight(admitted)) return admitted.right.name
    const { code, retryAfter } = admitted.left
    return retryAfter === undefined ? code : `${code} ${retryAfter}`
  }
  let guesses = 0
  const guess = (address: string, name = 'alice', more: object = {}): Promise<string> =>
    ask(address, basic(name, `wrong ${guesses++}`), more)
  const guessOften = async (times: number, address: string, name?: string, more?: object): Promise<string[]> => {
    const answers: string[] = []
    for (let i = 0; i < times; i++) answers.push(await guess(address, name, more))
    return answers
  }
  return { clock, verified, ask, guess, guessOften }
}

const times = (count: number, answer: string): string[] => Array.from({ length: count }, () => answer)
const ALICE = basic('alice')

test('after ten failures of an address and name, further attempts are locked out for the minute', async (t) => {
  const { clock, verified, ask, guess, guessOften } = await given()
  t.deepEqual(await guessOften(9, HERE), times(9, 'unauthenticated'))
  clock.now += 20_000
  t.is(await guess(HERE), 'unauthenticated')
  t.is(await guess(HERE), 'too_many_attempts 40')
  t.is(await ask(HERE, ALICE), 'too_many_attempts 40')
  clock.now += 39_001
  t.is(await ask(HERE, ALICE), 'too_many_attempts 1')
  t.is(verified.length, 10)
  clock.now += 999
  t.is(await ask(HERE, ALICE), 'alice')
})

test('attempts during a lockout do not extend it', async (t) => {
  const { clock, ask, guessOften } = await given()
  await guessOften(10, HERE)
  clock.now += 59_000
  await guessOften(1000, HERE)
  clock.now += 1_000
  t.is(await ask(HERE, ALICE), 'alice')
})

test('a lockout affects neither other names at the address nor the user elsewhere', async (t) => {
  const { ask, guessOften } = await given()
  t.is((await guessOften(50, HERE)).at(-1), 'too_many_attempts 60')
  t.is(await ask(HERE, basic('bob')), 'bob')
  t.is(await ask(ELSEWHERE, ALICE), 'alice')
})

test('at an address with a hundred failures each name keeps three attempts', async (t) => {
  const { clock, ask, guess, guessOften } = await given()
  const answers: string[] = []
  for (let i = 0; i < 100; i++) answers.push(await guess(HERE, `nobody ${i}`))
  t.deepEqual(answers, times(100, 'unauthenticated'))
  const threeThenNone = [...times(3, 'unauthenticated'), 'too_many_attempts 60']
  t.deepEqual(await guessOften(4, HERE, 'alice'), threeThenNone)
  t.deepEqual(await guessOften(4, HERE, 'nobody 100'), threeThenNone)
  t.deepEqual(await guessOften(3, HERE, 'nobody 0'), threeThenNone.slice(1), 'an earlier failure counts')
  t.is(await ask(HERE, ALICE), 'too_many_attempts 60')
  t.is(await ask(HERE, basic('bob')), 'bob')
  t.is(await ask(ELSEWHERE, ALICE), 'alice')
  clock.now += 60_000
  t.is(await ask(HERE, ALICE), 'alice')
})

test('a name at another address is checked ahead of a flood of unknown names', async (t) => {
  const { verified, ask, guess } = await given()
  const flood = Array.from({ length: 50 }, (_, n) => guess(HERE, `nobody ${n}`))
  t.is(await ask(ELSEWHERE, ALICE), 'alice')
  const passed = verified.indexOf(passwordOf('alice'))
  t.true(passed <= 3, `${passed} were checked first`)
  await Promise.all(flood)
})

test('another name at the address is checked ahead of a flood of known names', async (t) => {
  const others = Array.from({ length: 200 }, (_, n) => `user ${n}`)
  const { verified, ask, guess } = await given({ others })
  let isOver = false
  const flood = Array.from({ length: 50 }, async (_, n) => {
    for (let i = n; !isOver; i++) {
      await guess(HERE, others[i % others.length])
      await new Promise(setImmediate)
    }
  })
  const seen = () => Promise.all(others.map((name) => guess(HERE, name)))
  await seen()
  const before = verified.length
  t.is(await ask(HERE, ALICE), 'alice')
  const passed = verified.indexOf(passwordOf('alice')) - before
  isOver = true
  await Promise.all(flood)
  t.true(passed <= 4, `${passed} were checked first`)
})

test('verified credentials keep working at their address during a lockout', async (t) => {
  const { ask, guess, guessOften } = await given()
  t.is(await ask(HERE, ALICE), 'alice')
  await guessOften(20, HERE)
  t.is(await ask(HERE, ALICE), 'alice')
  for (let i = 0; i < 100; i++) await guess(HERE, `nobody ${i}`)
  await guessOften(3, HERE, 'bob')
  t.is(await guess(HERE, 'bob'), 'too_many_attempts 60')
  t.is(await ask(HERE, ALICE), 'alice')
})

test('of more than 10,000 addresses the one used least recently is locked out like any other', async (t) => {
  const { ask, guessOften } = await given()
  for (let n = 0; n <= 10_000; n++) await ask(`10.1.${n >> 8}.${n & 255}`, ALICE)
  for (const address of ['10.1.0.0', '10.1.0.1']) await guessOften(10, address)
  t.is(await ask('10.1.0.1', ALICE), 'alice')
  t.is(await ask('10.1.0.0', ALICE), 'too_many_attempts 60')
})

test('credentials verified elsewhere keep working at an address that has used them', async (t) => {
  const { ask, guessOften, verified } = await given()
  t.is(await ask(ELSEWHERE, ALICE), 'alice')
  t.is(await ask(HERE, ALICE), 'alice')
  t.is(verified.length, 1)
  await guessOften(11, HERE)
  t.is(await ask(HERE, ALICE), 'alice')
})

test('a locked-out address does not learn that it guessed the password of a user new to it', async (t) => {
  const { ask, guessOften } = await given()
  t.is(await ask(ELSEWHERE, ALICE), 'alice')
  await guessOften(10, HERE)
  t.is(await ask(HERE, ALICE), 'too_many_attempts 60')
  t.is(await ask(HERE, basic('alice', 'battery staple')), 'too_many_attempts 60')
  t.is(await ask(ELSEWHERE, ALICE), 'alice')
})

test('a locked-out address does not learn a password that is being verified for its user', async (t) => {
  const begun = Promise.withResolvers<void>()
  const verification = Promise.withResolvers<typeof RIGHT>()
  const verify: typeof verifyPassword = async (_, password) => {
    if (password !== passwordOf('alice')) return WRONG
    begun.resolve()
    return verification.promise
  }
  const { ask, guessOften } = await given({ verify })
  await guessOften(10, HERE)
  const there = ask(ELSEWHERE, ALICE)
  await begun.promise
  const here = ask(HERE, ALICE)
  verification.resolve(RIGHT)
  t.deepEqual([await there, await here], ['alice', 'too_many_attempts 60'])
})

test('requests with no or malformed credentials do not count as attempts', async (t) => {
  const { ask, guess } = await given()
  const none = [undefined, '', 'Basic', 'Bearer x', 'Basic !', `Basic ${Buffer.from('alice').toString('base64')}`]
  for (let i = 0; i < 200; i++) t.is(await ask(HERE, none[i % none.length]), 'unauthenticated')
  t.is(await guess(HERE), 'unauthenticated')
  t.is(await ask(HERE, ALICE), 'alice')
})

test('simultaneous attempts are counted when they begin: at most ten are checked', async (t) => {
  const { verified, guess } = await given()
  const answers = await Promise.all(Array.from({ length: 50 }, () => guess(HERE)))
  t.is(answers.filter((answer) => answer === 'unauthenticated').length, 10)
  t.is(answers.filter((answer) => /^too_many_attempts \d+$/.test(answer)).length, 40)
  t.is(verified.length, 10)
})

test('each of many simultaneous requests with the same wrong credentials counts', async (t) => {
  const { verified, ask } = await given()
  const wrong = basic('alice', 'battery staple')
  await Promise.all(Array.from({ length: 20 }, () => ask(HERE, wrong)))
  t.is(verified.length, 1)
  t.is(await ask(HERE, wrong), 'too_many_attempts 60')
})

test('a client that opens many connections at once is not locked out', async (t) => {
  const { ask, guessOften } = await given()
  const answers = await Promise.all(Array.from({ length: 200 }, () => ask(HERE, ALICE)))
  t.deepEqual(answers, times(200, 'alice'))
  t.deepEqual(await guessOften(10, HERE), times(10, 'unauthenticated'))
})

test('a first password is checked despite a crowd of wrong ones from another address', async (t) => {
  const { ask, guess } = await given()
  const crowd = Array.from({ length: 100 }, () => guess(ELSEWHERE))
  t.is(await ask(HERE, ALICE), 'alice')
  await Promise.all(crowd)
})

test('a check that throws is not a failed attempt', async (t) => {
  const verify: typeof verifyPassword = async () => {
    throw new Error('out of memory')
  }
  const { guess } = await given({ verify })
  for (let i = 0; i < 30; i++) await t.throwsAsync(guess(HERE), { message: 'out of memory' })
})

test('all addresses of an IPv6 network count as one', async (t) => {
  const { ask, guess } = await given()
  for (let i = 0; i < 10; i++) t.is(await guess(`2001:db8:1:2::${i}`), 'unauthenticated')
  t.is(await guess('2001:db8:1:2:ffff::1'), 'too_many_attempts 60')
  t.is(await ask('2001:db8:1:3::1', ALICE), 'alice')
})

test('clients of a trusted proxy are counted separately, and no other client can forge its address', async (t) => {
  const { ask, guess, guessOften } = await given()
  const by = (client: string) => ({ 'x-forwarded-for': client })
  t.is((await guessOften(11, PROXY, 'alice', by(HERE))).at(-1), 'too_many_attempts 60')
  t.is(await ask(PROXY, ALICE, by(ELSEWHERE)), 'alice')
  t.is(await ask(PROXY, ALICE, by(`${ELSEWHERE}, ${HERE}`)), 'too_many_attempts 60')
  t.is(await guess(HERE), 'too_many_attempts 60', 'the same client on its own connection')
  const answers: string[] = []
  for (let i = 0; i < 11; i++) answers.push(await guess('203.0.113.9', 'alice', by(`192.0.2.${i}`)))
  t.deepEqual(answers, [...times(10, 'unauthenticated'), 'too_many_attempts 60'])
})

test('credentials verified on a proxy’s connection do not help its other clients', async (t) => {
  const { ask, guessOften } = await given()
  const by = (client: string) => ({ 'x-forwarded-for': client })
  t.is(await ask(PROXY, ALICE, by(ELSEWHERE)), 'alice')
  await guessOften(10, PROXY, 'alice', by(HERE))
  t.is(await ask(PROXY, ALICE, by(HERE)), 'too_many_attempts 60')
})

test('over HTTP a lockout is a documented 429 with Retry-After', async (t) => {
  const service = await start(t, { now: '2030-05-02T05:58:11.400Z' })
  t.is((await service.as('admin').get('/api/user/me')).status, 200)
  const ask = (i: number) => service.anyone.get('/api/none', { Authorization: basic('alice', `wrong ${i}`) })
  for (let i = 0; i < 10; i++) t.deepEqual(refusalOf(await ask(i)), [401, 'unauthenticated'])
  const refused = await ask(10)
  t.deepEqual(refusalOf(refused), [429, 'too_many_attempts'])
  t.deepEqual(faultsOf(refused), [])
  t.is(refused.headers['retry-after'], '60')
  t.is((await service.as('alice').get('/api/user/me')).status, 429)
  t.is((await service.as('admin').get('/api/user/me')).status, 200)
  t.is((await service.as('bob').get('/api/user/me')).status, 200)
  t.is((await service.anyone.get('/api/user/me')).status, 401)
  t.is((await service.anyone.get('/health/live')).status, 200)
  service.clock.set('2030-05-02T05:59:11.400Z')
  t.is((await service.as('alice').get('/api/user/me')).status, 200)
})
